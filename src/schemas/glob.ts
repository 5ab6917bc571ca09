/**
 * Whether the whole text matches the pattern: `*` stands for any characters, `?` for one, everything else for itself.
 * With `escape`, a backslash takes the next character as it is. Names of schedules are no paths, so `/` is nothing
 * special. Written out because a regular expression made of a pattern like `*a*a*a*b` can take for ever.
 */
export function matchesGlob(pattern: string, text: string, options: { escape?: boolean } = {}): boolean {
	const tokens = tokensOf(pattern, options.escape === true);
	const characters = [...text];
	let [at, token] = [0, 0];
	let retry: { token: number; at: number } | undefined;
	while (at < characters.length) {
		const current = tokens[token];
		if (current?.kind === "any") {
			retry = { token, at };
			token++;
		} else if (current?.kind === "one" || (current?.kind === "char" && current.char === characters[at])) {
			token++;
			at++;
		} else if (retry !== undefined) {
			// The last star takes one character more.
			retry.at++;
			[at, token] = [retry.at, retry.token + 1];
		} else return false;
	}
	return tokens.slice(token).every(({ kind }) => kind === "any");
}

interface Token {
	readonly kind: "any" | "one" | "char";
	readonly char: string;
}

function tokensOf(pattern: string, backslashEscapes: boolean): Token[] {
	const tokens: Token[] = [];
	let escaped = false;
	for (const char of pattern) {
		if (backslashEscapes && !escaped && char === "\\") {
			escaped = true;
			continue;
		}
		const kind = escaped ? "char" : char === "*" ? "any" : char === "?" ? "one" : "char";
		tokens.push({ kind, char });
		escaped = false;
	}
	if (escaped) tokens.push({ kind: "char", char: "\\" });
	return tokens;
}
