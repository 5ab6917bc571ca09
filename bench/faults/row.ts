import type { Random } from "../../test/model/random";

export type Scale = "quick" | "full";

/** What a row works with. Everything random in it comes from `random`, so that the printed seed repeats a run. */
export interface RowContext {
	readonly scale: Scale;
	readonly random: Random;
	/** Tells the person who waits how far the row is. */
	progress(text: string): void;
}

/** One figure of a row: what must never be, and the cases in which it was, without secrets. */
export interface Figure {
	readonly what: string;
	readonly cases: readonly string[];
}

export interface RowResult {
	/** What the row did, with its numbers: "1,000 operations, 12 kinds of fault". */
	readonly load: string;
	readonly figures: readonly Figure[];
}

/** One row of the table. */
export interface Row {
	readonly number: number;
	readonly name: string;
	/** Its work is in processes of the engine, with stacks of its own: such rows run side by side. */
	readonly onEngine?: boolean;
	run(context: RowContext): Promise<RowResult>;
}

/** Works through the items in order, in so many lanes at a time. */
export async function atOnce<T>(
	count: number,
	items: Iterable<T>,
	work: (item: T, lane: number) => Promise<void>,
): Promise<void> {
	// One iterator for all: each lane takes what comes next.
	const waiting = items[Symbol.iterator]();
	const run = async (_: unknown, lane: number): Promise<void> => {
		for (let next = waiting.next(); next.done !== true; next = waiting.next())
			await work(next.value, lane);
	};
	await Promise.all(Array.from({ length: count }, run));
}
