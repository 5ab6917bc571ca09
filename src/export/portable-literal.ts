import { UNSEEN } from "./literal";

/**
 * A text as a string literal that Python and YAML read alike: JSON, where a character beyond the first plane is
 * escaped as one and not, as JavaScript does, as two halves.
 */
export const portableLiteral = (text: string): string => JSON.stringify(text).replace(UNSEEN, escaped);

function escaped(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
