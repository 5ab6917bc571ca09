const TEXT = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;

/** The longest that a timer of Node can run, in milliseconds; a longer one would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Milliseconds of `90s`, `10m` or `1h30m`, or of a number of seconds; undefined if it is neither, or too long. */
export function parseDuration(value: string | number): number | undefined {
	const millis = typeof value === "number" ? value * 1_000 : textMillis(value);
	return millis !== undefined && millis > 0 && millis <= LONGEST_TIMER
		? millis
		: undefined;
}

function textMillis(text: string): number | undefined {
	const match = TEXT.exec(text);
	if (match === null) return undefined;
	const [, hours = 0, minutes = 0, seconds = 0] = match;
	return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

/** `1 h 30 min`, for people. */
export function describeMillis(millis: number): string {
	const seconds = Math.round(millis / 1_000);
	const parts = [
		[Math.floor(seconds / 3_600), "h"],
		[Math.floor((seconds % 3_600) / 60), "min"],
		[seconds % 60, "s"],
	] as const;
	const words = parts
		.filter(([amount]) => amount > 0)
		.map(([amount, unit]) => `${amount} ${unit}`);
	return words.length > 0 ? words.join(" ") : `${millis} ms`;
}
