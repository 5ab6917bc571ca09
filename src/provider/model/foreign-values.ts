import { holdsUrlCredentials, withoutUrlCredentials } from "../../text/credentials";

/**
 * A foreign value may be a secret of other users, so the state holds a placeholder for it. With `ignoreChanges` the engine
 * hands the placeholder back as if the program had declared it, and then it stands for the live value. No request ever
 * carries one.
 */
export const FOREIGN_VALUE = "(set outside Pulumi)";

/** The text as it may stand in the state: as it is, or as a placeholder if it holds foreign credentials. */
export const withoutForeignCredentials = (text: string): string =>
	holdsUrlCredentials(text) ? `${FOREIGN_VALUE} ${withoutUrlCredentials(text)}` : text;

export const isForeign = (value: unknown): boolean =>
	typeof value === "string" && value.startsWith(FOREIGN_VALUE);

/** Whether the value, or anything inside it, is a placeholder. */
export function containsForeign(value: unknown): boolean {
	if (isForeign(value)) return true;
	return (
		typeof value === "object" &&
		value !== null &&
		Object.values(value).some(containsForeign)
	);
}

/** The declared part of a value: a placeholder is not the program's, and is not checked. */
export function withoutPlaceholders(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(
		Object.entries(value).filter(([, item]) => !containsForeign(item)),
	);
}
