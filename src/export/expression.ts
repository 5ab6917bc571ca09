import { literal, objectKey } from "./literal";

/** A value that the program takes from the stack's configuration. */
export interface ConfigSecret {
	readonly configKey: string;
	/** The configuration has it in base64. */
	readonly base64?: true;
}

/** An object literal; the order of its fields is kept. */
export interface Fields {
	readonly fields: readonly (readonly [string, Expression])[];
}

/** What can stand as an argument in the exported program. There is no way to say "code". */
export type Expression = string | number | boolean | ConfigSecret | readonly Expression[] | Fields;

/** Longest line, as in this package's own sources. */
export const LINE_WIDTH = 110;
const TAB_WIDTH = 2;

/** One field of an object literal, with its comma, laid out as a formatter would at the given depth. */
export function renderField(name: string, value: Expression, depth: number): string {
	const key = objectKey(name);
	const indent = "\t".repeat(depth);
	const flat = renderFlat(value);
	if (flat !== undefined) {
		const line = `${indent}${key}: ${flat},`;
		if (widthOf(line) <= LINE_WIDTH) return line;
		if (typeof value === "string") return `${indent}${key}:\n${indent}\t${flat},`;
	}
	// So long a name of a variable that not even the call starts on its line.
	const isCall = typeof value === "object" && "configKey" in value;
	if (isCall && widthOf(`${indent}${key}: config.requireSecret(`) > LINE_WIDTH)
		return `${indent}${key}:\n${indent}\t${renderItem(value, depth + 1)},`;
	return `${indent}${key}: ${renderBroken(value, depth)},`;
}

/** On one line; undefined for objects, which are easier to read and to compare one field a line. */
function renderFlat(value: Expression): string | undefined {
	if (typeof value === "string") return literal(value);
	if (typeof value !== "object") return String(value);
	if ("configKey" in value) return `config.requireSecret(${literal(value.configKey)})`;
	if ("fields" in value) return value.fields.length === 0 ? "{}" : undefined;
	const items = value.map(renderFlat);
	return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

function renderBroken(value: Expression, depth: number): string {
	const indent = "\t".repeat(depth);
	const inside = `${indent}\t`;
	if (typeof value !== "object") return renderFlat(value) ?? "";
	if ("configKey" in value) return `config.requireSecret(\n${inside}${literal(value.configKey)},\n${indent})`;
	if ("fields" in value) {
		const lines = value.fields.map(([name, field]) => renderField(name, field, depth + 1));
		return `{\n${lines.join("\n")}\n${indent}}`;
	}
	const items = value.map((item) => `${inside}${renderItem(item, depth + 1)},\n`);
	return `[\n${items.join("")}${indent}]`;
}

function renderItem(item: Expression, depth: number): string {
	const flat = renderFlat(item);
	const fits = flat !== undefined && widthOf("\t".repeat(depth) + flat) < LINE_WIDTH;
	return fits ? flat : renderBroken(item, depth);
}

/** Columns a line takes; the letters of East Asian scripts take two. */
export function widthOf(line: string): number {
	let width = 0;
	for (const character of line)
		width += character === "\t" ? TAB_WIDTH : (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
	return width;
}
