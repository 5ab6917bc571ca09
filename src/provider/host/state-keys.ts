import type { Props } from "../handler";

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
