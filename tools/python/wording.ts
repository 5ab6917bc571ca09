/** The schema with names and values in its descriptions as Python spells them. */
export function inPython<T>(schema: T): T {
	return JSON.parse(
		JSON.stringify(schema, (key, value) =>
			key === "description" && typeof value === "string" ? pythonText(value) : value,
		),
	);
}

const CONSTANTS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** Only what stands in backticks is code; examples are there in each language already. */
const pythonText = (text: string): string =>
	text.replace(/```[\s\S]*?```|`([^`]+)`/g, (whole, code?: string) =>
		code === undefined ? whole : `\`${pythonCode(code)}\``,
	);

/** A name, a value, an argument with its value, or an object; everything else is the same in Python. */
function pythonCode(code: string): string {
	if (code in CONSTANTS) return CONSTANTS[code] ?? code;
	if (/^[a-z]+([A-Z][a-z]+)+$/.test(code)) return snake(code);
	const [, name, value] = /^([a-z][A-Za-z]*): (.+)$/.exec(code) ?? [];
	if (name !== undefined && value !== undefined) return `${snake(name)}=${CONSTANTS[value] ?? value}`;
	const [, inner] = /^\{ (.+) \}$/.exec(code) ?? [];
	return inner === undefined ? code : `{${inner.replace(/(\w+): /g, '"$1": ')}}`;
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
