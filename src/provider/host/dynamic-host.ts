import type { ProviderContext } from "../context";
import { PartlyDoneError, type Props, type ResourceHandler } from "../handler";
import { withinTime } from "../shared/bounded";
import { compact } from "../shared/json";

/**
 * The part of Pulumi's dynamic-provider contract that we answer to. Written out instead of imported: the provider
 * process must start without loading the SDK a second time.
 */
export interface DynamicProvider {
	configure(request: { config: { get(key: string): string | undefined } }): void;
	check(
		olds: Props,
		news: Props,
	): Promise<{ inputs: Props; failures: { property: string; reason: string }[] }>;
	diff(
		id: string,
		olds: Props,
		news: Props,
	): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
	create(inputs: Props): Promise<{ id: string; outs: Props }>;
	read(id: string, props: Props): Promise<{ id?: string; props?: Props; inputs?: Props }>;
	update(id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
	delete(id: string, props: Props): Promise<void>;
}

type GetConfig = (key: string) => string | undefined;

/** Serves one handler to Pulumi's dynamic-provider host. All knowledge of that host is in this file. */
export function serveDynamically(
	handler: ResourceHandler,
	contextFor: (config: GetConfig) => ProviderContext,
): DynamicProvider {
	let config: GetConfig | undefined;
	const operate = async <T>(work: (context: ProviderContext) => Promise<T>): Promise<T> => {
		if (config === undefined) {
			throw new Error(
				"The DataChain provider was called before it was configured. Please report this as a bug.",
			);
		}
		return withinTime(contextFor(config), work);
	};
	return {
		// Must stay synchronous: the host hands the provider to concurrent calls before it awaits this.
		configure(request) {
			config = (key) => request.config.get(`datachain:${key}`);
		},
		check: (olds, news) =>
			quietly(async () => {
				const { inputs, problems } = await operate((context) => handler.check(context, own(olds), own(news)));
				// An empty property keeps the engine from printing the property's value, which may be secret.
				return {
					inputs: { ...compact(inputs) },
					failures: problems.map((problem) => ({ property: "", reason: problem.reason })),
				};
			}),
		diff: (id, olds, news) =>
			quietly(async () => {
				const result = await operate((context) => handler.diff(context, id, own(olds), own(news)));
				return { ...result, replaces: [...result.replaces] };
			}),
		create: (inputs) =>
			quietly(async () => {
				const made = await keepingProvider(inputs, () =>
					operate((context) => handler.create(context, own(inputs))),
				);
				return { id: String(made.id), outs: { ...compact(made.outs) } };
			}),
		read: (id, props) =>
			quietly(async () => {
				const { state } = await operate((context) => handler.read(context, id, own(props)));
				// An answer without an id tells the engine that the object is gone.
				if (state === undefined) return {};
				return { id: state.id, props: { ...compact(state.outs) }, inputs: { ...compact(state.inputs) } };
			}),
		update: (id, olds, news) =>
			quietly(async () => {
				const { outs } = await keepingProvider(news, () =>
					operate((context) => handler.update(context, id, own(olds), own(news))),
				);
				return { outs: { ...compact(outs) } };
			}),
		delete: (id, props) => quietly(() => operate((context) => handler.delete(context, id, own(props)))),
	};
}

const PROVIDER_KEY = "__provider";

/** The handlers see the user's properties only. */
const own = (props: Props): Props =>
	Object.fromEntries(Object.entries(props ?? {}).filter(([key]) => key !== PROVIDER_KEY));

/** Failures are written for people: without this the host prints a stack trace under each. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof Error) error.stack = "";
		throw error;
	}
}

/** A failed initialization is stored with the properties we give; without `__provider` nothing could read it again. */
async function keepingProvider<T>(inputs: Props, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof PartlyDoneError)) throw error;
		throw Object.assign(new Error(error.message), {
			id: error.id,
			properties: { ...compact(error.outs), [PROVIDER_KEY]: inputs[PROVIDER_KEY] },
			reasons: [error.message],
		});
	}
}
