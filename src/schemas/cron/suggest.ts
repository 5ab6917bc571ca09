import { DAY_OF_WEEK, HOUR, normalizeCron, WEEKDAYS } from "./fields";
import { nextRuns } from "./next-runs";
import { isValidCron } from "./parse";

/**
 * What a wrong expression was probably meant to be, where that is clear; undefined where it is a guess.
 * Each repair is one habit carried over from another scheduler.
 */
export function suggestCron(expression: string): string | undefined {
	const text = normalizeCron(expression).toLowerCase();
	const candidates = [`@${text}`, withoutSeconds(text), repairFields(text)];
	return candidates.find((candidate) => candidate !== undefined && isValidCron(candidate));
}

/** "Did you mean …, which next runs at …": the end of an error message, or nothing where no repair is clear. */
export function cronHint(expression: string, now: Date): string {
	const suggestion = suggestCron(expression);
	if (suggestion === undefined) return "";
	const runs = nextRuns(suggestion, now, 3).map((run) => run.toISOString().replace(":00.000Z", "Z"));
	return ` Did you mean "${suggestion}"? It would next run at ${runs.join(", ")}.`;
}

/** Quartz and others put seconds first; some put a year last. */
function withoutSeconds(text: string): string | undefined {
	const fields = text.split(" ");
	const hasSeconds = fields.length === 7 || (fields.length === 6 && fields[0] === "0");
	return hasSeconds ? repairFields(fields.slice(1, 6).join(" ")) : undefined;
}

function repairFields(text: string): string | undefined {
	const fields = text.split(" ");
	if (fields.length !== 5) return undefined;
	return fields
		.map((field, index) => {
			if (field === "?") return "*";
			if (index === HOUR && field === "24") return "0";
			if (index === DAY_OF_WEEK) return lastWeekday(field) ?? field;
			return field;
		})
		.join(" ");
}

/** Others write the last Friday as friL or fri#L; 5L is a Thursday to some, and stays a guess. */
function lastWeekday(field: string): string | undefined {
	const weekday = WEEKDAYS.indexOf(/^([a-z]{3})#?l$/.exec(field)?.[1] ?? "");
	return weekday < 0 ? undefined : `L${weekday}`;
}
