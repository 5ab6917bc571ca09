import { CRON_MACROS, CronError, nextRuns, normalizeCron, parseCron } from "../cron";
import { formatInstant, parseInstant } from "../text/instant";
import type { TeamState } from "./state";

/** A request the server answers with an error status and `{"message"}`. Messages never quote secrets or bodies. */
export class Refusal extends Error {
	override readonly name = "Refusal";

	constructor(
		readonly status: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}

export const invalid = (message: string): Refusal => new Refusal(400, message);
export const forbidden = (message: string): Refusal => new Refusal(403, message);
export const notFound = (message: string): Refusal => new Refusal(404, message);
export const conflict = (message: string): Refusal => new Refusal(409, message);

/**
 * The expression as it is stored; a wrong one is the sender's mistake, told in the parser's words. It is read as croniter
 * does, which takes what other schedulers read in another way, and no macro with white space around it.
 */
export function readCron(
	expression: string | undefined,
	normalise: boolean,
): string | undefined {
	if (expression === undefined) return undefined;
	try {
		parseCron(expression);
	} catch (error) {
		if (error instanceof CronError) throw invalid(`cron_expression: ${error.message}`);
		throw error;
	}
	const text = normalizeCron(expression);
	if (text.startsWith("@") && text !== expression) {
		throw invalid(`cron_expression: "${text}" has white space around it.`);
	}
	return normalise ? (CRON_MACROS[text.toLowerCase()] ?? text) : expression;
}

/** The first time the cron fires that is after now and not before the start; without a cron, the start. */
export function nextRun(
	cron: string | null,
	start: number,
	now: number,
): number | null {
	if (cron === null) return start;
	return nextRuns(cron, new Date(Math.max(now, start - 1)), 1)[0]?.getTime() ?? null;
}

/** The same instant in the service's own form. */
export function readInstant(
	field: string,
	text: string | undefined,
): string | undefined {
	if (text === undefined) return undefined;
	const millis = parseInstant(text);
	if (millis === undefined)
		throw invalid(`${field}: "${text.slice(0, 60)}" is not an ISO 8601 date-time.`);
	return formatInstant(millis);
}

/** The milliseconds of an instant that the server wrote itself. */
export const millisOf = (text: string | null): number | null =>
	text === null ? null : Date.parse(text);

/** What Python's `splitlines` takes for the end of a line, because the service is most likely written in Python. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that end a line there.
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/**
 * NAME=VALUE lines; blank lines and lines that start with # are skipped, and later lines win. Any name is kept as it
 * is: what a name may be is for the shell that runs the job. The message names the variable at most, never a value.
 */
export function readEnvironment(text: string): Record<string, string> {
	const variables: [string, string][] = [];
	for (const [index, line] of text.split(LINE_ENDS).entries()) {
		if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
		const at = line.indexOf("=");
		// The text is not shown: a line without a name is often the rest of a secret that spans several.
		if (at < 1)
			throw invalid(
				`environment: line ${index + 1} does not have the form NAME=VALUE.`,
			);
		const name = line.slice(0, at);
		if (line.includes("\0"))
			throw invalid(`environment: the value of ${name} has a NUL.`);
		variables.push([name, line.slice(at + 1)]);
	}
	// Made of entries, because assigning `__proto__`, a legal name, would lose it.
	return Object.fromEntries(variables);
}

export function requireFiles(team: TeamState, ids: readonly string[]): string[] {
	const unknown = ids.find((id) => !team.files.some((file) => String(file.id) === id));
	if (unknown === undefined) return [...ids];
	throw notFound(
		`files: team "${team.name}" has no uploaded file "${unknown.slice(0, 60)}".`,
	);
}

/** Of the records that are wanted the newest first, 20 unless a limit is given. */
export function newest<R>(
	records: readonly R[],
	limit = 20,
	isWanted: (record: R) => boolean,
): R[] {
	return records.filter(isWanted).slice(-limit).reverse();
}
