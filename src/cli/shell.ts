/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Lines to paste into a shell, or to hand to its `eval`. */
export const exportLines = (variables: Readonly<Record<string, string>>): string =>
	Object.entries(variables)
		.map(([name, value]) => `export ${name}=${shellWord(value)}\n`)
		.join("");
