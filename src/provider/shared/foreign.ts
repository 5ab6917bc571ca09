import { holdsUrlCredentials, withoutUrlCredentials } from "../../schemas/url-credentials";

/**
 * What is on the service and not ours may be somebody's secret, so the state holds a mark in its place. A mark is not a
 * value: with `ignoreChanges` the engine hands it back as if the program had declared it, and then it stands for
 * "whatever is there". No request ever carries one.
 */
export const FOREIGN_VALUE = "(set outside Pulumi)";

/** The text as it may stand in the state: as it is, or marked where it holds credentials of others. */
export const withoutForeignCredentials = (text: string): string =>
	holdsUrlCredentials(text) ? `${FOREIGN_VALUE} ${withoutUrlCredentials(text)}` : text;

/** Version 0.1.0 put the masked URL alone into the state. */
const MASKED_URL = "://***@";

export const isForeign = (value: unknown): boolean =>
	typeof value === "string" && (value.startsWith(FOREIGN_VALUE) || value.includes(MASKED_URL));

/** True where the value, or anything inside it, is a mark. */
export function containsForeign(value: unknown): boolean {
	if (isForeign(value)) return true;
	return typeof value === "object" && value !== null && Object.values(value).some(containsForeign);
}

/** The declared part of a value: what a mark stands for is not the program's, and is not checked. */
export function withoutMarks(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).filter(([, item]) => !containsForeign(item)));
}
