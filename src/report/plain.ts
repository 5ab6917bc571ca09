/**
 * Names come from a server that others write to: control characters, among them those that steer a terminal or turn
 * the direction of text, become spaces.
 */
export function plain(text: string, longest = 120): string {
	const clean = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
	const shown = [...clean];
	return shown.length > longest ? `${shown.slice(0, longest - 1).join("")}…` : clean;
}

/** `2026-01-31 03:00 UTC`; what cannot be read is shown as it came. */
export function moment(timestamp: string | null, length = "2026-01-31T03:00".length): string {
	if (timestamp === null) return "unknown";
	const millis = Date.parse(timestamp);
	if (Number.isNaN(millis)) return plain(timestamp);
	return `${new Date(millis).toISOString().slice(0, length).replace("T", " ")} UTC`;
}

/** The same with seconds where there are some: two instants that differ must not look alike. */
export const exactMoment = (timestamp: string): string =>
	moment(timestamp, Date.parse(timestamp) % 60_000 === 0 ? undefined : "2026-01-31T03:00:00".length);

/** `3 runs`, `1 run`. */
export const many = (count: number, what: string): string =>
	`${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
