import { onTestFinished } from "vitest";
import {
	checked as checkedBy,
	type Host,
	providersOf,
	readBack,
	sent,
	urnOf,
	written,
} from "../../bench/faults/process";
import { pluginProvider } from "../../bench/faults/rows/model/plugin-provider";
import type { Entry } from "../../bench/faults/rows/model/stack";
import type { Time } from "../../src/api/read-back";
import { createContext, type ProviderContext } from "../../src/provider/context";
import type { DynamicProvider } from "../../src/provider/dynamic-host";
import type { Props } from "../../src/provider/handler";
import type { Kind } from "../../src/schemas/kinds";
import type { Clock, Colleague, FaultRule, LocalServer, RequestLog } from "../../src/server";
import { testServer } from "./server-harness";

/** Turns of the event loop without a request under way after which everybody is taken to be asleep. */
const QUIET_TURNS = 25;

/**
 * The provider's time on the server's clock. It stands still while anybody works, and jumps to the next wake-up once
 * all that is left to do is wait: no test sleeps for real, and what runs at the same time really does.
 */
class ServerTime implements Time {
	private sleepers: { readonly at: number; readonly wake: () => void }[] = [];
	private driving = false;

	constructor(
		private readonly clock: Clock,
		private readonly requests: RequestLog,
	) {}

	now(): number {
		return this.clock.now();
	}

	sleep(millis: number): Promise<void> {
		return new Promise((wake) => {
			this.sleepers.push({ at: this.now() + millis, wake });
			void this.drive();
		});
	}

	private async drive(): Promise<void> {
		if (this.driving) return;
		this.driving = true;
		while (this.sleepers.length > 0) {
			await this.quiet();
			const next = Math.min(...this.sleepers.map(({ at }) => at));
			this.clock.advance(Math.max(0, next - this.now()));
			const due = this.sleepers.filter(({ at }) => at <= this.now());
			this.sleepers = this.sleepers.filter((sleeper) => !due.includes(sleeper));
			for (const { wake } of due) wake();
		}
		this.driving = false;
	}

	private async quiet(): Promise<void> {
		let seen = this.requests.entries.length;
		for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
			await new Promise((resolve) => setImmediate(resolve));
			const { entries, inFlight } = this.requests;
			if (inFlight === 0 && entries.length === seen) continue;
			seen = entries.length;
			turns = 0;
		}
	}
}

export const TEAM = "ml";

export interface ProcessOptions {
	/** The dynamic host unless given. */
	readonly host?: Host | undefined;
	readonly preview?: boolean;
	/** `DATACHAIN_ADOPT_EQUAL=true` for this run. */
	readonly adoptEqual?: boolean;
	readonly env?: NodeJS.ProcessEnv;
	/** The engine's address and the folder for temporary files, which the provider processes of one run share. */
	readonly engine?: string | undefined;
	readonly tempFolder?: string | undefined;
	/** The user's Ctrl-C. */
	readonly interrupt?: AbortSignal | undefined;
	/** Told of each request, when it has ended. */
	readonly onAttempt?: ((info: { readonly operation: string }) => void) | undefined;
	/** How long each request takes on the server's clock; no time unless given. */
	readonly requestMillis?: number;
}

/** A provider process, for one operation of the engine: what it knows of the run ends with it. */
export interface Process {
	readonly context: ProviderContext;
	/** Everything it told the person at the terminal. */
	readonly notices: string[];
	readonly preview: boolean;
	readonly host: Host;
	serve(kind: Kind): DynamicProvider;
}

export interface World {
	readonly server: LocalServer;
	/** Somebody else in the team, past the API. */
	readonly colleague: Colleague;
	readonly time: ServerTime;
	fault(rule: FaultRule): () => void;
	/** Writes that reached the service since the last call, `createSchedule` and the like. */
	writes(): string[];
	process(options?: ProcessOptions): Process;
}

/** A secret of the tests, which nothing may show. */
export const CANARY = "canary_9241";

const WRITES = /^(create|update|delete|pause|resume|upload|trigger|cancel|remove)/;

const DATASETS = [
	{ fullName: "dev.images.raw", query: 'print("listed")' },
	{ fullName: "dev.images.clean", madeFrom: ["dev.images.raw"], query: 'print("cleaned")' },
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
export async function providerWorld(): Promise<World> {
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
		colleague,
		time,
		fault: (rule) => server.faults.add(rule),
		writes: () => {
			const names = server.requests.entries.slice(told).flatMap(({ endpoint }) => endpoint ?? []);
			told = server.requests.entries.length;
			return names.filter((name) => WRITES.test(name));
		},
		process: (options = {}) => {
			const notices: string[] = [];
			const env = {
				...server.environment,
				DATACHAIN_STUDIO_TEAM: TEAM,
				...options.env,
			};
			// No jitter: a retry comes at once.
			const context = createContext({ env }, (line) => notices.push(line), {
				time,
				random: () => 0,
				engine: options.engine,
				tempFolder: options.tempFolder,
				adoptEqual: options.adoptEqual,
				interrupt: options.interrupt,
				onAttempt: (info) => {
					server.clock.advance(options.requestMillis ?? 0);
					options.onAttempt?.(info);
				},
			});
			onTestFinished(() => context.client.close());
			const { host = "dynamic", preview = false } = options;
			return {
				context,
				notices,
				preview,
				host,
				serve: host === "plugin" ? (kind) => pluginProvider(context, kind) : providersOf(context),
			};
		},
	};
}

/** What identifies a resource: its kind and its name in the program. */
export interface Who {
	readonly kind: Kind;
	readonly name: string;
}

const sentBy = ({ preview, host }: Process, { kind, name }: Who, inputs: Props): Props =>
	sent(urnOf(kind, name, "dev", host), inputs, preview);

/** A check that must pass; answers the inputs that the engine goes on with. */
export const checked = (process: Process, who: Who, inputs: Props, old?: Entry): Promise<Props> =>
	checkedBy(process.serve(who.kind), old?.inputs ?? {}, sentBy(process, who, inputs));

/** What a check refuses, as the user reads it. */
export async function refusedBy(process: Process, who: Who, inputs: Props, old?: Entry): Promise<string[]> {
	const news = sentBy(process, who, inputs);
	const { failures } = await process.serve(who.kind).check(old?.inputs ?? {}, news);
	return failures.map(({ reason }) => reason);
}

/** Creates, and answers what the engine stores: also where the object was made and is not as declared. */
export const created = async (process: Process, { kind, name }: Who, inputs: Props): Promise<Entry> => ({
	kind,
	name,
	inputs,
	...(await written(() => process.serve(kind).create(inputs))),
});

export const updated = async (process: Process, old: Entry, inputs: Props): Promise<Entry> => ({
	...old,
	inputs,
	...(await written(async () => ({
		id: old.id,
		...(await process.serve(old.kind).update(old.id, old.outs, inputs)),
	}))),
});

/** The entry after a refresh; undefined where the provider says that the object is gone. */
export async function refreshed(process: Process, old: Entry): Promise<Entry | undefined> {
	const found = await readBack(process.serve(old.kind), old);
	return found && { ...old, ...found };
}
