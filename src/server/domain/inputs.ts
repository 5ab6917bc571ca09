import { CRON_MACROS, CronError, parseCron } from "../../schemas/cron";
import { parseEnvironment } from "../../schemas/environment";
import { parseInstant } from "../../schemas/instant";
import { invalid, notFound } from "../refusal";
import type { TeamState } from "../state";

/** The expression as it is stored; a wrong one is the sender's mistake, told in the parser's words. */
export function readCron(expression: string, normalise: boolean): string {
	try {
		parseCron(expression);
	} catch (error) {
		if (error instanceof CronError) throw invalid(`cron_expression: ${error.message}`);
		throw error;
	}
	const text = expression.trim();
	if (!normalise) return expression;
	return CRON_MACROS[text.toLowerCase()] ?? text.split(/\s+/).join(" ");
}

export function readInstant(field: string, text: string): number {
	const instant = parseInstant(text);
	if (instant === undefined) throw invalid(`${field}: "${text.slice(0, 60)}" is not an ISO 8601 date-time.`);
	return instant;
}

/** The message names the variable at most, never a value. */
export function readEnvironment(text: string): Record<string, string> {
	try {
		return parseEnvironment(text);
	} catch (error) {
		if (error instanceof TypeError)
			throw invalid(`environment: ${error.message.replace(/^Environment: /, "")}`);
		throw error;
	}
}

export function requireFiles(team: TeamState, ids: readonly string[]): string[] {
	for (const id of ids) {
		if (!team.files.some((file) => String(file.id) === id)) {
			throw notFound(`files: team "${team.name}" has no uploaded file "${id.slice(0, 60)}".`);
		}
	}
	return [...ids];
}
