import type { DataChainClient } from "../../src/client";
import type { ProviderContext } from "../../src/provider/run/context";
import { teamLists } from "../../src/provider/run/team-lists";
import { type LocalServer, manualClock, startServer } from "../../src/server";
import { tempFolder } from "../../tools/process/temp-folder";
import { StackModel } from "./engine-model";
import { Process } from "./process";
import type { Random } from "./random";
import { ServerTime } from "./server-time";
import { type Fold, folded } from "./spelling";
import type { Done, Host, Program, RunOptions, Stack, What } from "./stack";

/** One local server for all sequences, each in a team of its own. */
export interface Place {
	readonly server: LocalServer;
	stack(name: string, team: string, random: Random, fold: Fold): Stack;
	/** How far the service's clock is ahead of the provider's. */
	setClockAhead(millis: number): void;
	/** Lets time pass. */
	wait(millis: number): Promise<void>;
	close(): Promise<void>;
}

/** A place without the engine, in a time that waits for nobody. */
export async function openPlace(host: Host = "dynamic"): Promise<Place> {
	const clock = manualClock();
	const server = await startServer({
		empty: true,
		faults: true,
		clock,
		jobStepMillis: JOB_STEP_MILLIS,
	});
	const time = new ServerTime(clock, server.requests);
	const folder = tempFolder("model-claims-");
	return {
		server,
		stack: (name, team, random, fold) =>
			new ModelStack(name, {
				server,
				time,
				team,
				random,
				host,
				fold,
				folder: folder.path,
			}),
		setClockAhead: (millis) => {
			time.aheadMillis = millis;
		},
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
	readonly time: ServerTime;
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

class ModelStack extends StackModel implements Stack {
	constructor(
		name: string,
		private readonly session: Session,
	) {
		super(name, session.host);
	}

	async run(
		what: What,
		program: Program,
		{ replace, adoptEqual, ...options }: RunOptions,
	): Promise<Done> {
		const { server, time, team, folder } = this.session;
		const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: team };
		runs += 1;
		// Without jitter the waits between attempts are over at once, in real time.
		const own = {
			env,
			time,
			adoptEqual,
			random: () => 0,
			engine: `127.0.0.1:${runs}`,
			tempFolder: folder,
		};
		const adjusted = (context: ProviderContext) => slowed(context, this.session);
		const asked = program.map((one) => ({
			...one,
			replace: replace?.includes(one.name) === true,
		}));
		return this.command(
			what,
			asked,
			options,
			(run) => new Process({ ...own, ...run, adjusted }),
		);
	}

	async unprotect(): Promise<void> {
		for (const entry of this.entries) entry.protect = false;
	}
}

function slowed(
	context: ProviderContext,
	{ time, random, fold }: Session,
): ProviderContext {
	const client = slow(folding(context.client, fold), time, random);
	return { ...context, client, lists: teamLists(client, time) };
}

/** As if the service stored names in one form: what is sent has it already. */
function folding(client: DataChainClient, fold: Fold): DataChainClient {
	if (fold === "none") return client;
	const { schedules } = client;
	const named = <Input extends { readonly schedule_name?: string | undefined }>(
		input: Input,
	): Input => ({
		...input,
		...(input.schedule_name !== undefined && {
			schedule_name: folded(fold, input.schedule_name),
		}),
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

const slow = (
	client: DataChainClient,
	time: ServerTime,
	random: Random,
): DataChainClient => ({
	...client,
	schedules: time.slowed(client.schedules, random),
	pipelines: time.slowed(client.pipelines, random),
	jobs: { ...time.slowed(client.jobs, random), followLogs: noLog },
	scoped: (scope) => slow(client.scoped(scope), time, random),
});
