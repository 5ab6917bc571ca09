/**
 * Whether the whole text matches the pattern: `*` stands for any characters, `?` for one, everything else for itself.
 * With `escape`, a backslash takes the next character as it is. Names of schedules are no paths, so `/` is nothing
 * special. Written out because a regular expression made of a pattern like `*a*a*a*b` can take for ever.
 */
export function matchesGlob(pattern: string, text: string, options: { escape?: boolean } = {}): boolean {
	const tokens = pattern.match(options.escape ? /\\.|./gsu : /./gsu) ?? [];
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
