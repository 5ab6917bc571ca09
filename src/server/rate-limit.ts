import type { RuleOf } from "./fault-rules";

/**
 * Counts requests as a service with a rate limit does. The result is asked for each request: undefined for one that
 * may pass, and then it counts; else how many seconds to wait, rounded up.
 */
export function rateLimit(rule: RuleOf<"rate-limit">, now: () => number): () => number | undefined {
	/** What is left in the window or in the bucket, and since when that has been so. */
	let left = rule.limit;
	let since = now();
	return () => {
		const passed = now() - since;
		if (rule.shape === "bucket") {
			left = Math.min(rule.limit, left + (passed / 1_000) * rule.perSecond);
			since = now();
		} else if (passed >= rule.windowMs || passed < 0) {
			left = rule.limit;
			// Windows follow each other without a gap, whenever requests come.
			since = now() - (Math.max(0, passed) % rule.windowMs);
		}
		if (left >= 1) {
			left--;
			return undefined;
		}
		const millis =
			rule.shape === "window" ? since + rule.windowMs - now() : ((1 - left) / rule.perSecond) * 1_000;
		return Math.ceil(millis / 1_000);
	};
}
