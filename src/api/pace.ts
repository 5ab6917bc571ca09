const JITTER_MILLIS = 100;
const BACKOFF_BASE_MILLIS = 200;
/** Low, because after a refusal one request at a time asks again, whoever is waiting. */
const BACKOFF_CAP_MILLIS = 2_000;

/** Requests between two refusals: what the limiter lets through before it refuses again. */
interface Round {
	sent: number;
	/** Requests beyond the quota that are still without an answer. */
	asking: number;
	readonly tally: Tally;
	/** How many the round before let through; undefined while nothing was ever refused. */
	readonly quota: Tally | undefined;
}

interface Tally {
	passed: number;
}

const newRound = (quota: Tally | undefined): Round => ({ sent: 0, asking: 0, tally: { passed: 0 }, quota });

/** A request that went out, for the answer to be counted where it belongs. */
export interface Sent {
	readonly round: Round;
	/** True where it is one more than the limiter let through last time. */
	readonly beyond: boolean;
}

/**
 * What the service's answers taught about its limiter: how many requests may be under way, and from when.
 *
 * A refusal closes a round. The next one opens at the announced time with as many requests as the last one let
 * through; beyond those a single one asks for more, and one more with each that passes. So a window or bucket is used in
 * full and refuses about one request each time it is empty. A refusal that comes sooner than expected, or says nothing
 * of time, halves the number under way; as many successes as that number raise it by one.
 */
export class Pace {
	/** How many requests may be under way now. */
	places: number;
	/** Nothing may be sent before this moment. */
	opensAt = Number.NEGATIVE_INFINITY;
	private underWay = 0;
	private streak = 0;
	/** Places for requests beyond the quota. */
	private careful = 1;
	private round = newRound(undefined);
	/** Refusals in a row with nothing let through between them. */
	private fruitless = 0;
	private jitter = 0;

	constructor(
		private readonly most: number,
		private readonly random: () => number,
	) {
		this.places = most;
	}

	/** Whether one more may go, as far as their number is concerned. */
	get hasRoom(): boolean {
		return this.underWay < this.places && (!this.isBeyond() || this.round.asking < this.careful);
	}

	/** Counts a request as under way. */
	send(): Sent {
		const sent = { round: this.round, beyond: this.isBeyond() };
		this.underWay += 1;
		this.round.sent += 1;
		if (sent.beyond) this.round.asking += 1;
		return sent;
	}

	/** The request is over, whatever became of it. */
	end({ round, beyond }: Sent): void {
		this.underWay -= 1;
		if (beyond) round.asking -= 1;
	}

	/** The limiter let the request through, whatever the service made of it. */
	passed({ round, beyond }: Sent): void {
		round.tally.passed += 1;
		if (round !== this.round) return;
		this.fruitless = 0;
		if (beyond) this.careful += 1;
		this.streak += 1;
		if (this.places >= this.most || this.streak < this.places) return;
		this.streak = 0;
		this.places += 1;
	}

	/** The limiter sent the request away, with or without saying for how long. */
	refused(sent: Sent, now: number, retryAfterMillis: number | undefined): void {
		if (sent.round === this.round) this.closeRound(sent, now, retryAfterMillis);
		if (retryAfterMillis !== undefined) this.closeUntil(now + retryAfterMillis + this.jitter);
	}

	closeUntil(moment: number): void {
		this.opensAt = Math.max(this.opensAt, moment);
	}

	private isBeyond(): boolean {
		return this.round.quota !== undefined && this.round.sent >= this.round.quota.passed;
	}

	private closeRound(sent: Sent, now: number, announced: number | undefined): void {
		const { tally, quota } = this.round;
		if (announced === undefined || (quota !== undefined && !sent.beyond)) {
			this.places = Math.max(1, Math.floor(Math.min(this.places, this.underWay) / 2));
			this.streak = 0;
		}
		this.fruitless = tally.passed > 0 ? 0 : this.fruitless + 1;
		// A moment that nobody announced may be too early, so that the first one to go then goes alone.
		this.round = newRound(announced === undefined ? { passed: 0 } : tally);
		this.careful = 1;
		this.jitter = Math.floor(this.random() * JITTER_MILLIS);
		// Also where a time was announced: "at once" again and again must not become a loop without a pause.
		if (announced === undefined || this.fruitless > 1) this.closeUntil(now + this.backoffMillis());
	}

	private backoffMillis(): number {
		const doublings = Math.min(Math.max(0, this.fruitless - 1), 30);
		const ceiling = Math.min(BACKOFF_CAP_MILLIS, BACKOFF_BASE_MILLIS * 2 ** doublings);
		return ceiling / 2 + Math.floor((this.random() * ceiling) / 2);
	}
}
