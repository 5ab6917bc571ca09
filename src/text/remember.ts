const MOST_KEPT = 2_000;

/**
 * The same function, which works out each text once: a team has few expressions for many schedules, and one refresh
 * reads each of them several times. What throws is not kept.
 */
export function remembering<Args extends readonly [string, ...(string | number)[]], T>(
	work: (...args: Args) => T,
): (...args: Args) => T {
	const known = new Map<string, { readonly result: T }>();
	return (...args) => {
		const key = args.join("\0");
		const found = known.get(key);
		if (found !== undefined) return found.result;
		const result = work(...args);
		if (known.size >= MOST_KEPT) known.clear();
		known.set(key, { result });
		return result;
	};
}
