/** Works through the items in order, so many at a time. */
export async function atOnce<T>(
	count: number,
	items: Iterable<T>,
	work: (item: T) => Promise<void>,
): Promise<void> {
	// One iterator for all: each lane takes what comes next.
	const waiting = items[Symbol.iterator]();
	const lane = async (): Promise<void> => {
		for (let next = waiting.next(); next.done !== true; next = waiting.next()) await work(next.value);
	};
	await Promise.all(Array.from({ length: count }, lane));
}
