import type { DataChainClient } from "../../../../src/api";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import { teamLists } from "../../../../src/provider/team-lists";
import { type LocalServer, manualClock, startServer } from "../../../../src/server";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { type Host, providersOf } from "../../process";
import type { Random } from "../../random";
import { type ProvidersOf, StackModel } from "./engine-model";
import { pluginProvider } from "./plugin-provider";
import { type Fold, folded } from "./spelling";
import { isChange, type Program, type Report, type RunOptions, type Stack, type What } from "./stack";
import { VirtualTime } from "./virtual-time";

/** One local server for all sequences, each in a team of its own. */
export interface Place {
	readonly server: LocalServer;
	stack(name: string, team: string, random: Random, fold: Fold): Stack;
	/** Lets time pass. */
	wait(millis: number): Promise<void>;
	close(): Promise<void>;
}

/** A place without the engine, in a time that waits for nobody. */
export async function openPlace(host: Host = "dynamic"): Promise<Place> {
	const clock = manualClock();
	const server = await startServer({ empty: true, faults: true, clock, jobStepMillis: JOB_STEP_MILLIS });
	const time = new VirtualTime(clock);
	const folder = tempFolder("model-claims-");
	return {
		server,
		stack: (name, team, random, fold) =>
			new ModelStack(name, { server, time, team, random, host, fold, folder: folder.path }),
		wait: async (millis) => clock.advance(millis),
		close: async () => {
			folder.remove();
			await server.close();
		},
	};
}

/** A job has six of them. */
const JOB_STEP_MILLIS = 5_000;

interface Session {
	readonly server: LocalServer;
	readonly time: VirtualTime;
	readonly team: string;
	/** How long each request takes comes from here. */
	readonly random: Random;
	/** Of resources that name none. */
	readonly host: Host;
	/** How the service stores names. */
	readonly fold: Fold;
	/** Where the processes of a run find each other's claims. */
	readonly folder: string;
}

let runs = 0;

/** Each command has a provider process of its own: nothing is remembered from the one before. */
class ModelStack extends StackModel implements Stack {
	constructor(
		name: string,
		private readonly session: Session,
	) {
		super(name, session.host);
	}

	async run(what: What, program: Program, options: RunOptions): Promise<Report> {
		const { time } = this.session;
		const notices: string[] = [];
		runs += 1;
		const engine = `127.0.0.1:${runs}`;
		const contexts = new Map<Host, ProviderContext>();
		/** One process for each host, made when its first resource is there. */
		const providers: ProvidersOf = (kind, host) => {
			const context =
				contexts.get(host) ??
				contextOf(this.session, engine, options.adoptEqual === true, (line) => notices.push(line));
			contexts.set(host, context);
			return host === "plugin" ? pluginProvider(context, kind) : providersOf(context)(kind);
		};
		try {
			const asked = program.map((one) => ({ ...one, replace: options.replace?.includes(one.name) === true }));
			const { failures, steps } = await time.until(this.command(what, asked, options, providers));
			return { failures, changes: steps.filter(isChange), notices };
		} finally {
			for (const { client, claims } of contexts.values()) {
				claims.close();
				await client.close();
			}
		}
	}

	async unprotect(): Promise<void> {
		for (const entry of this.entries) entry.protect = false;
	}
}

function contextOf(
	{ server, time, team, random, fold, folder }: Session,
	engine: string,
	adoptEqual: boolean,
	write: (line: string) => void,
): ProviderContext {
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: team };
	// Without jitter the waits between attempts are over at once, in real time.
	const options = { time, adoptEqual, random: () => 0, engine, tempFolder: folder };
	const context = createContext({ env }, write, options);
	const client = slowed(folding(context.client, fold), time, random);
	return { ...context, client, lists: teamLists(client, time, (list) => context.duplicates.look(list)) };
}

/** As if the service stored names in one form: what is sent has it already. */
function folding(client: DataChainClient, fold: Fold): DataChainClient {
	if (fold === "none") return client;
	const { schedules } = client;
	const named = <Input extends { readonly schedule_name?: string | undefined }>(input: Input): Input => ({
		...input,
		...(input.schedule_name !== undefined && { schedule_name: folded(fold, input.schedule_name) }),
	});
	return {
		...client,
		schedules: {
			...schedules,
			create: (input, options) => schedules.create(named(input), options),
			update: (input, options) => schedules.update(named(input), options),
		},
		scoped: (scope) => folding(client.scoped(scope), fold),
	};
}

/** Logs come in real time, and have tests of their own. */
async function* noLog() {}

const slowed = (client: DataChainClient, time: VirtualTime, random: Random): DataChainClient => ({
	...client,
	schedules: time.slowed(client.schedules, random),
	pipelines: time.slowed(client.pipelines, random),
	jobs: { ...time.slowed(client.jobs, random), followLogs: noLog },
	scoped: (scope) => slowed(client.scoped(scope), time, random),
});
