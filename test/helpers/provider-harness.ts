import { onTestFinished } from "vitest";
import {
	checked as checkedBy,
	type Host,
	type Process as ProviderProcess,
	readBack,
	sent,
	startProcess,
	urnOf,
	written,
} from "../../bench/faults/process";
import type { Entry } from "../../bench/faults/rows/model/stack";
import { ServerTime } from "../../bench/faults/server-time";
import type { Props } from "../../src/provider/handler";
import type { Kind } from "../../src/schemas/kinds";
import type { Colleague, FaultRule, LocalServer } from "../../src/server";
import { testServer } from "./server-harness";

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

/** A provider process that knows whether its operation is a preview. */
export interface Process extends ProviderProcess {
	readonly preview: boolean;
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
		process: ({ host, preview = false, env, requestMillis = 0, onAttempt, ...options } = {}) => {
			const given = { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM, ...env };
			const attempted = (info: { readonly operation: string }) => {
				server.clock.advance(requestMillis);
				onAttempt?.(info);
			};
			// No jitter: a retry comes at once.
			const set = { ...options, time, random: () => 0, onAttempt: attempted };
			const process = startProcess(given, set, host);
			onTestFinished(process.close);
			return { ...process, preview };
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
