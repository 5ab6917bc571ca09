import { onTestFinished } from "vitest";
import { createContext, type ProviderContext } from "../../src/provider/context";
import type { Props } from "../../src/provider/handler";
import { handlerOf } from "../../src/provider/handlers";
import { type DynamicProvider, serveDynamically } from "../../src/provider/host/dynamic-host";
import { dynamicType, type Kind } from "../../src/schemas/kinds";
import type { Colleague, FaultRule, LocalServer } from "../../src/server";
import { ServerTime } from "./provider-time";
import { testServer } from "./server-harness";

export const TEAM = "ml";

/** A resource in a stack's state. */
export interface Entry {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	readonly inputs: Props;
	readonly outs: Props;
	/** Set where its last create or update was only partly done. */
	readonly problem?: string | undefined;
	/** Its old object is deleted, and the new one was not made: the next run makes it, whatever the diff says. */
	readonly replacing?: true | undefined;
}

export interface ProcessOptions {
	readonly preview?: boolean;
	/** `DATACHAIN_ADOPT_EQUAL=true` for this run. */
	readonly adoptEqual?: boolean;
	readonly env?: NodeJS.ProcessEnv;
	/** How long each request takes on the server's clock; no time unless given. */
	readonly requestMillis?: number;
}

/** A provider process, for one operation of the engine: what it knows of the run ends with it. */
export interface Process {
	readonly context: ProviderContext;
	/** Everything it told the person at the terminal. */
	readonly notices: string[];
	readonly preview: boolean;
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

const WRITES = /^(create|update|delete|pause|resume|upload|trigger|cancel|remove)/;

const DATASETS = [
	{ fullName: "dev.images.raw", query: 'print("listed")' },
	{ fullName: "dev.images.clean", madeFrom: ["dev.images.raw"], query: 'print("cleaned")' },
	{
		fullName: "dev.images.broken",
		madeFrom: ["dev.images.raw"],
		query: 'print("no disk")\nraise SystemExit(3)',
	},
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
				...(options.adoptEqual && { DATACHAIN_ADOPT_EQUAL: "true" }),
				...options.env,
			};
			// No jitter: a retry comes at once.
			const context = createContext({ env }, (line) => notices.push(line), {
				time,
				random: () => 0,
				onAttempt: () => server.clock.advance(options.requestMillis ?? 0),
			});
			onTestFinished(() => context.client.close());
			const served = new Map<Kind, DynamicProvider>();
			return {
				context,
				notices,
				preview: options.preview === true,
				serve: (kind) => {
					const known = served.get(kind);
					if (known) return known;
					const provider = serveDynamically(handlerOf(kind), () => context, dynamicType(kind));
					provider.configure({ config: { get: () => undefined } });
					served.set(kind, provider);
					return provider;
				},
			};
		},
	};
}

export const urnOf = (kind: Kind, name: string, stack = "dev"): string =>
	`urn:pulumi:${stack}::shop::${dynamicType(kind)}::${name}`;

/** What identifies a resource: its kind and its name in the program. */
export interface Who {
	readonly kind: Kind;
	readonly name: string;
	readonly stack?: string | undefined;
}

/** The inputs as the program's classes send them. */
export const sent = ({ preview }: Pick<Process, "preview">, who: Who, inputs: Props): Props => ({
	...inputs,
	__urn: urnOf(who.kind, who.name, who.stack),
	...(preview && { __preview: true }),
	__provider: "stub",
});

/** A check that must pass; answers the inputs that the engine goes on with. */
export async function checked(process: Process, who: Who, inputs: Props, old?: Entry): Promise<Props> {
	const result = await process.serve(who.kind).check(old?.inputs ?? {}, sent(process, who, inputs));
	if (result.failures.length > 0) throw new Error(result.failures.map(({ reason }) => reason).join("\n"));
	return { ...result.inputs, __provider: "stub" };
}

/** What a check refuses, as the user reads it. */
export async function refusedBy(process: Process, who: Who, inputs: Props, old?: Entry): Promise<string[]> {
	const result = await process.serve(who.kind).check(old?.inputs ?? {}, sent(process, who, inputs));
	return result.failures.map(({ reason }) => reason);
}

/** A create or update that stopped half-way, as the host hands it to the engine. */
interface HalfDone {
	readonly id: string;
	readonly properties: Props;
}

const isHalfDone = (error: unknown): error is Error & HalfDone =>
	error instanceof Error && "properties" in error && "id" in error;

/** Creates, and answers what the engine stores: also where the object was made and is not as declared. */
export async function created(process: Process, who: Who, inputs: Props): Promise<Entry> {
	try {
		const { id, outs } = await process.serve(who.kind).create(inputs);
		return { ...who, id, inputs, outs };
	} catch (error) {
		if (!isHalfDone(error)) throw error;
		return { ...who, id: error.id, inputs, outs: error.properties, problem: error.message };
	}
}

export async function updated(process: Process, old: Entry, inputs: Props): Promise<Entry> {
	try {
		const { outs } = await process.serve(old.kind).update(old.id, old.outs, inputs);
		return { ...old, inputs, outs, problem: undefined };
	} catch (error) {
		if (!isHalfDone(error)) throw error;
		return { ...old, inputs, outs: error.properties, problem: error.message };
	}
}

/** The entry after a refresh; undefined where the provider says that the object is gone. */
export async function refreshed(process: Process, old: Entry): Promise<Entry | undefined> {
	const { id, props = {}, inputs = {} } = await process.serve(old.kind).read(old.id, old.outs);
	return id === undefined ? undefined : { ...old, id, outs: props, inputs };
}

export const deleted = (process: Process, old: Entry): Promise<void> =>
	process.serve(old.kind).delete(old.id, old.outs);
