/**
 * Timestamps as instants. The service writes `2025-08-18T09:31:11.896956+00:00`, users write `…Z`, and a
 * start time may come without an offset, which the service reads as UTC.
 */
const ISO =
	/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

/** The service's own spelling, on a day that every month has: a large team has a hundred thousand of them. */
const USUAL =
	/^(?!0000)(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;

/** Milliseconds since the epoch, or undefined if the text is not a date-time that exists. */
export function parseInstant(text: string): number | undefined {
	return USUAL.test(text) ? Date.parse(text) : readInstant(text)?.millis;
}

/**
 * True when two timestamps name the same moment, as far as the coarser of them tells: in seconds, milliseconds,
 * microseconds or nanoseconds. A service may write one moment with and without its fraction. Unreadable ones are the
 * same only when spelled alike.
 */
export function sameInstant(a: string, b: string): boolean {
	if (a === b) return true;
	const [left, right] = [readInstant(a), readInstant(b)];
	if (left === undefined || right === undefined) return false;
	const digits = Math.min(left.fraction.length, right.fraction.length);
	return (
		Math.floor(left.millis / 1000) === Math.floor(right.millis / 1000) &&
		left.fraction.slice(0, digits) === right.fraction.slice(0, digits)
	);
}

/**
 * `offset` is in minutes before UTC, `fraction` the digits of the second's fraction in full groups of three: `.5` says
 * 500 milliseconds.
 */
function readInstant(text: string) {
	const match = ISO.exec(text.trim());
	if (!match) return undefined;
	const [
		,
		year,
		month,
		day,
		hour = "00",
		minute = "00",
		second = "00",
		fraction = "",
		zone = "Z",
	] = match;
	const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}`;
	const asUtc = Date.parse(`${local}Z`);
	// Date.parse turns 31 February into 3 March; what does not read back is not a date.
	if (Number.isNaN(asUtc) || new Date(asUtc).toISOString() !== `${local}Z`)
		return undefined;
	const offset = offsetMinutes(zone);
	const millis = asUtc - offset * 60_000;
	// In UTC the year needs four digits, and Python's dates, which the service uses, begin with year 1.
	const utcYear = new Date(millis).getUTCFullYear();
	if (utcYear < 1 || utcYear > 9999) return undefined;
	return { millis, offset, fraction: inThrees(fraction) };
}

const inThrees = (fraction: string): string =>
	fraction.padEnd(Math.ceil(fraction.length / 3) * 3, "0");

/** The form the service uses: microseconds and an explicit offset. */
export function formatInstant(millis: number): string {
	return new Date(millis).toISOString().replace(/\.(\d{3})Z$/, ".$1000+00:00");
}

/** The instant in UTC, as the service documents its timestamps. A text that is in UTC already stays as it is. */
export function inUtc(text: string): string {
	const { millis = 0, offset = 0, fraction = "" } = readInstant(text) ?? {};
	if (offset === 0) return text;
	return `${new Date(millis).toISOString().slice(0, 19)}${fraction && `.${fraction}`}+00:00`;
}

/**
 * How people see an instant, in outputs, messages and reports: `2026-01-31T03:00:00Z`, with a fraction only if it has
 * one. A text that is no instant stays as it is.
 */
export function showInstant(at: number | string): string {
	// A forecast writes millions of them.
	if (typeof at === "number") return new Date(at).toISOString().replace(".000Z", "Z");
	const [, usual, digits = ""] = USUAL.exec(at) ?? [];
	if (usual !== undefined) return withoutZeros(usual, inThrees(digits));
	const instant = readInstant(at);
	return instant === undefined
		? at
		: withoutZeros(
				new Date(instant.millis).toISOString().slice(0, 19),
				instant.fraction,
			);
}

function withoutZeros(seconds: string, fraction: string): string {
	const digits = fraction.replace(/(000)+$/, "");
	return `${seconds}${digits && `.${digits}`}Z`;
}

/** The same of a reply, which may have none. */
export const showInstantOf = (at: string | null | undefined): string | null =>
	at ? showInstant(at) : null;

/** Of `+05:30`, `-0530` or `+05`; none of `Z`. */
function offsetMinutes(zone: string): number {
	const sign = zone.startsWith("-") ? -1 : 1;
	const digits = zone.slice(1).replace(":", "");
	return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
}
