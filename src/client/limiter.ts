import { LONGEST_TIMER } from "../text/duration";

/** Held by a request that was let through. */
export interface Permit {
	/** The service's limiter let it through, whatever the service made of it. */
	accepted(): void;
	/** The service sent it away for being one too many. */
	refused(retryAfterMillis: number | undefined): void;
	/** Must be called once, whatever became of the request. */
	release(): void;
}

/**
 * Why a request may not go: its caller gave up, its maximum wait is over, or the service announced a moment beyond it.
 */
export type NoPermit = "stopped" | "waited-too-long" | "announced";

export interface PermitRequest {
	readonly signal: AbortSignal;
	readonly maxWaitMillis: number;
	/** True for a request that was sent before: it goes ahead of those that never had a turn. */
	readonly isRetry: boolean;
}

interface Waiter {
	readonly until: number;
	settle(result: Permit | NoPermit): void;
}

const JITTER_MILLIS = 100;
/** Low, because after a refusal one request asks again, whoever is waiting. */
const BACKOFF_CAP_MILLIS = 2_000;
/** The service's limiter answers at once; a request without an answer for this long is at work. */
const AT_WORK_MILLIS = 2_000;

/** The longest wait after so many failures in a row: 200 ms, doubled with each. */
export const backoffCeiling = (failures: number, most: number): number =>
	Math.min(most, 200 * 2 ** Math.min(failures - 1, 30));

/** Requests since the last refusal: how many have no answer yet, and how many may be without one. */
interface Round {
	inFlight: number;
	most: number;
}

/**
 * Bounds how many requests of a client are under way, and obeys the service's "too many requests": nothing is sent before
 * the announced time, or during a pause that grows if none was announced. Then one request asks, and each that is let
 * through makes room for one more, so that the service refuses few of many that wait.
 */
export class Limiter {
	private readonly waiters: Waiter[] = [];
	/** Nothing may be sent before this moment. */
	private opensAt = Number.NEGATIVE_INFINITY;
	private opening: NodeJS.Timeout | undefined;
	private inFlight = 0;
	private round: Round = { inFlight: 0, most: Number.POSITIVE_INFINITY };
	/** Rounds in a row in which the first request was refused again. */
	private refusalsInARow = 0;

	/** `most` requests are under way at once. */
	constructor(
		private readonly most: number,
		private readonly random: () => number,
	) {}

	/** Time until the moment that a refusal set; 0 if there is none to wait for. */
	get opensInMillis(): number {
		return Math.max(0, this.opensAt - performance.now());
	}

	/** A permit when the request's turn comes, or why it never will. */
	wait({ signal, maxWaitMillis, isRetry }: PermitRequest): Promise<Permit | NoPermit> {
		return new Promise((resolve) => {
			const settle = (result: Permit | NoPermit) => {
				this.waiters.splice(this.waiters.indexOf(waiter), 1);
				signal.removeEventListener("abort", onAbort);
				clearTimeout(timeout);
				resolve(result);
			};
			const onAbort = () => settle("stopped");
			const waiter: Waiter = { until: performance.now() + maxWaitMillis, settle };
			const timeout = setTimeout(
				() => settle("waited-too-long"),
				Math.min(maxWaitMillis, LONGEST_TIMER),
			);
			if (isRetry) this.waiters.unshift(waiter);
			else this.waiters.push(waiter);
			if (signal.aborted) return onAbort();
			signal.addEventListener("abort", onAbort);
			this.advance();
		});
	}

	/** Lets nobody through for that long. */
	hold(millis: number): void {
		this.closeFor(millis);
		this.advance();
	}

	private get hasRoom(): boolean {
		return this.inFlight < this.most && this.round.inFlight < this.round.most;
	}

	private grant(): Permit {
		const { round } = this;
		this.inFlight += 1;
		round.inFlight += 1;
		let isSettled = false;
		const accepted = () => {
			if (isSettled) return;
			isSettled = true;
			round.most += 1;
			this.advance();
		};
		const timer = Number.isFinite(round.most)
			? setTimeout(accepted, AT_WORK_MILLIS)
			: undefined;
		return {
			accepted,
			refused: (retryAfterMillis) => {
				if (round === this.round) this.closeRound(retryAfterMillis);
				if (retryAfterMillis !== undefined)
					this.closeFor(retryAfterMillis + Math.floor(this.random() * JITTER_MILLIS));
			},
			release: () => {
				clearTimeout(timer);
				this.inFlight -= 1;
				round.inFlight -= 1;
				this.advance();
			},
		};
	}

	private closeRound(announced: number | undefined): void {
		this.refusalsInARow = this.round.most > 1 ? 0 : this.refusalsInARow + 1;
		this.round = { inFlight: 0, most: 1 };
		// Also after announced times that let nothing through: "Retry-After: 0" must not become a loop without a pause.
		if (announced !== undefined && this.refusalsInARow === 0) return;
		const ceiling = backoffCeiling(this.refusalsInARow + 1, BACKOFF_CAP_MILLIS);
		this.closeFor(ceiling / 2 + Math.floor((this.random() * ceiling) / 2));
	}

	private closeFor(millis: number): void {
		this.opensAt = Math.max(this.opensAt, performance.now() + millis);
	}

	private advance(): void {
		clearTimeout(this.opening);
		for (const waiter of [...this.waiters])
			if (waiter.until < this.opensAt) waiter.settle("announced");
		// Read once: if the time came between two reads, nobody would be let through and no timer would be set.
		const closedMillis = this.opensInMillis;
		for (
			let next = this.waiters[0];
			next && closedMillis === 0 && this.hasRoom;
			next = this.waiters[0]
		)
			next.settle(this.grant());
		// A timer may fire a little early, and then sets itself again.
		if (this.waiters.length > 0 && closedMillis > 0)
			this.opening = setTimeout(
				() => this.advance(),
				Math.min(Math.ceil(closedMillis), LONGEST_TIMER),
			);
	}
}
