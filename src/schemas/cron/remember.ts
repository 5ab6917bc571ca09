const MOST_KEPT = 2_000;

/**
 * The same function, which works out each text once: a team has few expressions for many schedules, and one refresh
 * reads each of them several times. What throws is not kept.
 */
export function remembering<T>(work: (text: string) => T): (text: string) => T {
	const known = new Map<string, T>();
	return (text) => {
		const found = known.get(text);
		if (found !== undefined) return found;
		const result = work(text);
		if (known.size >= MOST_KEPT) known.clear();
		known.set(text, result);
		return result;
	};
}
