import type { Random } from "./random";

export type Scale = "quick" | "full";

/** What a row works with. Everything random in it comes from `random`, so that the printed seed repeats a run. */
export interface RowContext {
	readonly scale: Scale;
	readonly random: Random;
	/** Tells the person who waits how far the row is. */
	progress(text: string): void;
}

/** One figure of a row: what was counted, and what it must be. */
export interface Figure {
	readonly what: string;
	readonly reached: number | string;
	readonly wanted: number | string;
	readonly ok: boolean;
	/** What to look at when it is not ok: the first cases that failed, without secrets. */
	readonly detail?: string | undefined;
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

const firstOf = (cases: readonly string[]): string | undefined => cases.slice(0, 5).join("\n") || undefined;

/** A count that must be zero. */
export const none = (what: string, cases: readonly string[]): Figure => ({
	what,
	reached: cases.length,
	wanted: 0,
	ok: cases.length === 0,
	detail: firstOf(cases),
});

/** A count that must be all of them. */
export const all = (what: string, reached: number, of: number, failed: readonly string[] = []): Figure => ({
	what,
	reached: `${reached} of ${of}`,
	wanted: `${of} of ${of}`,
	ok: of > 0 && reached === of,
	detail: firstOf(failed),
});

/** Works through the items in order, in so many lanes at a time. */
export async function atOnce<T>(
	count: number,
	items: Iterable<T>,
	work: (item: T, lane: number) => Promise<void>,
): Promise<void> {
	// One iterator for all: each lane takes what comes next.
	const waiting = items[Symbol.iterator]();
	const run = async (_: unknown, lane: number): Promise<void> => {
		for (let next = waiting.next(); next.done !== true; next = waiting.next()) await work(next.value, lane);
	};
	await Promise.all(Array.from({ length: count }, run));
}
