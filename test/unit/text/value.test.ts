import { expect, test } from "vitest";
import { typeInWords, valueInWords } from "../../../src/text/value";

const NAN = "NaN, which Number() makes of a value that is missing or no number";
const EMPTY =
	"an empty object, as which a Date, a Map or a URL arrives: give a string, such as date.toISOString()";

test.each([
	["4", '"4"', "a string"],
	["x".repeat(200), JSON.stringify("x".repeat(100)), "a string"],
	[4.5, "4.5", "a number"],
	[Number.NaN, NAN, NAN],
	[Number.POSITIVE_INFINITY, "Infinity", "a number"],
	[true, "true", "a boolean"],
	[null, "null", "null"],
	[undefined, "null", "null"],
	[[1], "a list", "a list"],
	[{ a: 1 }, "an object", "an object"],
	[{}, EMPTY, EMPTY],
])("%j in a message is %s, and where it may be a secret %s", (value, shown, type) => {
	expect([valueInWords(value), typeInWords(value)]).toEqual([shown, type]);
});
