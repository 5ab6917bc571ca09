import { someOf } from "../schemas/some-of";

/** The only element of `found`, or an error that says what was asked and what there is. */
export function exactlyOne<T>(
	what: string,
	asked: object,
	found: readonly T[],
	all: readonly T[],
	describe: (item: T) => string,
): T {
	const [only] = found;
	if (only !== undefined && found.length === 1) return only;
	const listed = found.length > 1 ? found : all;
	const names = someOf(listed.map(describe));
	const count = found.length === 0 ? `No ${what} matches` : `${found.length} ${what}s match`;
	const there =
		listed.length === 0
			? `There is no ${what} at all.`
			: `${found.length > 1 ? "They are" : "There are"} ${names}.`;
	throw new Error(`${count} ${JSON.stringify(asked)}. ${there} Ask for exactly one of them.`);
}
