/**
 * Environment variables travel to the service as one string of NAME=VALUE lines, and come back as a map.
 * A line separator inside a value would therefore add a variable that was not declared; it is refused, never escaped,
 * because the service has no escape for it.
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Everything that Python's splitlines() takes for the end of a line, and NUL, which ends a text in C. */
const SEPARATORS: Readonly<Record<string, string>> = {
	"\n": "a line break",
	"\r": "a carriage return",
	"\v": "a vertical tab",
	"\f": "a form feed",
	"\x1c": "a file separator",
	"\x1d": "a group separator",
	"\x1e": "a record separator",
	"\x85": "a next-line character",
	"\u2028": "a line separator",
	"\u2029": "a paragraph separator",
	"\0": "a NUL",
};

/** The first character that ends a line, as `a line separator (U+2028)`; undefined if there is none. */
function separatorIn(text: string): string | undefined {
	const separator = [...text].find((character) => Object.hasOwn(SEPARATORS, character));
	if (separator === undefined) return undefined;
	const code = separator.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
	return `${SEPARATORS[separator]} (U+${code})`;
}

function valueProblem(name: string, value: string): string | undefined {
	const separator = separatorIn(value);
	if (separator === undefined) return undefined;
	return `the value of ${name} has ${separator}, and the service takes one line per variable`;
}

/** Why a declared variable cannot be sent, without its value; undefined if it can. */
export function environmentProblem(name: string, value: string): string | undefined {
	if (!NAME.test(name)) {
		return `${JSON.stringify(name)} is not a variable name: use letters, digits and _, not starting with a digit`;
	}
	const problem = valueProblem(name, value);
	return (
		problem &&
		`${problem}: encode it, as base64 for instance, or upload it as a JobFile`
	);
}

/** What a reader of lines may strip; to Python some control characters are white space. */
const STRIPPED = /^[\s\p{Cc}]|[\s\p{Cc}]$/u;

/** What services show in place of a value that they keep secret, or of a part of it: `***`, `pre***`, `pr…`, `(hidden)`. */
const MASK = /[*•●·∙]{3,}|…|\.{3,}$|^[[(<](?:secret|hidden|masked|redacted)[\])>]$/i;

/** Whether a value that the service shows may stand for another one. */
export const looksMasked = (value: string | null | undefined): boolean =>
	MASK.test(value ?? "");

export const isMask = (value: string): boolean => MASK.test(value);

/**
 * Why a variable that somebody else set would not come back as it is, without its value; undefined if one line
 * NAME=VALUE carries it exactly. Its name need not be one that can be declared.
 */
export function foreignVariableProblem(
	name: string,
	value: string | null,
): string | undefined {
	const quoted = JSON.stringify(name);
	if (name === "") return "a variable has an empty name, which a line cannot carry";
	if (name.includes("="))
		return `the name ${quoted} has a "=" in it, and a line NAME=VALUE ends the name at the first one`;
	const separator = separatorIn(name);
	if (separator !== undefined)
		return `the name ${quoted} has ${separator}, and the service takes one line per variable`;
	if (name.startsWith("#"))
		return `the name ${quoted} starts with "#", which makes its line a comment`;
	if (STRIPPED.test(name))
		return `the name ${quoted} has white space around it, which its line would lose`;
	if (looksMasked(value))
		return `the service shows the value of ${quoted} as a mask, which would be written in its place`;
	if (value === null)
		return `the variable ${quoted} is null, and a line can only carry a string`;
	return valueProblem(quoted, value);
}

type Variables<Value> = Readonly<Record<string, Value>>;

/**
 * Lines sorted by name, so that the same maps always give the same text. A declared variable stands for a foreign one
 * of its name. Throws a TypeError on what `environmentProblem` and `foreignVariableProblem` name.
 */
export function renderEnvironment(
	declared: Variables<string>,
	foreign: Variables<string | null> = {},
): string {
	const own = Object.entries(declared);
	const others = Object.entries(foreign).filter(
		([name]) => !Object.hasOwn(declared, name),
	);
	const [problem] = [
		...own.flatMap(([name, value]) => environmentProblem(name, value) ?? []),
		...others.flatMap(([name, value]) => foreignVariableProblem(name, value) ?? []),
	];
	if (problem !== undefined) throw new TypeError(`Environment: ${problem}.`);
	const all = [...own, ...others].sort(([a], [b]) => (a < b ? -1 : 1));
	return all.map(([name, value]) => `${name}=${value}`).join("\n");
}
