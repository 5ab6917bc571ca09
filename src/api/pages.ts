import { endpoints } from "../schemas/endpoints";
import type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import type { Caller } from "./call";
import type { CallOptions } from "./options";
import { eachOnce } from "./reply";
import type { RawReply } from "./transport";

export type ListName = "listJobs" | "listClusters" | "listSchedules" | "listPipelines";

/** What the service sends of a list whose request may name a limit and does not. */
const DEFAULT_LIMIT = 20;
/** A cursor that never ends must. */
const MOST_PAGES = 1_000;

/**
 * A whole list. The documents show no pages; a service that has them names the next one in a `Link` header, and a name on
 * a page that nobody reads would look free.
 */
export async function everyPage<Name extends ListName>(
	caller: Caller,
	name: Name,
	input: RequestOf<Name>,
	options?: CallOptions,
): Promise<ReplyOf<Name>> {
	const wanted =
		"limit" in endpoints[name].query
			? Number(Object(input).limit ?? DEFAULT_LIMIT)
			: Number.POSITIVE_INFINITY;
	let found: readonly unknown[] = [];
	let next: URLSearchParams | undefined;
	for (let page = 0; page < MOST_PAGES; page += 1) {
		let reply: RawReply | undefined;
		const onReply = (raw: RawReply) => {
			reply = raw;
		};
		const more = await caller.call(name, input, options, { page: next, onReply });
		const all = eachOnce([...found, ...more]);
		const isNew = all.length > found.length;
		found = all;
		next = nextPage(reply);
		if (next === undefined || !isNew || found.length >= wanted) break;
	}
	return found as ReplyOf<Name>;
}

/** The parameters of the next page. Its host and path are not used: the token goes to the base URL only. */
function nextPage(reply: RawReply | undefined): URLSearchParams | undefined {
	const links = [reply?.headers.link ?? []].flat().join(", ");
	const next = /<([^>]*)>\s*;[^,<]*\brel="?next\b/i.exec(links)?.[1];
	if (next === undefined || !URL.canParse(next, "http://page")) return undefined;
	return new URL(next, "http://page").searchParams;
}
