import { escapeUnit } from "../schemas/storage/render";

/**
 * Everything that JSON leaves as it is but that a reader, an editor or a parser may take for something else: line
 * separators, invisible and direction-changing characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * A text as a string literal of JavaScript. Names and values come from a server: whatever they hold, the result is
 * one literal on one line that evaluates to the same text, and reads as what it is.
 */
export function literal(text: string): string {
	// As formatters do: the quote that needs fewer escapes.
	return count(text, '"') > count(text, "'") ? singleQuoted(text) : jsonLiteral(text);
}

/** The same in JSON, for places that are no code: messages and lists for people. */
export function jsonLiteral(text: string): string {
	return escapeUnseen(JSON.stringify(text));
}

function singleQuoted(text: string): string {
	const body = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
	return `'${escapeUnseen(body)}'`;
}

function escapeUnseen(json: string): string {
	// `</script>` must not end a page that shows the program.
	return json
		.replace(UNSEEN, (character) => character.split("").map(escapeUnit).join(""))
		.replaceAll("</", "<\\/");
}

/**
 * A text as a string literal that Python and YAML read alike: JSON, where a character beyond the first plane is
 * escaped as one and not, as JavaScript does, as two halves.
 */
export const portableLiteral = (text: string): string => JSON.stringify(text).replace(UNSEEN, escapedWhole);

function escapedWhole(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

const count = (text: string, character: string): number => text.split(character).length - 1;

const NAME = /^[A-Za-z_$][\w$]*$/;

/** A text as the key of an object literal. `__proto__` as a plain key would set the object's prototype. */
export function objectKey(name: string): string {
	if (name === "__proto__") return '["__proto__"]';
	return NAME.test(name) ? name : literal(name);
}
