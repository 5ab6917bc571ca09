import { expect, it, test } from "vitest";
import {
	concealWhere,
	isSecretValue,
	SIGNATURE,
	secretValue,
} from "../../../src/provider/model/props";
import { messageOf } from "../../../src/text/wording";

const tag = secretValue(1)[SIGNATURE];

test.each<[unknown, boolean]>([
	[secretValue(undefined), true],
	[{ [SIGNATURE]: tag }, false],
	[{ [SIGNATURE]: "another", value: 1 }, false],
	[{ value: 1 }, false],
	["text", false],
	[null, false],
])("whether %j is tagged as a secret: %s", (value, is) => {
	expect(isSecretValue(value)).toBe(is);
});

it("values are tagged where their path is secret, once, and no list is looked into", () => {
	const props = { a: { b: "x", c: "y", d: null }, list: [{ b: "x" }], none: undefined };
	const isSecret = (path: readonly string[]) =>
		["a.b", "list.0.b", "none"].includes(path.join("."));
	const tagged = { ...props, a: { ...props.a, b: secretValue("x") } };
	expect(concealWhere(props, isSecret)).toEqual(tagged);
	expect(concealWhere(tagged, isSecret)).toEqual(tagged);
});

it("what is thrown and is no error is its own reason", () => {
	expect([messageOf(new Error("no")), messageOf("a text")]).toEqual(["no", "a text"]);
});
