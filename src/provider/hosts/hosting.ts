import { AbortedError } from "../../client";
import { Clock } from "../../client/clock";
import { UnclearError } from "../../operations/create-once";
import { isKind, type Kind } from "../../schemas/kinds";
import { refuseOutputText } from "../../text/output-text";
import { parseUrn, resourceName } from "../model/messages";
import { refuseOutputTexts, withoutOutputTexts } from "../model/output-texts";
import { compact, type Props, pick, setOnly } from "../model/props";
import {
	changedSecrets,
	concealAt,
	secretsUntilDone,
	withoutParts,
} from "../model/secrets";
import type { Call } from "../run/context";
import { PartialFailureError, type ResourceHandler } from "../run/handler";
import { redacting, redactorOf, refusePlaceholders } from "../run/redacting";

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

/** The handlers see the user's properties only. */
export const ownProperties = (props: Props): Props =>
	Object.fromEntries(
		Object.entries(props ?? {}).filter(([key]) => !key.startsWith("__")),
	);

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
		const stateKeys = { ...record, ...(secrets.length > 0 && { [SECRET]: secrets }) };
		throw new PartialFailureError(error.id, { ...outs, ...stateKeys }, error.message);
	}
}

export const unconfigured = (): Error =>
	new Error(
		"The DataChain provider was called before it was configured. Please report this as a bug.",
	);

/** Each kind is loaded when a resource of it turns up, because most deployments have one kind only. */
export const HANDLERS: Readonly<Record<Kind, () => ResourceHandler>> = {
	PipelineSchedule: () =>
		(
			require("../kinds/schedule/schedule") as typeof import("../kinds/schedule/schedule")
		).pipelineSchedule,
	PipelineSettings: () =>
		(
			require("../kinds/settings/settings") as typeof import("../kinds/settings/settings")
		).pipelineSettings,
	JobFile: () =>
		(
			require("../kinds/job-file/job-file") as typeof import("../kinds/job-file/job-file")
		).jobFile,
	Pipeline: () =>
		(
			require("../kinds/pipeline/pipeline") as typeof import("../kinds/pipeline/pipeline")
		).pipeline,
	Job: () => (require("../kinds/job/job") as typeof import("../kinds/job/job")).job,
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
		const client = call.client.scoped({
			clock: started,
			resource: resourceName(call.urn),
		});
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
				redacting(timed, args, redactorOf(fields, call, args), (quiet) =>
					work(quiet, ...args),
				),
			);
	return {
		fields,
		check: operation(async (call, before, given) => {
			// A null of the program is left out, as in Pulumi: it must not count as false or as an empty value.
			const [olds, news] = [ownProperties(before), setOnly(ownProperties(given))];
			for (const text of changedSecrets(call, ownProperties(before), news))
				call.notice(text);
			const refused = [
				...refuseOutputTexts(olds, news),
				...refusePlaceholders(call, fields, olds, news),
			];
			const { inputs, problems } = await handler.check(
				call,
				olds,
				withoutOutputTexts(olds, news),
			);
			const redact = redactorOf(fields, call, [olds, news]);
			const reported = [...refused, ...problems].map(({ field, reason }) => ({
				field,
				reason: withoutParts(call, news, field, redact(reason)),
			}));
			return { inputs: compact(inputs), problems: reported };
		}),
		diff: operation(async (call, id, olds, news) => {
			const result = await handler.diff(
				call,
				id,
				ownProperties(olds),
				ownProperties(news),
			);
			// A value that only became a secret is the same value, but its copy in the outputs is still in plain text.
			return { ...result, changes: result.changes || call.secretsMoved };
		}),
		predict: (call, inputs) =>
			compact(handler.predict?.(call, ownProperties(inputs)) ?? {}),
		create: operation(async (call, inputs) => {
			const { id, outs } = await handler.create(
				call,
				pick(inputs, Object.keys(fields)),
			);
			return { id: String(id), outs: compact(outs) };
		}),
		read: operation(async (call, id, outs) => {
			refuseOutputText("id", id);
			const { state } = await handler.read(call, id, ownProperties(outs));
			if (state === undefined) return {};
			return {
				state: {
					id: state.id,
					outs: compact(state.outs),
					inputs: compact(state.inputs),
				},
			};
		}),
		update: operation(async (call, id, olds, news) => {
			const inputs = pick(news, Object.keys(fields));
			const { outs } = await handler.update(call, id, ownProperties(olds), inputs);
			return { outs: compact(outs) };
		}),
		delete: operation((call, id, outs) =>
			handler.delete(call, id, ownProperties(outs)),
		),
	};
}
