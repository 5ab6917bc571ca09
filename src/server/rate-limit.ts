import type { RuleOf } from "./fault-rules";

/** Counts requests as a service with a rate limit does. */
export class RateLimit {
	#rule: RuleOf<"rate-limit">;
	/** What is left in the window or in the bucket, and since when that has been so. */
	#left: number;
	#since: number;

	constructor(
		rule: RuleOf<"rate-limit">,
		private readonly now: () => number,
	) {
		this.#rule = rule;
		this.#left = rule.limit;
		this.#since = now();
	}

	/** Undefined for a request that may pass, and then it counts; else how many seconds to wait, rounded up. */
	take(): number | undefined {
		this.#refill();
		if (this.#left >= 1) {
			this.#left--;
			return undefined;
		}
		const millis =
			this.#rule.shape === "window"
				? this.#since + this.#rule.windowMs - this.now()
				: ((1 - this.#left) / this.#rule.perSecond) * 1_000;
		return Math.ceil(millis / 1_000);
	}

	#refill(): void {
		const { limit } = this.#rule;
		const passed = this.now() - this.#since;
		if (this.#rule.shape === "bucket") {
			this.#left = Math.min(limit, this.#left + (passed / 1_000) * this.#rule.perSecond);
			this.#since = this.now();
		} else if (passed >= this.#rule.windowMs || passed < 0) {
			this.#left = limit;
			// Windows follow each other without a gap, whenever requests come.
			this.#since = this.now() - (Math.max(0, passed) % this.#rule.windowMs);
		}
	}
}
