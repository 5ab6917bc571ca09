/** Why a call's clock stopped it. */
export type Stop = "aborted" | "deadline";

/** The longest that a timer of Node can run; a longer one would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * One call's time: a signal that fires at the deadline or when the caller gives up, and waits that end with it.
 * It listens on the callers' signals itself, because AbortSignal.any keeps its sources alive in older Node 20.
 */
export class CallClock {
	private readonly controller = new AbortController();
	readonly signal: AbortSignal = this.controller.signal;
	/** Undefined while it runs or is paused. */
	stopped: Stop | undefined;
	private readonly callers: readonly AbortSignal[];
	private timer: NodeJS.Timeout | undefined;
	/** Time used up before the present stretch, and when that began; undefined while the clock is paused. */
	private usedMillis = 0;
	private runningSince: number | undefined;
	private paused = 0;
	private pausedSince = 0;

	constructor(
		readonly limitMillis: number,
		...callers: readonly (AbortSignal | undefined)[]
	) {
		this.callers = callers.filter((signal) => signal !== undefined);
		this.run();
		if (this.callers.some(({ aborted }) => aborted)) this.stop("aborted");
		else for (const caller of this.callers) caller.addEventListener("abort", this.cancel, { once: true });
	}

	get leftMillis(): number {
		const running = this.runningSince === undefined ? 0 : performance.now() - this.runningSince;
		return this.limitMillis - this.usedMillis - running;
	}

	/** How long the clock has stood still so far. */
	get pausedMillis(): number {
		return this.paused + (this.runningSince === undefined ? performance.now() - this.pausedSince : 0);
	}

	/** Stops the deadline from coming nearer; the callers' signals still end the call. */
	pause(): void {
		if (this.runningSince === undefined) return;
		this.pausedSince = performance.now();
		this.usedMillis += this.pausedSince - this.runningSince;
		this.runningSince = undefined;
		clearTimeout(this.timer);
	}

	resume(): void {
		if (this.runningSince !== undefined) return;
		this.paused += performance.now() - this.pausedSince;
		this.run();
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
			const timer = setTimeout(done, Math.min(millis, LONGEST_TIMER));
			this.signal.addEventListener("abort", done);
		});
	}

	/** As if the caller's signal had fired. */
	readonly cancel = (): void => this.stop("aborted");

	/** Must be called when the call is over, so that neither timer nor listener outlives it. */
	close(): void {
		clearTimeout(this.timer);
		for (const caller of this.callers) caller.removeEventListener("abort", this.cancel);
	}

	private run(): void {
		this.runningSince = performance.now();
		if (this.stopped) return;
		const left = Math.max(0, this.limitMillis - this.usedMillis);
		this.timer = setTimeout(() => this.stop("deadline"), Math.min(left, LONGEST_TIMER));
	}

	private stop(by: Stop): void {
		this.stopped ??= by;
		this.controller.abort();
	}
}
