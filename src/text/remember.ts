const MOST_KEPT = 2_000;

/**
 * The same function, which works out each text once: a team has few expressions for many schedules, and one refresh
 * reads each of them several times. What throws is not kept.
 */
export function remembering<Args extends readonly [string, ...(string | number)[]], T>(
	work: (...args: Args) => T,
): (...args: Args) => T {
	const results = new Map<string, { readonly result: T }>();
	return (...args) => {
		const key = args.join("\0");
		const remembered = results.get(key);
		if (remembered !== undefined) return remembered.result;
		const result = work(...args);
		if (results.size >= MOST_KEPT) results.clear();
		results.set(key, { result });
		return result;
	};
}
