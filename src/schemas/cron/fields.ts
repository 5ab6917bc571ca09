/** The five fields of a cron expression, in order, with the values each may take. */
export interface CronField {
	readonly name: string;
	readonly min: number;
	readonly max: number;
	readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const CRON_FIELDS: readonly CronField[] = [
	{ name: "minute", min: 0, max: 59 },
	{ name: "hour", min: 0, max: 23 },
	{ name: "day of month", min: 1, max: 31 },
	{ name: "month", min: 1, max: 12, names: MONTHS },
	// 7 is Sunday as well as 0, as everywhere; `read-part.ts` folds it into 0.
	{ name: "day of week", min: 0, max: 6, names: WEEKDAYS },
];

export const MINUTE = 0;
export const HOUR = 1;
export const DAY_OF_MONTH = 2;
export const MONTH = 3;
export const DAY_OF_WEEK = 4;

export const CRON_MACROS: Readonly<Record<string, string>> = {
	"@hourly": "0 * * * *",
	"@daily": "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *",
	"@yearly": "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
};

/** The expression as it is sent to the service, which reads no macro with white space around it. */
export const normalizeCron = (expression: string): string => expression.trim().split(/\s+/).join(" ");
