import type { DataChainClient } from "../../../../src/api";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import { teamLists } from "../../../../src/provider/shared/team-lists";
import type { Kind } from "../../../../src/schemas/kinds";
import { type LocalServer, manualClock, startServer } from "../../../../src/server";
import { providersOf } from "../../process";
import type { Random } from "../../random";
import { StackModel } from "./engine-model";
import { pluginProvider } from "./plugin-provider";
import type { Program } from "./program";
import type { Report, RunOptions, Stack, What } from "./stack";
import { VirtualTime } from "./virtual-time";

/** One local server for all sequences, each in a team of its own. */
export interface Place {
	readonly server: LocalServer;
	stack(name: string, team: string, random: Random): Stack;
	/** Lets time pass. */
	wait(millis: number): Promise<void>;
	close(): Promise<void>;
}

/** Who serves the handlers to the engine. */
export type Host = "dynamic" | "plugin";

/** A place without the engine, in a time that waits for nobody. */
export async function openPlace(host: Host = "dynamic"): Promise<Place> {
	const clock = manualClock();
	const server = await startServer({ empty: true, faults: true, clock, jobStepMillis: 3_600_000 });
	const time = new VirtualTime(clock);
	return {
		server,
		stack: (name, team, random) => new ModelStack(name, { server, time, team, random, host }),
		wait: async (millis) => clock.advance(millis),
		close: () => server.close(),
	};
}

interface Session {
	readonly server: LocalServer;
	readonly time: VirtualTime;
	readonly team: string;
	/** How long each request takes comes from here. */
	readonly random: Random;
	readonly host: Host;
}

/** Each command has a provider process of its own: nothing is remembered from the one before. */
class ModelStack extends StackModel implements Stack {
	constructor(
		name: string,
		private readonly session: Session,
	) {
		super(name);
	}

	async run(what: What, program: Program, options: RunOptions): Promise<Report> {
		const { time, host } = this.session;
		const notices: string[] = [];
		const context = contextOf(this.session, options.adoptEqual === true, (line) => notices.push(line));
		const inPlugin = (kind: Kind) => pluginProvider(context, kind);
		const providers = host === "plugin" ? inPlugin : providersOf(context);
		try {
			const { failures, changes } = await time.until(this.command(what, program, options, providers));
			return { failures, changes, notices };
		} finally {
			await context.client.close();
		}
	}

	async unprotect(): Promise<void> {
		for (const entry of this.entries) entry.protect = false;
	}
}

function contextOf(
	{ server, time, team, random }: Session,
	adoptEqual: boolean,
	write: (line: string) => void,
): ProviderContext {
	const env = {
		...server.environment,
		DATACHAIN_STUDIO_TEAM: team,
		...(adoptEqual && { DATACHAIN_ADOPT_EQUAL: "true" }),
	};
	// Without jitter the waits between attempts are over at once, in real time.
	const context = createContext({ env }, write, { time, random: () => 0 });
	const client = slowed(context.client, time, random);
	return { ...context, client, lists: teamLists(client, time, (list) => context.twins.look(list)) };
}

const slowed = (client: DataChainClient, time: VirtualTime, random: Random): DataChainClient => ({
	...client,
	schedules: time.slowed(client.schedules, random),
	pipelines: time.slowed(client.pipelines, random),
	scoped: (scope) => slowed(client.scoped(scope), time, random),
});
