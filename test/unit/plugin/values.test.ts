import fc from "fast-check";
import { expect, it } from "vitest";
import { conceal, reveal } from "../../../src/provider/hosts/plugin/values";
import { secretValue, UNKNOWN } from "../../../src/provider/model/props";

it("reads secrets as plain values, and makes the same ones secrets again", () => {
	const marked = {
		plain: "a",
		whole: secretValue({ b: 1 }),
		nested: { c: secretValue("d"), "e.f": secretValue(2) },
	};
	const { props, secrets } = reveal(marked);
	expect(props).toEqual({ plain: "a", whole: { b: 1 }, nested: { c: "d", "e.f": 2 } });
	expect(conceal(props, secrets)).toEqual(marked);
});

it("a secret in a list makes the list a secret, because places change", () => {
	const { props, secrets } = reveal({
		list: ["a", secretValue("b"), { c: secretValue("d") }],
	});
	expect(props).toEqual({ list: ["a", "b", { c: "d" }] });
	expect(conceal(props, secrets)).toEqual({
		list: secretValue(["a", "b", { c: "d" }]),
	});
});

it("every spelling of a value that is not known yet is one to the handlers", () => {
	const boolean = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";
	expect(reveal({ a: boolean, b: secretValue(UNKNOWN) }).props).toEqual({
		a: UNKNOWN,
		b: UNKNOWN,
	});
});

it("whatever is a secret on the way in is one on the way out", () => {
	const key = fc
		.string({ minLength: 1, maxLength: 6 })
		.filter((text) => text !== "__proto__");
	const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
	const { tree } = fc.letrec((tie) => ({
		tree: fc.dictionary(
			key,
			fc.oneof({ maxDepth: 3 }, leaf, leaf.map(secretValue), tie("tree")),
			{
				maxKeys: 4,
			},
		),
	}));
	fc.assert(
		fc.property(tree, (value) => {
			const marked = { value };
			const { props, secrets } = reveal(marked);
			expect(conceal(props, secrets)).toEqual(marked);
		}),
	);
});
