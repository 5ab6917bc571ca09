import { onTestFinished } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type { FaultRule } from "../../src/server";
import { StackModel } from "../model/engine-model";
import { Process, type ProcessOptions } from "../model/process";
import { ServerTime } from "../model/server-time";
import type { Done, EngineOptions, Entry, Host, Program, What } from "../model/stack";
import { testServer } from "./server-harness";

export const TEAM = "ml";

/** Of a run of the test's; the rest comes from the world. */
export interface RunOptions
	extends Partial<Omit<ProcessOptions, "onAttempt" | "time">> {
	/** Told of each request, when it has ended. */
	readonly onAttempt?: ((info: { readonly operation: string }) => void) | undefined;
	/** How long each request takes on the server's clock; no time unless given. */
	readonly requestMillis?: number;
}

export type World = Awaited<ReturnType<typeof providerWorld>>;

/** A secret of the tests, which nothing may show. */
export const CANARY = "canary_9241";

/** The endpoints that change something. */
export const WRITES: readonly EndpointName[] = (
	Object.keys(endpoints) as EndpointName[]
).filter((name) => endpoints[name].method === "POST");

const DATASETS = [
	{ fullName: "dev.images.raw", query: 'print("listed")' },
	{
		fullName: "dev.images.clean",
		madeFrom: ["dev.images.raw"],
		query: 'print("cleaned")',
	},
	{
		fullName: "dev.images.broken",
		madeFrom: ["dev.images.raw"],
		query: 'print("no disk")\nraise SystemExit(3)',
	},
	{ fullName: `dev.images.${CANARY}`, query: 'print("seen by nobody")' },
];
const CLUSTERS = [
	{ name: "default", maxWorkers: 8, isDefault: true },
	{ name: "gpu", maxWorkers: 4 },
	{ name: "old", maxWorkers: 2, active: false },
];

/** A service with the team "ml", which has datasets, clusters and the pipelines p1, p2 and p3, and time that costs nothing. */
export async function providerWorld() {
	const server = await testServer({ faults: true, empty: true });
	const colleague = server.addTeam(TEAM, {
		pipelines: ["p1", "p2", "p3"],
		datasets: DATASETS,
		clusters: CLUSTERS,
	});
	const time = new ServerTime(server.clock, server.requests);
	let told = 0;
	return {
		server,
		/** Somebody else in the team, past the API. */
		colleague,
		time,
		fault: (rule: FaultRule) => server.faults.add(rule),
		/** Writes that reached the service since the last call, `createSchedule` and the like. */
		writes: (): string[] => {
			const asked = server.requests.entries.slice(told).map(({ endpoint }) => endpoint);
			told = server.requests.entries.length;
			return asked.filter(
				(name) => name !== undefined && WRITES.includes(name),
			) as string[];
		},
		process: ({ env, requestMillis = 0, onAttempt, ...options }: RunOptions = {}) => {
			const process = new Process({
				...options,
				env: { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM, ...env },
				time,
				// No jitter: a retry comes at once.
				random: () => 0,
				onAttempt: (info) => {
					server.clock.advance(requestMillis);
					onAttempt?.(info);
				},
			});
			onTestFinished(() => process.close());
			return process;
		},
	};
}

export type CommandOptions = EngineOptions & RunOptions;

/** A stack on a world of the test's. Each operation has a provider process of its own for each host. */
export class Stack extends StackModel {
	constructor(
		private readonly world: World,
		name = "dev",
		host: Host = "dynamic",
	) {
		super(name, host);
	}

	up(program: Program, options: CommandOptions = {}): Promise<Done> {
		return this.run("up", program, options);
	}

	preview(program: Program, options: CommandOptions = {}): Promise<Done> {
		return this.run("preview", program, options);
	}

	/** Must succeed. */
	async refresh(options: CommandOptions = {}): Promise<Done> {
		const run = await this.run("refresh", [], options);
		if (run.failures.length > 0) throw new Error(run.failures.join("\n"));
		return run;
	}

	destroy(options: CommandOptions = {}): Promise<Done> {
		return this.run("destroy", [], options);
	}

	private run(what: What, program: Program, options: CommandOptions): Promise<Done> {
		return this.command(what, program, options, (run) =>
			this.world.process({ ...options, ...run }),
		);
	}

	ids(): Record<string, string> {
		return Object.fromEntries(this.entries.map(({ name, id }) => [name, id]));
	}

	/** The entry as it is now, which must be there. */
	entry(name: string): Entry {
		const found = this.entries.find(
			(entry) => entry.name === name && !entry.pendingDelete,
		);
		if (found === undefined) throw new Error(`The state has no "${name}".`);
		return { ...found };
	}

	/** The state says something else of a resource, as that of an earlier version or deployment would. */
	alter(name: string, outs: object, inputs: object = {}): void {
		this.entries = this.entries.map((entry) =>
			entry.name === name
				? {
						...entry,
						inputs: { ...entry.inputs, ...inputs },
						outs: { ...entry.outs, ...outs },
						problem: undefined,
					}
				: entry,
		);
	}
}
