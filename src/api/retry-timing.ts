const BASE_MILLIS = 200;
const CAP_MILLIS = 8_000;

/**
 * Full jitter: anything between nothing and a ceiling that doubles, so that clients that failed together do not
 * come back together.
 */
export function backoffMillis(attempt: number, random: () => number): number {
	const ceiling = Math.min(CAP_MILLIS, BASE_MILLIS * 2 ** Math.min(attempt - 1, 30));
	return Math.floor(random() * ceiling);
}

/** Reads Retry-After, seconds or an HTTP date, as milliseconds from now; undefined where it is neither. */
export function retryAfterMillis(header: string | undefined, now: number): number | undefined {
	const text = header?.trim() ?? "";
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	// Date.parse also takes bare numbers and other strange things; HTTP dates start with a weekday.
	if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
	const at = Date.parse(text);
	return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
