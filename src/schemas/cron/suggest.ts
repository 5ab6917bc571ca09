import { CRON_MACROS } from "./fields";
import { nextRuns } from "./next-runs";
import { isValidCron } from "./parse";

/**
 * What a wrong expression was probably meant to be, where that is clear; undefined where it is a guess.
 * Each repair is one habit carried over from another scheduler.
 */
export function suggestCron(expression: string): string | undefined {
	const text = expression.trim().toLowerCase();
	const candidates = [macroWithoutAt(text), ...sixFields(text), repairFields(text)];
	return candidates.find((candidate) => candidate !== undefined && isValidCron(candidate));
}

/** "Did you mean …, which next runs at …": the end of an error message, or nothing where no repair is clear. */
export function cronHint(expression: string, now: Date): string {
	const suggestion = suggestCron(expression);
	if (suggestion === undefined) return "";
	const runs = nextRuns(suggestion, now, 3).map((run) => run.toISOString().replace(":00.000Z", "Z"));
	return ` Did you mean "${suggestion}"? It would next run at ${runs.join(", ")}.`;
}

function macroWithoutAt(text: string): string | undefined {
	return CRON_MACROS[`@${text}`] === undefined ? undefined : `@${text}`;
}

/** Quartz and others put seconds first; some put a year last. */
function sixFields(text: string): (string | undefined)[] {
	const fields = text.split(/\s+/);
	if (fields.length === 7) return [repairFields(fields.slice(1, 6).join(" "))];
	if (fields.length !== 6) return [];
	return fields[0] === "0" ? [repairFields(fields.slice(1).join(" "))] : [];
}

function repairFields(text: string): string | undefined {
	const fields = text.split(/\s+/);
	if (fields.length !== 5) return undefined;
	return fields
		.map((field, index) => {
			if (field === "?") return "*";
			if (index === 1 && field === "24") return "0";
			const step = /^(\d+)\/(\d+)$/.exec(field);
			if (step && index === 0) return `${step[1]}-59/${step[2]}`;
			if (step && index === 1) return `${step[1]}-23/${step[2]}`;
			const down = /^(\d+)-(\d+)$/.exec(field);
			// Hours that count down mean "over midnight"; elsewhere the wish is not clear.
			if (down && index === 1 && Number(down[1]) > Number(down[2])) return `${down[1]}-23,0-${down[2]}`;
			return field;
		})
		.join(" ");
}
