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
