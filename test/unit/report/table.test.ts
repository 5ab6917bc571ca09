import { expect, test } from "vitest";
import { columns, created, facts, shortTime, table } from "../../../src/report/renderings";

test("columns stand below each other, also behind wide, combined and invisible characters", () => {
	const rows = [
		["id", "name"],
		["日本", "x"],
		["e\u0301\u200b", "y"],
		["🚀", "z"],
	];
	expect(columns(rows)).toBe("id    name\n日本  x\ne\u0301\u200b     y\n🚀    z\n");
});

test("a cell is one line in which nothing moves the cursor, and nothing stands behind the last one", () => {
	const cells = ["a\u001b[2Jb\nc\td\u202e", null, undefined];
	expect(columns([cells])).toBe("a\\x1b[2Jb c d\\u202e\n");
});

test("a table has heads, and says so if it has no rows", () => {
	expect(table([{ n: 1 }], "None.", { id: ({ n }) => n, "name (UTC)": () => "a" })).toBe(
		"ID  NAME (UTC)\n1   a\n",
	);
	expect(table([], "None.", { id: String })).toBe("None.\n");
});

test("facts without a value are left out", () => {
	const all = [
		["Name", "a"],
		["Exit code", 0],
		["Error", null],
		["Note", ""],
	] as const;
	expect(facts(all)).toBe("Name       a\nExit code  0\n");
});

test("times are shown in UTC, with whatever offset the service writes them", () => {
	for (const at of [
		"2026-11-17T13:44:00+02:00",
		"2026-11-17T11:44:00Z",
		"2026-11-17 11:44:00",
		"2026-11-17T11:44",
	])
		expect(shortTime(at)).toBe("2026-11-17 11:44");
	expect(created({ createdAt: "2026-11-17T01:44:00+02:00", createdBy: "ann" })).toBe(
		"2026-11-16 23:44 UTC by ann",
	);
	expect(shortTime(null)).toBe("");
});
