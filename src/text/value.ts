const MOST_SHOWN = 100;

/** A value that is of the wrong type, for the end of a message: `not "4"`, `not a list`. */
export function valueInWords(value: unknown): string {
	if (typeof value === "string") return JSON.stringify(value.slice(0, MOST_SHOWN));
	return typeof value === "number" || typeof value === "boolean"
		? special(value)
		: typeInWords(value);
}

/** Only what sort of value it is, where the value itself may be a secret. */
export function typeInWords(value: unknown): string {
	if (value === null || value === undefined) return "null";
	if (Array.isArray(value)) return "a list";
	if (typeof value !== "object")
		return typeof value === "number" ? special(value, "a number") : `a ${typeof value}`;
	if (Object.keys(value).length > 0) return "an object";
	return "an empty object, as which a Date, a Map or a URL arrives: give a string, such as date.toISOString()";
}

function special(value: number | boolean, otherwise = String(value)): string {
	return Number.isNaN(value)
		? "NaN, which Number() makes of a value that is missing or no number"
		: otherwise;
}
