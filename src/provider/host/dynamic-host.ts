import { wantsTraces } from "../../api";
import type { Call, ProviderContext } from "../context";
import { PartlyDoneError, type Props, type ResourceHandler } from "../handler";
import { compact, pick } from "../shared/json";
import { changedSecrets, secretsMoved } from "../shared/secrets";
import { type Program, parseUrn } from "../urn";
import { withinTime } from "./operation";
import { sayOnce } from "./say-once";
import { keptUrn, MADE, ownProperties, PREVIEW, PROVIDER, resourceOf, SECRET, URN } from "./state-keys";

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

let unnamed = 0;

/** What is deployed with a context: only a check is told, because the state keeps of a URN what differs. */
const programs = new WeakMap<ProviderContext, Program>();

/** Serves one handler to Pulumi's dynamic-provider host. All knowledge of that host is in this folder. */
export function serveDynamically(
	handler: ResourceHandler,
	contextFor: (config: GetConfig) => ProviderContext,
	type: string,
): DynamicProvider {
	let config: GetConfig | undefined;
	/** What the state keeps beside the user's properties, so that later calls know whose they are. */
	const internal = (props: Props): Props =>
		compact({ [URN]: keptUrn(props[URN], type), [SECRET]: props[SECRET] });
	/** Whose secrets moved, as the inputs tell: after an upgrade from version 0.1.0 the outputs cannot tell it yet. */
	const moved = new Set<string>();
	const operate = async <T>(olds: Props, news: Props, work: (call: Call) => Promise<T>): Promise<T> => {
		if (config === undefined) {
			throw new Error(
				"The DataChain provider was called before it was configured. Please report this as a bug.",
			);
		}
		return withinTime(callOf(contextFor(config), type, olds ?? {}, news ?? {}), work);
	};
	const quietly = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			if (wantsTraces({ config })) console.error(error.stack);
			sayOnce(error);
			throw error;
		}
	};
	return {
		// Must stay synchronous: the host hands the provider to concurrent calls before it awaits this.
		configure(request) {
			config = (key) => request.config.get(`datachain:${key}`);
		},
		check: (olds, news) =>
			quietly(async () => {
				const { inputs, problems } = await operate(olds, news, async (call) => {
					for (const text of changedSecrets(call, ownProperties(olds), ownProperties(news)))
						call.notice(text);
					if (call.secretsMoved) moved.add(call.urn);
					return handler.check(call, upgraded(olds), ownProperties(news));
				});
				// An empty property keeps the engine from printing the property's value, which may be secret.
				return {
					inputs: { ...compact(inputs), ...internal(news) },
					failures: problems.map((problem) => ({ property: "", reason: problem.reason })),
				};
			}),
		diff: (id, olds, news) =>
			quietly(async () => {
				return operate(olds, news, async (call) => {
					// A refresh compares what was read with the inputs of the state, so that those may be of version 0.1.0, too.
					const result = await handler.diff(call, id, upgraded(olds), upgraded(news));
					// A value that only became a secret is the same value, but its copy in the outputs is still in clear.
					const changes = result.changes || call.secretsMoved || moved.has(call.urn);
					return { ...result, changes, replaces: [...result.replaces] };
				});
			}),
		create: (inputs) =>
			quietly(async () => {
				return operate({}, inputs, async (call) => {
					const kept = { ...internal(inputs), [MADE]: Math.round(call.time.now()) };
					const made = await keepingProvider(inputs, kept, () => handler.create(call, ownProperties(inputs)));
					return { id: String(made.id), outs: { ...compact(made.outs), ...kept } };
				});
			}),
		read: (id, props) =>
			quietly(async () => {
				const known = ownProperties(props);
				const { state } = await operate(props, props, (call) => handler.read(call, id, known));
				if (state === undefined && Object.keys(known).length === 0) throw nothingToGet(type, id);
				// An answer without an id tells the engine that the object is gone.
				if (state === undefined) return {};
				return {
					id: state.id,
					props: { ...compact(state.outs), ...internal(props), ...pick(props, [MADE]) },
					inputs: { ...compact(state.inputs), ...internal(props) },
				};
			}),
		update: (id, olds, news) =>
			quietly(async () => {
				const kept = { ...internal(news), ...pick(olds, [MADE]) };
				const { outs } = await keepingProvider(news, kept, () =>
					operate(olds, news, (call) => handler.update(call, id, upgraded(olds), ownProperties(news))),
				);
				return { outs: { ...compact(outs), ...kept } };
			}),
		delete: (id, props) =>
			quietly(() => operate(props, props, (call) => handler.delete(call, id, ownProperties(props)))),
	};
}

/** Which resource is calling. Without a URN, which only a program of another version can cause, each call is its own. */
function callOf(context: ProviderContext, type: string, olds: Props, news: Props): Call {
	const named = ({ [URN]: urn }: Props) => (typeof urn === "string" ? resourceOf(urn, type) : undefined);
	unnamed += 1;
	const program = parseUrn(String(news[URN]))?.program ?? programs.get(context);
	if (program !== undefined) programs.set(context, program);
	return {
		...context,
		urn: named(news) ?? named(olds) ?? `unnamed ${unnamed}`,
		stateUrn: named(olds),
		program,
		madeAt: typeof olds[MADE] === "number" ? olds[MADE] : undefined,
		preview: news[PREVIEW] === true,
		secrets: Array.isArray(news[SECRET]) ? news[SECRET].map(String) : [],
		// States of version 0.1.0 do not say what was secret; an upgrade alone must not update everything.
		secretsMoved: olds[URN] !== undefined && secretsMoved(olds[SECRET], news[SECRET]),
	};
}

/** The dynamic host takes "gone" for an object without properties where a program looks one up (`PipelineSchedule.get`). */
const nothingToGet = (type: string, id: string): Error =>
	new Error(
		`${type.replace(/.*:/, "")}.get: the service has nothing under "${id}". Check it, and that the connection names the right ` +
			"service and team.",
	);

/** Version 0.1.0 stored `paused: false` for every schedule that declared nothing; that was no declaration. */
const upgraded = (olds: Props): Props => {
	const { paused, ...rest } = ownProperties(olds);
	return olds[URN] === undefined && paused === false ? rest : ownProperties(olds);
};

/** A failed initialization is stored with the properties we give; without `__provider` nothing could read it again. */
async function keepingProvider<T>(inputs: Props, kept: Props, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof PartlyDoneError)) throw error;
		throw Object.assign(new Error(error.message), {
			id: error.id,
			properties: { ...compact(error.outs), ...kept, [PROVIDER]: inputs[PROVIDER] },
			reasons: [error.message],
		});
	}
}
