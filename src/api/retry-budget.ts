const EARNED_PER_SUCCESS = 0.1;

/**
 * Bounds the retries of all calls of one client together. It starts full; each retry takes one, each
 * success gives a tenth back. While the service is dead, a thousand calls therefore send about a thousand
 * requests and not five thousand; with one failure in ten or fewer the budget never runs out. What the service sends
 * away as "too many requests" takes nothing: the queue in `admission.ts` bounds that.
 */
export class RetryBudget {
	private left: number;

	constructor(private readonly capacity: number) {
		this.left = capacity;
	}

	/** Takes one retry; false where none is left. */
	take(): boolean {
		if (this.left < 1) return false;
		this.left -= 1;
		return true;
	}

	succeeded(): void {
		this.left = Math.min(this.capacity, this.left + EARNED_PER_SUCCESS);
	}
}
