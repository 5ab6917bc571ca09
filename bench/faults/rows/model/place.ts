import type { DataChainClient } from "../../../../src/api";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import type { ResourceHandler } from "../../../../src/provider/handler";
import { serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { TeamLists } from "../../../../src/provider/shared/team-lists";
import { type LocalServer, manualClock, startServer } from "../../../../src/server";
import type { Random } from "../../random";
import type { ResourceKind } from "./program";
import type { Providers, Report } from "./stack";
import { VirtualTime } from "./virtual-time";

const HANDLERS: Readonly<Record<ResourceKind, ResourceHandler>> = {
	PipelineSchedule: pipelineSchedule,
	PipelineSettings: pipelineSettings,
};

export interface Session {
	readonly team: string;
	/** How long each request takes comes from here. */
	readonly random: Random;
	readonly adoptEqual: boolean;
}

/** What one command did, and what it told. */
export interface Ran extends Report {
	readonly notices: readonly string[];
	/** Requests that may change something. */
	readonly writes: number;
}

/** One local server for all sequences, each in a team of its own, in a time that waits for nobody. */
export interface Place {
	readonly server: LocalServer;
	readonly time: VirtualTime;
	/** Runs one command with a provider process of its own: nothing is remembered from the one before. */
	run(session: Session, command: (providers: Providers) => Promise<Report>): Promise<Ran>;
	close(): Promise<void>;
}

export async function openPlace(): Promise<Place> {
	const clock = manualClock();
	const server = await startServer({ empty: true, faults: true, clock, jobStepMillis: 3_600_000 });
	const time = new VirtualTime(clock);
	return {
		server,
		time,
		async run(session, command) {
			const notices: string[] = [];
			const context = contextOf(server, time, session, (line) => notices.push(line));
			server.requests.clear();
			try {
				const report = await time.until(command(providersOf(context)));
				return { ...report, notices, writes: server.requests.count({ method: "POST" }) };
			} finally {
				time.forget();
				await context.client.close();
			}
		},
		close: () => server.close(),
	};
}

function contextOf(
	{ environment }: LocalServer,
	time: VirtualTime,
	{ team, random, adoptEqual }: Session,
	write: (line: string) => void,
): ProviderContext {
	const env = {
		...environment,
		DATACHAIN_STUDIO_TEAM: team,
		...(adoptEqual && { DATACHAIN_ADOPT_EQUAL: "true" }),
	};
	// Without jitter the waits between attempts are over at once, in real time.
	const context = createContext({ env }, write, { time, random: () => 0 });
	const client = slowed(context.client, time, random);
	return { ...context, client, lists: new TeamLists(client, time, (list) => context.twins.look(list)) };
}

const slowed = (client: DataChainClient, time: VirtualTime, random: Random): DataChainClient => ({
	...client,
	schedules: time.slowed(client.schedules, random),
	pipelines: time.slowed(client.pipelines, random),
	scoped: (scope) => slowed(client.scoped(scope), time, random),
});

function providersOf(context: ProviderContext): Providers {
	return (kind) => {
		const provider = serveDynamically(HANDLERS[kind], () => context);
		provider.configure({ config: { get: () => undefined } });
		return provider;
	};
}
