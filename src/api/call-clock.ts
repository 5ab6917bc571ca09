import { LONGEST_TIMER } from "../schemas/duration";

/** Why a call's clock stopped it. */
export type Stop = "aborted" | "deadline";

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
	private readonly startedAt = performance.now();
	/** Time of the pauses that are over. */
	private paused = 0;
	private pausedSince: number | undefined;

	constructor(
		readonly limitMillis: number,
		...callers: readonly (AbortSignal | undefined)[]
	) {
		this.callers = callers.filter((signal) => signal !== undefined);
		this.run(limitMillis);
		if (this.callers.some(({ aborted }) => aborted)) this.stop("aborted");
		else for (const caller of this.callers) caller.addEventListener("abort", this.cancel, { once: true });
	}

	get leftMillis(): number {
		return this.limitMillis - (performance.now() - this.startedAt - this.pausedMillis);
	}

	/** How long the clock has stood still so far. */
	get pausedMillis(): number {
		return this.paused + (this.pausedSince === undefined ? 0 : performance.now() - this.pausedSince);
	}

	/** Stops the deadline from coming nearer; the callers' signals still end the call. */
	pause(): void {
		this.pausedSince ??= performance.now();
		clearTimeout(this.timer);
	}

	resume(): void {
		if (this.pausedSince === undefined) return;
		this.paused = this.pausedMillis;
		this.pausedSince = undefined;
		this.run(Math.max(0, this.leftMillis));
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

	private run(millis: number): void {
		if (this.stopped) return;
		this.timer = setTimeout(() => this.stop("deadline"), Math.min(millis, LONGEST_TIMER));
	}

	private stop(by: Stop): void {
		this.stopped ??= by;
		this.controller.abort();
	}
}
