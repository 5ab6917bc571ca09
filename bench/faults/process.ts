import { type ContextOptions, createContext, type ProviderContext } from "../../src/provider/context";
import type { Props } from "../../src/provider/handler";
import { handlerOf } from "../../src/provider/handlers";
import { type DynamicProvider, serveDynamically } from "../../src/provider/host/dynamic-host";
import { dynamicType, type Kind } from "../../src/schemas/kinds";

export type { Props } from "../../src/provider/handler";

/** A provider process, for one operation of the engine: what it remembers ends with it. */
export interface Process {
	/** The provider as the engine calls it for one resource: each call says whose it is. */
	serve(kind: Kind, name?: string): DynamicProvider;
	close(): Promise<void>;
}

export interface ProcessOptions extends ContextOptions {
	/** Sees what the person at the terminal would. */
	readonly say?: (text: string) => void;
}

export const urnOf = (kind: Kind, name: string): string =>
	`urn:pulumi:dev::bench::${dynamicType(kind)}::${name}`;

export function startProcess(env: NodeJS.ProcessEnv, options: ProcessOptions = {}): Process {
	const { say = () => {}, ...rest } = options;
	return processWith(createContext({ env }, say, rest));
}

export const processWith = (context: ProviderContext): Process => ({
	serve(kind, name = "one") {
		const provider = serveDynamically(handlerOf(kind), () => context, dynamicType(kind));
		provider.configure({ config: { get: () => undefined } });
		const named = (props: Props): Props => ({ ...props, __urn: urnOf(kind, name) });
		return {
			...provider,
			check: (olds, news) => provider.check(olds, named(news)),
			diff: (id, olds, news) => provider.diff(id, olds, named(news)),
			create: (inputs) => provider.create(named(inputs)),
			update: (id, olds, news) => provider.update(id, olds, named(news)),
		};
	},
	close: () => context.client.close(),
});

/** Work in a process of its own. */
export async function inProcess<T>(
	env: NodeJS.ProcessEnv,
	work: (process: Process) => Promise<T>,
	options: ProcessOptions = {},
): Promise<T> {
	const process = startProcess(env, options);
	try {
		return await work(process);
	} finally {
		await process.close();
	}
}

/** The inputs that the engine goes on with; fails where the check finds fault with them. */
export async function checked(provider: DynamicProvider, olds: Props, news: Props): Promise<Props> {
	const { inputs, failures } = await provider.check(olds, news);
	if (failures.length === 0) return inputs;
	throw new Error(`check: ${failures.map(({ reason }) => reason).join(" ")}`);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the state holds of one resource. */
export interface Known {
	readonly id: string;
	readonly inputs: Props;
	readonly outs: Props;
	/** Made, but not everything came out as declared: the engine updates it next time, whatever the diff says. */
	readonly incomplete?: boolean;
}

/** What is left after one try: the state, and the error where there was one. */
export interface Tried {
	readonly known: Known | undefined;
	readonly error?: unknown;
}

/** One resource brought to what the program declares, or removed, by the engine's calls in the engine's order. */
export async function deploy(
	provider: DynamicProvider,
	known: Known | undefined,
	program: Props | undefined,
	writing = provider,
): Promise<Tried> {
	let left = known;
	const remove = async (): Promise<void> => known && writing.delete(known.id, known.outs);
	try {
		const inputs = program && (await checked(provider, known?.inputs ?? {}, program));
		const diff = known && inputs && (await provider.diff(known.id, known.outs, inputs));
		if (known && inputs && diff?.replaces.length === 0) {
			if (!diff.changes && known.incomplete !== true) return { known: { ...known, inputs } };
			const { id, outs } = known;
			return await kept(inputs, known, async () => ({ id, ...(await writing.update(id, outs, inputs)) }));
		}
		// What was deleted is out of the state even if the new one fails.
		const deleteFirst = diff?.deleteBeforeReplace !== false;
		if (deleteFirst) await remove();
		left = undefined;
		const anew = program && (await checked(provider, {}, program));
		const tried = anew ? await kept(anew, undefined, () => writing.create(anew)) : { known: undefined };
		if (!deleteFirst) await remove();
		return tried;
	} catch (error) {
		return { known: left, error };
	}
}

/** The engine keeps the id and the properties that an error of a half-done write carries. */
async function kept(
	inputs: Props,
	before: Known | undefined,
	write: () => Promise<{ id: string; outs: Props }>,
): Promise<Tried> {
	try {
		return { known: { ...(await write()), inputs } };
	} catch (error) {
		if (!(error instanceof Error) || !("id" in error) || !("properties" in error))
			return { known: before, error };
		const outs = error.properties as Props;
		return { known: { id: String(error.id), inputs, outs, incomplete: true }, error };
	}
}

/** The same where it must succeed. */
export async function deployed(provider: DynamicProvider, program: Props, before?: Known): Promise<Known> {
	const { known, error } = await deploy(provider, before, program);
	if (known === undefined || error !== undefined) throw error;
	return known;
}
