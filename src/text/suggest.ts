/**
 * The known name that was probably meant, or undefined if none is near. Case, `_`, `-` and spaces do not count:
 * they are the usual differences between languages.
 */
export function closest(
	given: string,
	candidates: Iterable<string>,
): string | undefined {
	const wanted = plain(given);
	// One letter in three may be wrong: names that are further apart are rarely the same word.
	let [best, limit]: [string | undefined, number] = [
		undefined,
		Math.floor(wanted.length / 3) + 1,
	];
	for (const name of candidates) {
		if (name === given) continue;
		const distance = editDistance(wanted, plain(name));
		if (distance < limit) [best, limit] = [name, distance];
	}
	return best;
}

/** The end of an error message: ` Did you mean "name"?`, or nothing if no known name is near. */
export function didYouMean(given: string, candidates: Iterable<string>): string {
	const meant = closest(given, candidates);
	return meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");

/** Letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
function editDistance(a: string, b: string): number {
	let [beforeLast, last]: [number[], number[]] = [
		[],
		Array.from({ length: b.length + 1 }, (_, j) => j),
	];
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const isSame = a[i - 1] === b[j - 1];
			const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
			row[j] = Math.min(
				at(last, j) + 1,
				at(row, j - 1) + 1,
				at(last, j - 1) + (isSame ? 0 : 1),
				isSwapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		[beforeLast, last] = [last, row];
	}
	return at(last, b.length);
}

const at = (row: readonly number[], index: number): number =>
	row[index] ?? Number.POSITIVE_INFINITY;

/**
 * Whether the whole text matches the pattern: `*` stands for any characters, `?` for one, everything else for itself. A
 * backslash takes the next character as it is. Names of schedules are no paths, so `/` is nothing special. Written out
 * because a regular expression made of a pattern like `*a*a*a*b` can take for ever.
 */
export function matchesGlob(pattern: string, text: string): boolean {
	const tokens = pattern.match(/\\.|./gsu) ?? [];
	const plain = tokens.map((token) => token.replace(/^\\(?=.)/su, ""));
	const characters = [...text];
	let [at, token] = [0, 0];
	let retry: { token: number; at: number } | undefined;
	while (at < characters.length) {
		if (tokens[token] === "*") {
			retry = { token, at };
			token++;
		} else if (tokens[token] === "?" || plain[token] === characters[at]) {
			token++;
			at++;
		} else if (retry !== undefined) {
			// The last star takes one character more.
			retry.at++;
			[at, token] = [retry.at, retry.token + 1];
		} else return false;
	}
	return tokens.slice(token).every((rest) => rest === "*");
}
