import { describe, expect, it } from "vitest";
import { BeforeRequest } from "../../../src/provider/shared/before-request";

const item = (id: number, created_at?: string | null) => ({ id, created_at });

describe("what a create request may have made", () => {
	const before = new BeforeRequest([
		item(1, "2026-01-01T00:00:00Z"),
		item(2, "2026-01-01T00:01:00Z"),
		item(3),
	]);

	it.each<[string, ReturnType<typeof item>, boolean]>([
		["is nothing that was there before, however young it looks", item(1, "2026-01-02T00:00:00Z"), false],
		["is what came after the newest", item(4, "2026-01-01T00:01:01Z"), true],
		["is also what looks two seconds older, by rounding", item(4, "2026-01-01T00:00:58Z"), true],
		[
			"is not what is older than that: it was only missing from the list",
			item(4, "2026-01-01T00:00:57Z"),
			false,
		],
		["is also what does not say when it was made", item(4), true],
		["is also what has no time", item(4, null), true],
	])("%s", (_, made, may) => {
		expect(before.mayHaveMade(made)).toBe(may);
	});

	it("is anything where nothing was there, or nothing that says when it was made", () => {
		expect(new BeforeRequest<number>([]).mayHaveMade(item(4, "1970-01-01T00:00:00Z"))).toBe(true);
		expect(new BeforeRequest([item(3)]).mayHaveMade(item(4, "1970-01-01T00:00:00Z"))).toBe(true);
	});

	it("is not what is known by its id", () => {
		expect([1, 2, 3, 4].map((id) => before.has(id))).toEqual([true, true, true, false]);
	});
});
