import { LONGEST_TIMER } from "../schemas/duration";
import { Pace } from "./pace";

/** The passing of time, so that a test can make it pass. */
export interface Time {
	now(): number;
	/** Runs once after the wait; the result calls it off. */
	after(millis: number, run: () => void): () => void;
}

const realTime: Time = {
	now: () => performance.now(),
	after: (millis, run) => {
		const timer = setTimeout(run, Math.min(millis, LONGEST_TIMER));
		return () => clearTimeout(timer);
	},
};

/** Held by a request that was let through. */
export interface Pass {
	/** The limiter let it through, whatever the service made of it. */
	passed(): void;
	/** The service sent it away for being one too many. */
	refused(retryAfterMillis: number | undefined): void;
	/** Must be called once, whatever became of the request. */
	leave(): void;
}

/**
 * Why a request may not go: its caller gave up, the client was closed, its patience ran out in the queue, or the
 * service announced a moment beyond it.
 */
export type Denial = "stopped" | "closed" | "impatient" | "announced";

export interface Turn {
	readonly signal: AbortSignal;
	readonly patienceMillis: number;
	/** True for a request that was sent away once: it goes before those that never had a turn. */
	readonly again: boolean;
}

interface Waiter {
	readonly until: number;
	settle(result: Pass | Denial): void;
}

/** A limiter answers at once; a request without an answer for this long is at work. */
const AT_WORK_MILLIS = 2_000;

/** The one door for the requests of a client: it bounds how many are under way, and keeps the pace the service asks for. */
export class Admission {
	private readonly pace: Pace;
	private readonly queue: Waiter[] = [];
	private closed = false;
	private cancelOpening = () => {};

	/** `most` requests are under way at once while the service refuses none. */
	constructor(
		most: number,
		random: () => number,
		private readonly time: Time = realTime,
	) {
		this.pace = new Pace(most, random);
	}

	/** How many requests may be under way now. */
	get limit(): number {
		return this.pace.places;
	}

	/** Time until the moment that a refusal set; 0 where there is none to wait for. */
	get opensInMillis(): number {
		return Math.max(0, this.pace.opensAt - this.time.now());
	}

	/** A pass where the request need not wait. */
	enter(): Pass | undefined {
		const isOpen = !this.closed && this.queue.length === 0 && this.opensInMillis === 0;
		return isOpen && this.pace.hasRoom ? this.pass() : undefined;
	}

	/** A pass when the request's turn comes, or why it never will. */
	wait({ signal, patienceMillis, again }: Turn): Promise<Pass | Denial> {
		return new Promise((resolve) => {
			const settle = (result: Pass | Denial) => {
				const place = this.queue.indexOf(waiter);
				if (place >= 0) this.queue.splice(place, 1);
				signal.removeEventListener("abort", onAbort);
				cancelPatience();
				resolve(result);
			};
			const onAbort = () => settle("stopped");
			const waiter: Waiter = { until: this.time.now() + patienceMillis, settle };
			const cancelPatience = this.time.after(patienceMillis, () => settle("impatient"));
			if (again) this.queue.unshift(waiter);
			else this.queue.push(waiter);
			if (signal.aborted) return onAbort();
			signal.addEventListener("abort", onAbort);
			this.admit();
		});
	}

	/** Lets nobody through for that long. */
	hold(millis: number): void {
		this.pace.closeUntil(this.time.now() + millis);
		this.admit();
	}

	/** Sends everybody away who waits, and whoever comes later. */
	close(): void {
		this.closed = true;
		this.admit();
	}

	private pass(): Pass {
		const sent = this.pace.send();
		let known = false;
		const passed = () => {
			if (!known) this.pace.passed(sent);
			known = true;
		};
		const atWork = () => {
			passed();
			this.admit();
		};
		const cancelAtWork = sent.beyond ? this.time.after(AT_WORK_MILLIS, atWork) : () => {};
		return {
			passed,
			refused: (retryAfterMillis) => this.pace.refused(sent, this.time.now(), retryAfterMillis),
			leave: () => {
				cancelAtWork();
				this.pace.end(sent);
				this.admit();
			},
		};
	}

	private admit(): void {
		this.cancelOpening();
		for (const waiter of [...this.queue]) {
			if (this.closed) waiter.settle("closed");
			else if (waiter.until < this.pace.opensAt) waiter.settle("announced");
		}
		// One look at the clock decides both: between two, the moment could come unseen, and nobody would wake who waits.
		const closedMillis = this.opensInMillis;
		for (let next = this.queue[0]; next && closedMillis === 0 && this.pace.hasRoom; next = this.queue[0])
			next.settle(this.pass());
		// A timer may fire a little early, and then sets itself again.
		if (this.queue.length > 0 && closedMillis > 0)
			this.cancelOpening = this.time.after(Math.ceil(closedMillis), () => this.admit());
	}
}
