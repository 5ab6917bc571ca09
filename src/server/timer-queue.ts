interface Timer {
	readonly time: number;
	/** Timers due at the same time fire in the order in which they were set. */
	readonly order: number;
	run: () => void;
	cancelled: boolean;
}

/** Timers in the order in which they fall due: a binary heap, because a moved clock may pass thousands of them. */
export class TimerQueue {
	readonly #heap: Timer[] = [];
	#order = 0;

	add(time: number, run: () => void): () => void {
		const timer: Timer = { time, order: this.#order++, run, cancelled: false };
		this.#heap.push(timer);
		this.#up(this.#heap.length - 1);
		return () => {
			timer.cancelled = true;
			// It stays in the heap until its time; what it would have run need not stay in memory.
			timer.run = () => {};
		};
	}

	/** When the next timer is due; undefined where none is set. */
	next(): number | undefined {
		while (this.#heap[0]?.cancelled) this.#pop();
		return this.#heap[0]?.time;
	}

	/** Takes the next timer out if it is due at `limit`. */
	takeDue(limit: number): { time: number; run: () => void } | undefined {
		const time = this.next();
		return time === undefined || time > limit ? undefined : this.#pop();
	}

	#pop(): Timer | undefined {
		const first = this.#heap[0];
		const last = this.#heap.pop();
		if (last !== undefined && this.#heap.length > 0) {
			this.#heap[0] = last;
			this.#down();
		}
		return first;
	}

	#up(from: number): void {
		let at = from;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!this.#swapIfLater(parent, at)) return;
			at = parent;
		}
	}

	#down(): void {
		let at = 0;
		for (;;) {
			const left = at * 2 + 1;
			if (left >= this.#heap.length) return;
			const child = left + 1 < this.#heap.length && this.#later(left, left + 1) ? left + 1 : left;
			if (!this.#swapIfLater(at, child)) return;
			at = child;
		}
	}

	#later(a: number, b: number): boolean {
		const left = this.#heap[a];
		const right = this.#heap[b];
		if (left === undefined || right === undefined) return false;
		return left.time === right.time ? left.order > right.order : left.time > right.time;
	}

	#swapIfLater(parent: number, child: number): boolean {
		const a = this.#heap[parent];
		const b = this.#heap[child];
		if (a === undefined || b === undefined || !this.#later(parent, child)) return false;
		this.#heap[parent] = b;
		this.#heap[child] = a;
		return true;
	}
}
