import { holdsUrlCredentials } from "./url-credentials";

/** Settings whose text can hold the credentials of a URL: `https://user:password@host/…`, `https://token@host/…`. */
export const URL_FIELDS = ["repository", "requirements"] as const;

/** True of a text, or of a list with a text, that must not be stored in clear. */
export const holdsCredentials = (value: unknown): boolean =>
	Array.isArray(value)
		? value.some(holdsCredentials)
		: typeof value === "string" && holdsUrlCredentials(value);
