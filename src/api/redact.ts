import { errorReplySchema } from "../schemas/feedback";

const LONGEST_MESSAGE = 500;

/** Fields that say which object a message is about, in the order in which they are shown. */
const NAMING_FIELDS = [
	"schedule_name",
	"schedule_id",
	"pipeline_name",
	"name",
	"pipeline_id",
	"query_name",
	"job_id",
];

/** The service's `{"message"}`, fit to print: secrets out, control characters out, not too long. */
export function cleanServerMessage(reply: unknown, secrets: readonly string[]): string | undefined {
	const parsed = errorReplySchema.safeParse(reply);
	if (!parsed.success) return undefined;
	let text = parsed.data.message;
	// Before anything is cut, or half a secret could remain.
	for (const secret of secrets) text = text.split(secret).join("[redacted]");
	return printable(text, LONGEST_MESSAGE);
}

/** Fields that hold the user's own code, or URLs that may have a password in them. */
const PRIVATE_FIELDS = ["query", "repository", "requirements"];

/**
 * What of a request must not come back in a message: the token, each environment value long enough to matter, and
 * private fields; as they are and as JSON would write them. Longest first, or one that contains another would
 * leave its rest behind.
 */
export function secretsOf(token: string, request: Readonly<Record<string, unknown>>): string[] {
	const { environment } = request;
	const lines = typeof environment === "string" ? environment.split(/\r?\n/) : [];
	const values = lines.map((line) => line.slice(line.indexOf("=") + 1).trim());
	const texts = [environment, ...PRIVATE_FIELDS.map((field) => request[field]), ...values].filter(
		(text): text is string => typeof text === "string" && text.length >= 4,
	);
	const escaped = texts.map((text) => JSON.stringify(text).slice(1, -1));
	return [...new Set([token, ...texts, ...escaped])].sort((a, b) => b.length - a.length);
}

/** ` (schedule_name "nightly", schedule_id 7)`, or nothing where the request names no object. */
export function whichObject(request: Readonly<Record<string, unknown>>): string {
	const named = NAMING_FIELDS.flatMap((field) => {
		const value = request[field];
		if (typeof value === "number") return [`${field} ${value}`];
		return typeof value === "string" && value !== "" ? [`${field} "${printable(value, 100)}"`] : [];
	});
	return named.length === 0 ? "" : ` (${named.join(", ")})`;
}

export function printable(text: string, longest: number): string {
	const clean = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
	return clean.length > longest ? `${clean.slice(0, longest).replace(/\p{Cs}$/u, "")}…` : clean;
}
