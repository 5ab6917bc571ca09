import type { CallClock } from "./call-clock";

/** Held by a request that was let through. */
export interface Pass {
	/** The service sent the request away for being one too many. */
	refused(): void;
	succeeded(): void;
	/** Must be called once, whatever became of the request. */
	leave(): void;
}

/**
 * Bounds the writes under way. A refusal for too many requests halves the bound; as many successes as the bound
 * open it by one, up to where it started. So the service's own limit is found and kept without knowing it.
 */
export class WriteGate {
	private bound: number;
	private inside = 0;
	private successes = 0;
	/** Counts the halvings: requests that were under way together halve the bound once, not each. */
	private era = 0;
	private readonly waiting: (() => void)[] = [];

	constructor(private readonly most: number) {
		this.bound = most;
	}

	/** How many writes may be under way now. */
	get limit(): number {
		return this.bound;
	}

	/** Waits for a place, in the order of arrival. When the clock stops first, the request is let through to notice. */
	async enter(clock: CallClock): Promise<Pass> {
		if (this.inside >= this.bound) await this.turn(clock);
		else this.inside += 1;
		const era = this.era;
		return {
			refused: () => this.narrow(era),
			succeeded: () => this.widen(),
			leave: () => {
				this.inside -= 1;
				this.admit();
			},
		};
	}

	private turn(clock: CallClock): Promise<void> {
		return new Promise((resolve) => {
			const go = () => {
				const place = this.waiting.indexOf(go);
				if (place >= 0) this.waiting.splice(place, 1);
				clock.signal.removeEventListener("abort", go);
				// Counted here and not when the promise is heard of: the next one to leave must see it.
				this.inside += 1;
				resolve();
			};
			this.waiting.push(go);
			if (clock.signal.aborted) go();
			else clock.signal.addEventListener("abort", go);
		});
	}

	private admit(): void {
		while (this.inside < this.bound && this.waiting.length > 0) this.waiting[0]?.();
	}

	private narrow(era: number): void {
		if (era !== this.era) return;
		this.era += 1;
		this.successes = 0;
		this.bound = Math.max(1, Math.floor(this.bound / 2));
	}

	private widen(): void {
		this.successes += 1;
		if (this.bound >= this.most || this.successes < this.bound) return;
		this.successes = 0;
		this.bound += 1;
		this.admit();
	}
}
