import { EventEmitter } from "node:events";
import { wantsTraces } from "../../client";
import { type Program, parseUrn } from "../model/messages";
import type { Props } from "../model/props";
import { concealAt, secretsMoved } from "../model/secrets";
import type { Call, ProviderContext } from "../run/context";
import { PartialFailureError, type ResourceHandler } from "../run/handler";
import {
	hosted,
	keptUrn,
	madeAt,
	madeNow,
	ownProperties,
	PREVIEW,
	PROVIDER,
	resourceOf,
	SECRET,
	secretPathsIn,
	stateRecord,
	stateUrn,
	storing,
	URN,
	unconfigured,
} from "./hosting";

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
	read(
		id: string,
		props: Props,
	): Promise<{ id?: string; props?: Props; inputs?: Props }>;
	update(id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
	delete(id: string, props: Props): Promise<void>;
}

type GetConfig = (key: string) => string | undefined;

let unnamed = 0;

/** What is deployed with a context: only a check is told, because the state keeps of a URN what differs. */
const programs = new WeakMap<ProviderContext, Program | undefined>();

/** Serves one handler to Pulumi's dynamic-provider host. All knowledge of that host is in this file. */
export function serveDynamically(
	given: ResourceHandler,
	contextFor: (config: GetConfig) => ProviderContext,
	type: string,
	/** Done when the engine has what was said. */
	arrived: () => Promise<void> = async () => {},
): DynamicProvider {
	const handler = hosted(given);
	let config: GetConfig | undefined;
	const record = (props: Props, made?: number): Props =>
		stateRecord(keptUrn(props[URN], type), props[PROVIDER], secretPathsIn(props), made);
	const operate = async <T>(
		olds: Props,
		news: Props,
		work: (call: Call) => Promise<T>,
	): Promise<T> => {
		try {
			if (config === undefined) throw unconfigured();
			return await work(callOf(contextFor(config), type, olds ?? {}, news ?? {}));
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			if (wantsTraces({ config })) console.error(error.stack);
			const reported = error instanceof PartialFailureError ? initFailed(error) : error;
			sayOnce(reported);
			throw reported;
		} finally {
			await arrived();
		}
	};
	return {
		// Must stay synchronous: the host hands the provider to concurrent calls before it awaits this.
		configure(request) {
			config = (key) => request.config.get(`datachain:${key}`);
		},
		check: (olds, news) =>
			operate(olds, news, async (call) => {
				const { inputs, problems } = await handler.check(call, olds, news);
				// An empty property keeps the engine from printing the property's value, which may be secret.
				return {
					inputs: { ...inputs, ...record(news) },
					failures: problems.map(({ reason }) => ({ property: "", reason })),
				};
			}),
		diff: (id, olds, news) =>
			operate(olds, news, async (call) => {
				const result = await handler.diff(call, id, olds, news);
				return { ...result, replaces: [...result.replaces] };
			}),
		create: (inputs) =>
			operate({}, inputs, (call) =>
				storing(call, record(inputs, madeNow(call)), () =>
					handler.create(call, inputs),
				),
			),
		read: (id, props) =>
			operate(props, props, async (call) => {
				const { state } = await handler.read(call, id, props);
				if (state === undefined && Object.keys(ownProperties(props)).length === 0)
					throw nothingToGet(type, id);
				// An answer without an id tells the engine that the object is gone.
				if (state === undefined) return {};
				return {
					id: state.id,
					props: { ...state.outs, ...record(props, madeAt(props)) },
					// The engine knows which inputs of the program are secrets, and not which of an update that was not done.
					inputs: { ...concealAt(state.inputs, call.secrets), ...record(props) },
				};
			}),
		update: (id, olds, news) =>
			operate(olds, news, (call) =>
				storing(call, record(news, madeAt(olds)), () =>
					handler.update(call, id, olds, news),
				),
			),
		delete: (id, props) =>
			operate(props, props, (call) => handler.delete(call, id, props)),
	};
}

/** Which resource is calling. Without a URN, which only a program of another version can cause, each call is its own. */
function callOf(
	context: ProviderContext,
	type: string,
	olds: Props,
	news: Props,
): Call {
	const named = (props: Props) => {
		const urn = stateUrn(props);
		return urn === undefined ? undefined : resourceOf(urn, type);
	};
	unnamed += 1;
	const program = parseUrn(String(news[URN]))?.program ?? programs.get(context);
	programs.set(context, program);
	const urn = named(news) ?? named(olds) ?? `unnamed ${unnamed}`;
	const whole = program && `urn:pulumi:${program.stack}::${program.project}::${urn}`;
	return {
		...context,
		// What is said about a resource is shown with it, if its whole URN is known.
		notice: (text) => context.notice(text, whole),
		line: (text) => context.line(text, whole),
		urn,
		stateUrn: named(olds),
		program,
		madeAt: madeAt(olds),
		preview: news[PREVIEW] === true,
		secrets: secretPathsIn(news),
		secretsBefore: secretPathsIn(olds),
		// A new resource has no state in which something was secret.
		secretsMoved: olds[URN] !== undefined && secretsMoved(olds[SECRET], news[SECRET]),
	};
}

/** For a lookup (`PipelineSchedule.get`) the dynamic host takes "gone" for an object without properties. */
const nothingToGet = (type: string, id: string): Error =>
	new Error(
		`${type.replace(/.*:/, "")}.get: the service has nothing under "${id}". Check it, and that the connection names the right ` +
			"service and team.",
	);

/** A partial failure in the form of that host. */
const initFailed = ({ id, outs, message }: PartialFailureError): Error =>
	Object.assign(new Error(message), { id, properties: outs, reasons: [message] });

/**
 * The dynamic host prints the errors of most operations, stack trace included, and answers the engine with them as well:
 * people would read each twice. They are written for people, so that the answer alone is enough.
 */
export function sayingOnce(): (error: Error) => void {
	const said = new Set<unknown>();
	return (error) => {
		error.stack = "";
		const isFirst = said.size === 0;
		said.add(`${error}: ${error.stack}`);
		if (!isFirst) return;
		const usual = console.error;
		console.error = (...args: unknown[]) => {
			if (args.length !== 1 || !said.has(args[0])) usual.apply(console, args);
		};
	};
}

const sayOnce = sayingOnce();

/** The engine's call on Ctrl-C. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

let cancelled: AbortSignal | undefined;

/**
 * Fires when the engine cancels the deployment (Ctrl-C). The dynamic host answers that call by itself and tells nobody,
 * so it is observed at the process's own gRPC server. If there is none it never fires, and what waits
 * then ends by its own timeout.
 */
export function engineCancel(): AbortSignal {
	cancelled ??= observeCancel();
	return cancelled;
}

function observeCancel(): AbortSignal {
	const controller = new AbortController();
	const handles: readonly unknown[] =
		Reflect.get(process, "_getActiveHandles")?.call(process) ?? [];
	for (const handle of handles) {
		if (!(handle instanceof EventEmitter) || !("listening" in handle)) continue;
		handle.on(
			"stream",
			(_stream: unknown, headers: Readonly<Record<string, unknown>> | undefined) => {
				if (headers?.[":path"] === CANCEL) controller.abort();
			},
		);
	}
	return controller.signal;
}
