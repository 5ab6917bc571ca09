import { AbortedError, ApiError, type CallOptions } from "../client";
import { pollUntilDefined } from "../client/read-back";
import { parseInstant } from "../text/instant";
import type { ListMoment, OperationContext } from "./context";
import { momentOfLists } from "./lists";

/** Nobody can tell whether a create request took effect. Its message says what to do next. */
export class UnclearError extends Error {
	override readonly name = "UnclearError";
}

/** A create request, and how its object is recognised if the response is lost. */
export interface CreateRequest<Reply, Made> {
	/** `schedule "a"`. */
	readonly subject: string;
	readonly team: string;
	/** The command that lists such objects. */
	readonly listedBy: string;
	send(options: CallOptions): Promise<Reply>;
	/** The object that the response names; a text says why it is not believed. */
	identify(reply: Reply): Promise<Made | string>;
	/**
	 * Objects that are new and equal to what was sent in every field that the service shows. They come from a new list, or from
	 * one that was asked for after `since`.
	 */
	candidates(since?: ListMoment): Promise<readonly Made[]>;
	/** One of them, for a message: `id 7, created by ada 3 hours ago`. */
	describe(made: Made): string;
	/** New objects of the same name that this request did not create, for a message. */
	others?(): readonly string[];
	/** What to do after a look at the list, of which so many objects can be the product of the request. */
	advice(candidates: number): string;
}

/**
 * Sends a create request once, because a second one could create a second object. If the response is lost, the object may
 * exist: it is searched for, for as long as a list may lag behind. One that is new and equal is ours; of two, one may be a
 * colleague's. Only a request that the rate limit refused is repeated, because nothing was created.
 */
export async function createExactlyOnce<Reply, Made extends object>(
	context: Pick<OperationContext, "time" | "readBackDelays">,
	request: CreateRequest<Reply, Made>,
): Promise<Made> {
	let candidates: readonly Made[] = [];
	const search = async (since?: ListMoment): Promise<Made | undefined> => {
		candidates = await request.candidates(since);
		return candidates.length === 1 ? candidates[0] : undefined;
	};
	let why =
		"the service responded, but the operation ended before the new object could be read.";
	const unclear = () => new UnclearError(procedure(request, why, candidates));
	try {
		const made = await sendOrSearch(request, search);
		if (typeof made !== "string") return made;
		why = made;
		// A list that cannot be read must not hide that something may have been created.
		const look = () =>
			search().catch((error: unknown) => {
				why = error instanceof ApiError ? `${made} ${error.summary}` : made;
				return failureIsUndefined(error);
			});
		const candidate = await pollUntilDefined(context, look);
		if (candidate !== undefined) return candidate;
	} catch (error) {
		if (error instanceof NothingSent) throw error.cause;
		// A read that was cut off says that nothing was done, which is true of that read only.
		if (error instanceof AbortedError) throw Object.assign(unclear(), { cause: error });
		throw error;
	}
	throw unclear();
}

/** The create request failed, and surely created nothing. */
class NothingSent extends Error {}

/** The object, or why it must be searched for. */
async function sendOrSearch<Reply, Made extends object>(
	request: CreateRequest<Reply, Made>,
	search: (since?: ListMoment) => Promise<Made | undefined>,
): Promise<Made | string> {
	let early: Made | undefined;
	let searchError: unknown;
	let refusedAt: ListMoment | undefined;
	const onRetry = () => {
		refusedAt = momentOfLists();
	};
	// After a refusal by the rate limit, a look before the repetition costs little. Creates that were refused together share a list.
	const mayRepeat = async () => {
		try {
			early = await search(refusedAt);
		} catch (error) {
			searchError = error;
			throw error;
		}
		return early === undefined;
	};
	let reply: Reply;
	try {
		reply = await request.send({ mayRepeat, onRetry });
	} catch (error) {
		if (early !== undefined) return early;
		const isUnknown =
			error instanceof ApiError && error.received !== false && error !== searchError;
		if (!isUnknown) throw new NothingSent("", { cause: error });
		// Its advice to try again would create a second object.
		return error.summary;
	}
	return request.identify(reply);
}

/** What to do after a create whose outcome is unknown: one procedure for every kind. */
function procedure<Made>(
	{
		subject,
		team,
		listedBy,
		describe,
		others,
		advice,
	}: Omit<CreateRequest<unknown, Made>, "identify" | "send">,
	why: string,
	candidates: readonly Made[],
): string {
	const could = `Could not tell whether ${subject} was created in team "${team}": ${why} It was not sent again, because that could create a second one.`;
	const seen = candidates.length > 0 ? candidates.map(describe) : (others?.() ?? []);
	const listed =
		seen.length > 0 ? ` The list shows ${seen.slice(0, 10).join("; ")}.` : "";
	return `${could}${listed} Wait a minute, then run "pulumi-datachain ${listedBy}". ${advice(candidates.length)}`;
}

/** The advice of a command, which belongs to no program. */
export const runAgain = (): string =>
	"If the list does not show it, run the command again.";

/** For the reads that follow a write: their failures may pass, and the read-back delays bound them. */
export function failureIsUndefined(error: unknown): undefined {
	if (error instanceof ApiError && !(error instanceof AbortedError)) return undefined;
	throw error;
}

// ── Whether an object can be the product of a request ───────────────────────────────────────────────────────────────

/** Times of creation are compared by the service's own clock; this much may be lost to rounding. */
const ROUNDING_MILLIS = 2_000;

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
		this.newest = Math.max(
			...items.map((item) => createdAt(item) ?? Number.NEGATIVE_INFINITY),
		);
	}

	/**
	 * Whether the object can be the request's product: it did not exist before, and was not created before. If this deployment
	 * deleted an object (`isReleased`), the service may give its id to the new one.
	 */
	mayHaveMade(item: Item & { readonly id: Id }, isReleased = false): boolean {
		const isOld =
			(createdAt(item) ?? Number.POSITIVE_INFINITY) < this.newest - ROUNDING_MILLIS;
		return (isReleased || !this.ids.has(item.id)) && !isOld;
	}
}

export const createdAt = ({ created_at }: Item): number | undefined =>
	created_at ? parseInstant(created_at) : undefined;
