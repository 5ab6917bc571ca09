interface Timer {
	readonly time: number;
	readonly run: () => void;
}

/** Timers in the order in which they fall due; those due at the same time in the order in which they were set. */
export class TimerQueue {
	/** The next one is the last, so that taking it moves no other. */
	readonly #timers: Timer[] = [];

	add(time: number, run: () => void): () => void {
		const timer: Timer = { time, run };
		const at = this.#timers.findIndex((other) => other.time <= time);
		this.#timers.splice(at < 0 ? this.#timers.length : at, 0, timer);
		return () => {
			const place = this.#timers.indexOf(timer);
			if (place >= 0) this.#timers.splice(place, 1);
		};
	}

	/** Takes the next timer out if it is due at `limit`. */
	takeDue(limit: number): Timer | undefined {
		const next = this.#timers.at(-1);
		return next === undefined || next.time > limit ? undefined : this.#timers.pop();
	}
}
