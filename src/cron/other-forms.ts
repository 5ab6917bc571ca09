/** The forms in which other schedulers say when something runs, as five fields of crontab. */

/** EventBridge has a year behind the five fields, and counts the days of the week from 1, Sunday. */
function fromEventBridge(text: string): string | undefined {
	const fields = /^cron\((.*)\)$/.exec(text)?.[1]?.trim().split(" ") ?? [];
	const [minute, hour, date = "", month, weekday = "", year] = fields;
	// The last or the n-th weekday of a month is spelled in another way.
	if (
		fields.length !== 6 ||
		year !== "*" ||
		/[lw#]/.test(date) ||
		/(^|\d)[lw]|#/.test(weekday)
	)
		return undefined;
	const days = weekday.replace(/\d+/g, (day) => String(Number(day) - 1));
	return [minute, hour, anyIsStar(date), month, anyIsStar(days)].join(" ");
}

const anyIsStar = (field: string): string => (field === "?" ? "*" : field);

const DURATION = /^(?:rate\(|@?every )(?:(\d+) ?)?(m|h|d|minute|hour|day)s?\)?$/;

/** `rate(5 minutes)`, `@every 1h`, `every day`: only what divides the next larger unit repeats evenly in crontab. */
function fromDuration(text: string): string | undefined {
	const [, given, unit = ""] = DURATION.exec(text) ?? [];
	if (unit === "" || (given === undefined && text.startsWith("rate"))) return undefined;
	const count = Number(given ?? 1);
	if (unit.startsWith("d")) return count === 1 ? "0 0 * * *" : undefined;
	const isMinutes = unit.startsWith("m");
	if (count < 1 || (isMinutes ? 60 : 24) % count !== 0) return undefined;
	const step = count === 1 ? "*" : `*/${count}`;
	return isMinutes ? `${step} * * * *` : `0 ${step} * * *`;
}

/** `03:30` */
function fromTimeOfDay(text: string): string | undefined {
	const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
	return hour === undefined ? undefined : `${Number(minute)} ${Number(hour)} * * *`;
}

const withoutQuotes = (text: string): string | undefined =>
	/^(["'`])(.*)\1$/.exec(text)?.[2];

/** What the text may mean; whether that is a cron expression must be checked. `text` is in lower case. */
export const fromOtherForm = (text: string): string | undefined =>
	fromEventBridge(text) ??
	fromDuration(text) ??
	fromTimeOfDay(text) ??
	withoutQuotes(text);
