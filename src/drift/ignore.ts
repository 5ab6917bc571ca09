import type { UnmanagedObject } from "./report";

/** The file, in the working directory, whose lines are patterns like those of --ignore. */
export const IGNORE_FILE = ".datachainignore";

/** The patterns of an ignore file: one a line; blank lines and lines that start with # mean nothing. */
export function parseIgnoreFile(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Splits off what belongs to others. Only unmanaged objects can be ignored: what is managed is always compared. */
export function applyIgnores(
	found: readonly UnmanagedObject[],
	patterns: readonly string[],
): { kept: UnmanagedObject[]; ignored: number } {
	const kept = found.filter(({ name }) => !patterns.some((pattern) => matchesGlob(pattern, name)));
	return { kept, ignored: found.length - kept.length };
}

/**
 * Whether the whole name fits the pattern: `*` is any text, `?` one character, a backslash takes the next character
 * as it is. Written without a regular expression, because many stars in one can take for ever on a long name.
 */
export function matchesGlob(pattern: string, name: string): boolean {
	const tokens = tokensOf(pattern);
	const text = [...name];
	let [at, token] = [0, 0];
	let retry: { token: number; at: number } | undefined;
	while (at < text.length) {
		const current = tokens[token];
		if (current?.kind === "any") {
			retry = { token, at };
			token++;
		} else if (current?.kind === "one" || (current?.kind === "char" && current.char === text[at])) {
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

function tokensOf(pattern: string): Token[] {
	const tokens: Token[] = [];
	let escaped = false;
	for (const char of pattern) {
		if (!escaped && char === "\\") {
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
