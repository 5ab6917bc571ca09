import { AbortedError } from "../api";
import { Clock } from "../api/clock";
import { isKind, type Kind } from "../schemas/kinds";
import type { Call } from "./context";
import { compact, PartialFailureError, type Props, pick, type ResourceHandler, setOnly } from "./handler";
import { parseUrn, resourceName } from "./messages";
import { UnclearError } from "./outcome";
import {
	changedSecrets,
	concealAt,
	redacting,
	redactorOf,
	refusePlaceholders,
	secretsUntilDone,
	withoutParts,
} from "./secrets";
import { UNCONFIRMED } from "./table";

/**
 * What program, hosts and state exchange beside the user's properties: whose it is, when it was made, which inputs were
 * secret, whether nothing will be written, and the line by which the dynamic host finds its provider. Both hosts read and
 * write the same state, so that a stack can move from one to the other and back. The engine shows no key that begins so.
 */
export const URN = "__urn";
export const MADE = "__made";
export const SECRET = "__secret";
export const PREVIEW = "__preview";
export const PROVIDER = "__provider";

/** The handlers see the user's properties, and their own record of unconfirmed writes. */
export const ownProperties = (props: Props): Props =>
	Object.fromEntries(
		Object.entries(props ?? {}).filter(([key]) => !key.startsWith("__") || key === UNCONFIRMED),
	);

/** States of version 0.1.0 say neither whose they are nor what was secret. */
export const isFrom010 = (state: Props): boolean => PROVIDER in state && !(URN in state);

/** Version 0.1.0 stored `paused: false` for every schedule that declared nothing; that was no declaration. */
export function declaredProperties(state: Props): Props {
	const { paused, ...rest } = ownProperties(state);
	const isUndeclared = isFrom010(state) && "scheduleName" in rest && paused === false;
	return isUndeclared ? rest : ownProperties(state);
}

export const stateUrn = ({ [URN]: urn }: Props): string | undefined =>
	typeof urn === "string" ? urn : undefined;

/** The dotted paths of the inputs that are secrets, as program and state list them. */
export const secretPathsIn = ({ [SECRET]: paths }: Props): string[] =>
	Array.isArray(paths) ? paths.map(String) : [];

export const madeAt = ({ [MADE]: made }: Props): number | undefined =>
	typeof made === "number" ? made : undefined;

/**
 * A URN as the dynamic host's state keeps it: without stack, project and its own type, which are the same for all. The
 * engine writes every resource after every step, so that the size of one decides how long a large deployment takes.
 */
export function keptUrn(urn: unknown, type: string): unknown {
	const parts = parseUrn(String(urn));
	if (parts?.type !== type) return urn;
	return `${parts.parents.map((parent) => `${parent}$`).join("")}::${parts.name}`;
}

/** The resource of a state, in one form for a full URN and for the kept part of it: `<parent type>$<type>::<name>`. */
export function resourceOf(urn: string, type: string): string {
	const parts = parseUrn(urn);
	if (parts?.program === undefined) return urn.replace("::", () => `${type}::`);
	return `${[...parts.parents, parts.type].join("$")}::${parts.name}`;
}

/** What the state keeps beside the user's properties, so that later calls know whose they are. */
export const stateRecord = (
	urn: unknown,
	provider: unknown,
	secrets: readonly string[],
	made: number | undefined,
): Props =>
	setOnly({
		[URN]: urn,
		[MADE]: made,
		[SECRET]: secrets.length > 0 ? secrets : undefined,
		[PROVIDER]: provider,
	});

/** When a resource that is created now was made. */
export const madeNow = ({ time }: Call): number => Math.round(time.now());

/**
 * Runs a create or an update whose outputs go into the state, with its record, and in the form that `tagged` gives them.
 * So do those of a partial failure, where what was a secret before stays one until it is done.
 */
export async function storing<T extends { readonly outs: Props }>(
	call: Call,
	record: Props,
	work: () => Promise<T>,
	tagged = (outs: Props): Props => outs,
): Promise<T> {
	try {
		const done = await work();
		return { ...done, outs: { ...tagged(done.outs), ...record } };
	} catch (error) {
		if (!(error instanceof PartialFailureError)) throw error;
		const secrets = secretsUntilDone(call);
		const outs = concealAt(tagged(compact(error.outs)), secrets);
		const kept = { ...record, ...(secrets.length > 0 && { [SECRET]: secrets }) };
		throw new PartialFailureError(error.id, { ...outs, ...kept }, error.message);
	}
}

export const unconfigured = (): Error =>
	new Error("The DataChain provider was called before it was configured. Please report this as a bug.");

/** Each kind is loaded when a resource of it turns up, because most deployments have one kind only. */
export const HANDLERS: Readonly<Record<Kind, () => ResourceHandler>> = {
	PipelineSchedule: () => (require("./schedule") as typeof import("./schedule")).pipelineSchedule,
	PipelineSettings: () => (require("./settings") as typeof import("./settings")).pipelineSettings,
	JobFile: () => (require("./job-file") as typeof import("./job-file")).jobFile,
	Pipeline: () => (require("./pipeline") as typeof import("./pipeline")).pipeline,
	Job: () => (require("./job") as typeof import("./job")).job,
};

/** The handler itself, for callers without a host; a host wraps it with `hosted`. */
export function handlerOf(kind: string): ResourceHandler {
	if (isKind(kind)) return HANDLERS[kind]();
	throw new Error(
		`This version of pulumi-datachain has no resource "${kind}". Install the version that wrote this state, or a newer one.`,
	);
}

/** The dynamic host passes on neither a timeout nor a cancel, so each operation ends itself. */
const OPERATION_MILLIS = 60_000;

/**
 * Runs one operation with a client that gives up when the operation's time is over, whatever it was waiting for. The
 * service's rate limit does not count: waiting for it is the service's own wish.
 */
export async function withinTime<T>(
	call: Call,
	work: (call: Call) => Promise<T>,
	limitMillis = call.limitMillis ?? OPERATION_MILLIS,
): Promise<T> {
	let clock: Clock | undefined;
	// It starts with the first request; most operations are answered from lists and need none.
	const started = (): Clock => {
		clock ??= new Clock(limitMillis);
		return clock;
	};
	try {
		const client = call.client.scoped({ clock: started, resource: resourceName(call.urn) });
		return await work({ ...call, client });
	} catch (error) {
		if (!(error instanceof Error) || clock?.stopped === undefined) throw error;
		const isPartial = error.cause instanceof AbortedError;
		if (!(error instanceof AbortedError || isPartial)) throw error;
		const next = " Check that the service answers, then run the command again.";
		const text = `Gave up after ${limitMillis / 1000} seconds. ${error.message}${error instanceof UnclearError ? "" : next}`;
		// The id and outputs of a partial failure stay with it.
		throw isPartial ? Object.assign(error, { message: text }) : new Error(text);
	} finally {
		clock?.close();
	}
}

/**
 * The handler as both hosts call it: with the user's properties only, within the time of one operation, with secrets
 * redacted from its messages, and with answers that are JSON without undefined.
 */
export function hosted(handler: ResourceHandler): ResourceHandler {
	const { fields } = handler;
	const operation =
		<Args extends unknown[], T>(work: (call: Call, ...args: Args) => Promise<T>) =>
		(call: Call, ...args: Args): Promise<T> =>
			withinTime(call, (timed) =>
				redacting(timed, args, redactorOf(fields, call, args), (quiet) => work(quiet, ...args)),
			);
	return {
		fields,
		check: operation(async (call, before, given) => {
			// A null of the program is left out, as in Pulumi: it must not count as false or as an empty value.
			const [olds, news] = [declaredProperties(before), setOnly(ownProperties(given))];
			for (const text of changedSecrets(call, ownProperties(before), news)) call.notice(text);
			const refused = refusePlaceholders(call, fields, olds, news);
			const { inputs, problems } = await handler.check(call, olds, news);
			const redact = redactorOf(fields, call, [olds, news]);
			const told = [...refused, ...problems].map(({ field, reason }) => ({
				field,
				reason: withoutParts(call, news, field, redact(reason)),
			}));
			return { inputs: compact(inputs), problems: told };
		}),
		diff: operation(async (call, id, olds, news) => {
			// A refresh compares what it has read with the inputs of the state, which may be of version 0.1.0 too.
			const result = await handler.diff(call, id, declaredProperties(olds), declaredProperties(news));
			// A value that only became a secret is the same value, but its copy in the outputs is still in plain text.
			return { ...result, changes: result.changes || call.secretsMoved };
		}),
		predict: (call, inputs) => compact(handler.predict?.(call, ownProperties(inputs)) ?? {}),
		create: operation(async (call, inputs) => {
			const { id, outs } = await handler.create(call, pick(inputs, Object.keys(fields)));
			return { id: String(id), outs: compact(outs) };
		}),
		read: operation(async (call, id, outs) => {
			const { state } = await handler.read(call, id, declaredProperties(outs));
			if (state === undefined) return {};
			return { state: { id: state.id, outs: compact(state.outs), inputs: compact(state.inputs) } };
		}),
		update: operation(async (call, id, olds, news) => {
			const inputs = pick(news, Object.keys(fields));
			const { outs } = await handler.update(call, id, declaredProperties(olds), inputs);
			return { outs: compact(outs) };
		}),
		delete: operation((call, id, outs) => handler.delete(call, id, ownProperties(outs))),
	};
}
