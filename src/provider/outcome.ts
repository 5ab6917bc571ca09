import { AbortedError, ApiError, type CallOptions, isMissing } from "../api";
import { seenSoon } from "../api/read-back";
import { parseInstant } from "../schemas/instant";
import type { Pipeline } from "../schemas/wire/pipeline";
import { noPipeline } from "../schemas/wording";
import type { Call } from "./context";
import type { Props } from "./handler";

// ── A create that is sent once ──────────────────────────────────────────────────────────────────────────────────────

/** Nobody can tell whether a create request took effect. Its message says what to do next. */
export class UnclearError extends Error {
	override readonly name = "UnclearError";
}

/**
 * Sends a create request once, because a second one could create a second object. Only a request that the service's rate
 * limit refused is repeated. `identify` reads what the response names. If the response is lost, or `identify` answers a
 * reason (a string) instead of the object, the object is searched for: the service may show it a little later.
 */
export async function makeOnce<Reply, T extends object>(
	call: Call,
	send: (options: CallOptions) => Promise<Reply>,
	identify: (reply: Reply) => Promise<T | string>,
	find: () => Promise<T | undefined>,
	unclear: (why: string) => UnclearError,
): Promise<T> {
	let early: T | undefined;
	let unread: unknown;
	// A rate limit's refusal means that nothing was created; a look before the repetition costs little.
	const mayRepeat = async () => {
		early = await find().catch((error: unknown) => {
			unread = error;
			throw error;
		});
		return early === undefined;
	};
	const sent = await send({ mayRepeat }).then(
		(reply) => ({ reply }),
		(error: unknown) => {
			if (early !== undefined) return { made: early };
			if (!(error instanceof ApiError) || error.received === false || error === unread) throw error;
			// Its advice to try again would create a second one.
			return { made: error.summary };
		},
	);
	let why = "the service responded, but the operation ended before the new object could be read.";
	try {
		const made = "made" in sent ? sent.made : await identify(sent.reply);
		if (typeof made !== "string") return made;
		why = made;
		const look = () =>
			// A list that cannot be read must not hide that something may have been created.
			find().catch((error: unknown) => {
				why = error instanceof ApiError ? `${made} ${error.summary}` : made;
				return failureIsUndefined(error);
			});
		const found = await seenSoon(call, look);
		if (found !== undefined) return found;
	} catch (error) {
		// A read that was cut off says that nothing was done, which is true of that read only.
		if (error instanceof AbortedError) throw Object.assign(unclear(why), { cause: error });
		throw error;
	}
	throw unclear(why);
}

/** For the reads that follow: their failures may pass, and the read-back delays bound them. */
export function failureIsUndefined(error: unknown): undefined {
	if (error instanceof ApiError && !(error instanceof AbortedError)) return undefined;
	throw error;
}

// ── Whether an object can be the product of a request ───────────────────────────────────────────────────────────────

/** Times of creation are compared by the service's own clock; this much may be lost to rounding. */
const ROUNDING_MILLIS = 2_000;

/** An object that an interrupted deployment created is adopted within this time; an older one is somebody's. */
export const RECENT_MILLIS = 3_600_000;

interface Item {
	readonly created_at?: string | null | undefined;
}

/** The objects that existed before a create request left: none of them can be the request's product. */
export class BeforeRequest<Id> {
	private readonly ids: ReadonlySet<Id>;
	/** The newest time of creation among them, by the service's clock. */
	private readonly newest: number;

	constructor(items: readonly (Item & { readonly id: Id })[]) {
		this.ids = new Set(items.map(({ id }) => id));
		this.newest = Math.max(...items.map((item) => createdAt(item) ?? Number.NEGATIVE_INFINITY));
	}

	/** Whether the object can be the request's product: it did not exist before, and was not created before. */
	mayHaveMade(item: Item & { readonly id: Id }): boolean {
		const isOld = (createdAt(item) ?? Number.POSITIVE_INFINITY) < this.newest - ROUNDING_MILLIS;
		return !this.ids.has(item.id) && !isOld;
	}
}

export const createdAt = ({ created_at }: Item): number | undefined =>
	created_at ? parseInstant(created_at) : undefined;

// ── Whether an object is missing ────────────────────────────────────────────────────────────────────────────────────

/** A read that lags behind may miss an object that was created less than this ago. */
export const YOUNG_MILLIS = 60_000;

/** R10: by our own clock if the state has it, because the service's may differ. */
export function isYoung({ madeAt, time }: Call, known: Props): boolean {
	const at = madeAt ?? (typeof known.createdAt === "string" ? parseInstant(known.createdAt) : undefined);
	return at !== undefined && Math.abs(time.now() - at) < YOUNG_MILLIS;
}

/** What the looks find; a young object is looked for with patience. */
export function seenWhileYoung<T>(
	call: Call,
	known: Props,
	look: () => Promise<T | undefined>,
): Promise<T | undefined> {
	const readBackDelays = isYoung(call, known) ? call.readBackDelays : [];
	return seenSoon({ time: call.time, readBackDelays }, look);
}

/** The pipeline of this name. One that may be new is asked for with patience: a replica that lags behind misses it. */
export async function getPipeline(call: Call, team: string, name: string, isNew = false): Promise<Pipeline> {
	const mayBeNew = isNew || call.lists.isNew(team, name);
	const ask = () => call.client.pipelines.status({ team_name: team, name });
	const found = mayBeNew ? await seenSoon(call, () => ask().catch(missingIsUndefined)) : undefined;
	return found ?? ask();
}

/** The pipeline as a recent list shows it. */
export const listedPipeline = async (call: Call, team: string, name: string): Promise<Pipeline | undefined> =>
	(await call.lists.pipelines(team, "recent")).find((pipeline) => pipeline.name === name);

/** From a recent list, or asked for directly. */
export const pipelineSoon = async (call: Call, team: string, name: string): Promise<Pipeline> =>
	(await listedPipeline(call, team, name)) ?? getPipeline(call, team, name);

/** Why the input is wrong, with the names that there are. */
export async function noSuchPipeline(call: Call, team: string, name: string): Promise<string> {
	const names = (await call.lists.pipelines(team, "recent")).map((pipeline) => pipeline.name);
	return `pipelineName: ${noPipeline(team, name, names)}`;
}

export function missingIsUndefined(error: unknown): undefined {
	if (!isMissing(error)) throw error;
	return undefined;
}

/** "Not found" proves nothing if the state was deployed to another service: dropping it would lose the state. */
export function refuseOtherService(call: Call, known: Props, what: string): void {
	if (typeof known.serviceUrl !== "string" || known.serviceUrl === call.serviceUrl) return;
	throw new Error(
		`${what}, but it was deployed to ${known.serviceUrl} and the connection now points to ${call.serviceUrl}. ` +
			"Set DATACHAIN_STUDIO_URL (or datachain:baseUrl) to the service it was deployed to. Nothing was changed.",
	);
}
