import { createHash } from "node:crypto";

/** Numbers that look random and are the same for the same seed and label, whatever else was drawn before. */
export class Random {
	private state: number;

	constructor(readonly seed: string) {
		this.state = createHash("sha256").update(seed).digest().readUInt32LE(0);
	}

	/** A stream of its own, so that one row's draws do not depend on another's. */
	fork(label: string): Random {
		return new Random(`${this.seed}/${label}`);
	}

	/** In [0, 1). A small generator (mulberry32): ten thousand replies need many draws. */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let t = this.state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	}

	/** A whole number from `low` to `high`, both included. */
	integer(low: number, high: number): number {
		return low + Math.floor(this.next() * (high - low + 1));
	}

	/** One of them; there must be one. */
	pick<T>(from: readonly T[]): T {
		const [one] = from.slice(this.integer(0, from.length - 1));
		if (one === undefined && from.length === 0)
			throw new Error("There is nothing to pick from.");
		return one as T;
	}

	shuffled<T>(from: readonly T[]): T[] {
		const places = from.map((item) => ({ item, at: this.next() }));
		return places.sort((a, b) => a.at - b.at).map(({ item }) => item);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}
}
