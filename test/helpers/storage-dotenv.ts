/**
 * Readers of env files, as the two most used libraries behave. They disagree on almost everything but plain text,
 * which is why what we write must survive both.
 *
 * - `node`: an unquoted value ends at any `#`; single quotes and backquotes are literal; in double quotes only `\n`
 *   and `\r` are undone.
 * - `python`: an unquoted value ends at white space and `#`; in single quotes `\\` and `\'` are undone; in double
 *   quotes all the usual escapes are.
 *
 * Both trim unquoted values and expand `$NAME` and `${NAME}` wherever the value is not in single quotes.
 */
export type Dialect = "node" | "python";

const ESCAPES: Readonly<Record<string, string>> = {
	a: "\u0007",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
	"\\": "\\",
	"'": "'",
	'"': '"',
};
const UNDONE: Readonly<Record<string, RegExp | undefined>> = {
	'node"': /\\([nr])/g,
	"python'": /\\([\\'])/g,
	'python"': /\\([\\'"abfnrtv])/g,
};

export function readEnvFile(
	text: string,
	dialect: Dialect,
	variables: Readonly<Record<string, string>> = { HOME: "/home/user" },
): Record<string, string> {
	const found: Record<string, string> = {};
	for (let rest = text; rest !== ""; ) {
		const [line = ""] = /^[^\r\n]*/.exec(rest) ?? [];
		const named = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t]*/.exec(line);
		if (named === null) {
			rest = rest.slice(line.length).replace(/^\r?\n|^\r/, "");
			continue;
		}
		const { value, after } = readValue(rest.slice(named[0].length), dialect, { ...variables, ...found });
		found[named[1] ?? ""] = value;
		rest = after.replace(/^[^\r\n]*(\r?\n|\r)?/, "");
	}
	return found;
}

function readValue(
	text: string,
	dialect: Dialect,
	variables: Readonly<Record<string, string>>,
): { value: string; after: string } {
	const quote = text[0] ?? "";
	const quotes = dialect === "node" ? "'\"`" : "'\"";
	const end = quote !== "" && quotes.includes(quote) ? closing(text, quote) : -1;
	if (end > 0) {
		const undone = UNDONE[dialect + quote];
		const inner = text.slice(1, end);
		const plain = undone ? inner.replace(undone, (_, letter: string) => ESCAPES[letter] ?? letter) : inner;
		return { value: quote === "'" ? plain : expand(plain, variables), after: text.slice(end + 1) };
	}
	const [line = ""] = /^[^\r\n]*/.exec(text) ?? [];
	const comment = line.search(dialect === "node" ? /#/ : /\s#/);
	const value = (comment < 0 ? line : line.slice(0, comment)).trim();
	return { value: expand(value, variables), after: text.slice(line.length) };
}

/** Where the quoted text ends: at the first quote without a backslash before it. */
function closing(text: string, quote: string): number {
	for (let at = 1; at < text.length; at += 1) {
		if (text[at] === "\\") at += 1;
		else if (text[at] === quote) return at;
	}
	return -1;
}

const expand = (value: string, variables: Readonly<Record<string, string>>): string =>
	value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => variables[braced ?? bare] ?? "");
