const PART = /(\d{1,9})(h|m|s)/g;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };
const WHOLE = /^(?=\d)(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?$/;

/** As long as a timer can run. */
export const LONGEST_MILLIS = 2 ** 31 - 1;

/** Milliseconds of `90s`, `10m` or `1h30m`, or of a number of seconds; undefined where it is neither, or too long. */
export function parseDuration(value: string | number): number | undefined {
	const millis = typeof value === "number" ? value * 1_000 : textMillis(value);
	return millis !== undefined && millis > 0 && millis <= LONGEST_MILLIS ? millis : undefined;
}

function textMillis(text: string): number | undefined {
	if (!WHOLE.test(text)) return undefined;
	let sum = 0;
	for (const [, amount, unit = ""] of text.matchAll(PART)) sum += Number(amount) * (UNITS[unit] ?? 0);
	return sum;
}

/** `1 h 30 min`, for people. */
export function describeMillis(millis: number): string {
	const seconds = Math.round(millis / 1_000);
	const parts = [
		[Math.floor(seconds / 3_600), "h"],
		[Math.floor((seconds % 3_600) / 60), "min"],
		[seconds % 60, "s"],
	] as const;
	const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
	return shown.length > 0 ? shown.join(" ") : `${millis} ms`;
}
