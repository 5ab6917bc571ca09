import type { Props } from "../handler";
import { parseUrn } from "../urn";

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
	Object.fromEntries(Object.entries(props ?? {}).filter(([key]) => !key.startsWith("__")));

/**
 * A URN as the dynamic host's state keeps it: without stack, project and its own type, which are the same for all. The
 * engine writes every resource after every step, so that the size of one decides how long a large deployment takes.
 */
export function keptUrn(urn: unknown, type: string): unknown {
	const parts = typeof urn === "string" ? parseUrn(urn) : undefined;
	if (parts?.type !== type) return urn;
	return `${parts.parents.map((parent) => `${parent}$`).join("")}::${parts.name}`;
}

/** Whose the state is, in one form for a full URN and for what is kept of it: `<parent type>$<type>::<name>`. */
export function resourceOf(urn: string, type: string): string {
	const parts = parseUrn(urn);
	if (parts?.program === undefined) return urn.replace("::", () => `${type}::`);
	return `${[...parts.parents, parts.type].join("$")}::${parts.name}`;
}
