import { describe, expect, it } from "vitest";
import {
	containsForeign,
	FOREIGN_VALUE,
	withoutForeignCredentials,
} from "../../../src/provider/shared/foreign";
import { changedSecrets, secretsMoved } from "../../../src/provider/shared/secrets";
import { UNKNOWN } from "../../../src/provider/shared/unknown";

describe("the mark for what others set", () => {
	it("stands before a URL whose credentials are masked, and leaves other texts alone", () => {
		const marked = withoutForeignCredentials("https://ada:hunter2@example.com/repo.git");
		expect(marked).toBe(`${FOREIGN_VALUE} https://***@example.com/repo.git`);
		expect(containsForeign(marked)).toBe(true);
		expect(withoutForeignCredentials("https://example.com/repo.git@main")).toBe(
			"https://example.com/repo.git@main",
		);
	});

	it.each([
		[FOREIGN_VALUE],
		["https://***@example.com/repo.git"],
		[["numpy", `${FOREIGN_VALUE} x`]],
		[{ s3: { token: FOREIGN_VALUE } }],
	])("is seen in %j", (value) => {
		expect(containsForeign(value)).toBe(true);
	});

	it.each([["a value (set outside Pulumi)"], [""], [null], [undefined], [7], [{ a: ["b"] }]])(
		"is not seen in %j",
		(value) => {
			expect(containsForeign(value)).toBe(false);
		},
	);
});

describe("which inputs are secret", () => {
	it.each([
		[undefined, undefined, false],
		[undefined, [], false],
		[["a", "b"], ["b", "a"], false],
		[undefined, ["a"], true],
		[["a"], undefined, true],
		[["a"], ["b"], true],
	])("%j and then %j: moved is %s", (before, now, moved) => {
		expect(secretsMoved(before, now)).toBe(moved);
	});
});

describe("secrets that change", () => {
	const urn = "urn:pulumi:dev::shop::type::s";
	const lines = (path: string, olds: object, news: object) =>
		changedSecrets({ urn, secrets: [path] }, { ...olds }, { ...news });

	it("are named by their path, and never by a value", () => {
		const text = lines("environment.MODE", { environment: { MODE: "x1" } }, { environment: { MODE: "x2" } });
		expect(text).toEqual(['"s": the secret value of environment.MODE changes.']);
	});

	it("are found where a variable's name has dots in it", () => {
		const of = (value: string) => ({ environment: { "a.b": value, a: { b: "other" } } });
		expect(lines("environment.a.b", of("1"), of("2"))).toHaveLength(1);
		expect(lines("environment.a.b", of("1"), of("1"))).toEqual([]);
	});

	it("are found at the longest key that fits, and nowhere where none does", () => {
		const of = (value: string) => ({
			environment: { "a.b": { c: value }, a: { "b.c": "other" }, ".": value },
		});
		expect(lines("environment.a.b.c", of("1"), of("2"))).toHaveLength(1);
		expect(lines("environment..", of("1"), of("2"))).toHaveLength(1);
		for (const path of ["environment.a.b.c.d", "environment.x", "other.a", "a"]) {
			expect(lines(path, of("1"), of("2"))).toEqual([]);
		}
		expect(lines("text.a", { text: null }, { text: { a: "1" } })).toEqual([]);
	});

	it("are not named where they stay, are new, or are not known yet", () => {
		expect(lines("text", { text: "1" }, { text: "1" })).toEqual([]);
		expect(lines("text", {}, { text: "1" })).toEqual([]);
		expect(lines("text", { other: 1 }, { text: "1" })).toEqual([]);
		expect(lines("text", { text: "1" }, { text: UNKNOWN })).toEqual([]);
	});

	it("are named where they go away", () => {
		expect(lines("text", { text: "1" }, {})).toHaveLength(1);
	});
});
