/** Why a call's clock stopped it. */
export type Stop = "aborted" | "deadline";

/**
 * One call's time: a signal that fires at the deadline or when the caller gives up, and waits that end with it.
 * It listens on the caller's signal itself, because AbortSignal.any keeps its sources alive in older Node 20.
 */
export class CallClock {
	private readonly controller = new AbortController();
	private readonly timer: NodeJS.Timeout;
	private readonly endsAt: number;
	private stoppedBy: Stop | undefined;

	constructor(
		readonly limitMillis: number,
		private readonly caller: AbortSignal | undefined,
	) {
		this.endsAt = performance.now() + limitMillis;
		this.timer = setTimeout(() => this.stop("deadline"), Math.min(limitMillis, 2 ** 31 - 1));
		if (caller?.aborted) this.stop("aborted");
		else caller?.addEventListener("abort", this.onAbort, { once: true });
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	get stopped(): Stop | undefined {
		return this.stoppedBy;
	}

	get leftMillis(): number {
		return this.endsAt - performance.now();
	}

	/** Resolves after the wait, or at once when the clock stops; ask `stopped` which. */
	async wait(millis: number): Promise<void> {
		if (this.signal.aborted) return;
		await new Promise<void>((resolve) => {
			const done = () => {
				clearTimeout(timer);
				this.signal.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, millis);
			this.signal.addEventListener("abort", done);
		});
	}

	/** As if the caller's signal had fired. */
	cancel(): void {
		this.stop("aborted");
	}

	/** Must be called when the call is over, so that neither timer nor listener outlives it. */
	close(): void {
		clearTimeout(this.timer);
		this.caller?.removeEventListener("abort", this.onAbort);
	}

	private readonly onAbort = (): void => this.stop("aborted");

	private stop(by: Stop): void {
		this.stoppedBy ??= by;
		this.controller.abort();
	}
}
