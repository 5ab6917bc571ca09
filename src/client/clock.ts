import { setMaxListeners } from "node:events";
import { LONGEST_TIMER } from "../text/duration";
import {
	AbortedError,
	type ApiError,
	type CallFacts,
	type WasReceived,
} from "./errors";
import { TimeoutError } from "./network-errors";

/** Why a call's clock stopped it. */
type Stop = "aborted" | "deadline";

/**
 * The time of a call, or of an operation of several calls: a signal that fires at the deadline or when a caller gives
 * up, and waits that end with it. It listens on the callers' signals itself, because AbortSignal.any keeps its sources
 * alive in older Node 20.
 */
export class Clock {
	private readonly controller = new AbortController();
	readonly signal: AbortSignal = this.controller.signal;
	/** Undefined while it runs or is paused. */
	stopped: Stop | undefined;
	/** True once nobody needs it any more. */
	closed = false;
	private readonly callers: readonly AbortSignal[];
	private timer: NodeJS.Timeout | undefined;
	private readonly startedAt = performance.now();
	/** Those who have paused it and not resumed it yet. */
	private pauses = 0;
	/** Time of the pauses that are over. */
	private paused = 0;
	private pausedSince = 0;

	constructor(
		readonly limitMillis: number,
		...callers: readonly AbortSignal[]
	) {
		this.callers = callers;
		// All calls of a scope listen to its signal, and Node takes more than ten listeners for a leak.
		for (const caller of this.callers) setMaxListeners(0, caller);
		this.run(limitMillis);
		if (this.callers.some(({ aborted }) => aborted)) this.stop("aborted");
		else
			for (const caller of this.callers) caller.addEventListener("abort", this.cancel);
	}

	get leftMillis(): number {
		return this.limitMillis - (performance.now() - this.startedAt - this.pausedMillis);
	}

	/** How long the clock has stood still so far. */
	get pausedMillis(): number {
		return this.paused + (this.pauses === 0 ? 0 : performance.now() - this.pausedSince);
	}

	/**
	 * Stops the deadline from coming nearer until whoever paused it resumes it, and everybody else who did. The callers'
	 * signals still end the call.
	 */
	pause(): void {
		if (this.pauses === 0) {
			this.pausedSince = performance.now();
			clearTimeout(this.timer);
		}
		this.pauses += 1;
	}

	resume(): void {
		if (this.pauses === 1) this.paused = this.pausedMillis;
		this.pauses -= 1;
		if (this.pauses === 0) this.run(Math.max(0, this.leftMillis));
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
		this.closed = true;
		clearTimeout(this.timer);
		for (const caller of this.callers) caller.removeEventListener("abort", this.cancel);
	}

	private run(millis: number): void {
		if (this.stopped || this.closed) return;
		this.timer = setTimeout(
			() => this.stop("deadline"),
			Math.min(millis, LONGEST_TIMER),
		);
	}

	private stop(by: Stop): void {
		this.stopped ??= by;
		this.controller.abort();
	}
}

/** The error of a call that its clock ended: cancelled, or out of time. */
export function stopError(
	call: CallFacts,
	clock: Clock,
	received: WasReceived,
): ApiError {
	if (clock.stopped === "aborted") return new AbortedError(call, received);
	return new TimeoutError(call, "deadline", received, clock.limitMillis);
}
