/**
 * Everything that JSON leaves as it is but that a reader, an editor or a parser may take for something else: line
 * separators, invisible and direction-changing characters.
 */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * A text as a string literal of JavaScript. Names and values come from a server: whatever they hold, the result is
 * one literal on one line that evaluates to the same text, and reads as what it is.
 */
export function literal(text: string): string {
	const double = count(text, '"');
	// As formatters do: the quote that needs fewer escapes.
	return double > count(text, "'") ? singleQuoted(text) : escapeUnseen(JSON.stringify(text));
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
	return json.replace(UNSEEN, escapeUnits).replaceAll("</", "<\\/");
}

function escapeUnits(character: string): string {
	return Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join("");
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;

const count = (text: string, character: string): number => text.split(character).length - 1;

const NAME = /^[A-Za-z_$][\w$]*$/;

/** A text as the key of an object literal. `__proto__` as a plain key would set the object's prototype. */
export function objectKey(name: string): string {
	if (name === "__proto__") return '["__proto__"]';
	return NAME.test(name) ? name : literal(name);
}
