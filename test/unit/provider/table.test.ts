import { describe, expect, it } from "vitest";
import { z } from "zod";
import { UNKNOWN } from "../../../src/provider/handler";
import { SETTINGS_FIELDS } from "../../../src/provider/settings-fields";
import {
	changes,
	checkFields,
	describe as describeDifference,
	differences,
	type Field,
	liveInputs,
	sameText,
	sentFor,
	stillUnconfirmed,
	type Table,
	unconfirmed,
} from "../../../src/provider/table";

interface Live {
	readonly title?: string | null;
	readonly count?: number;
	readonly hiddenText?: string;
}
const TABLE: Table<Live> = {
	title: { schema: z.string(), wire: "the_title", change: "update", read: (live) => live.title },
	count: {
		schema: z.number(),
		wire: "the_count",
		change: "update",
		read: (live) => live.count,
		shown: (live) => live.count !== undefined,
		write: (value) => `#${String(value)}`,
		optional: true,
		cleared: 0,
	},
	hiddenText: {
		schema: z.string(),
		change: "update",
		read: (live) => live.hiddenText,
		hidden: true,
		optional: true,
		cleared: "",
	},
	unread: { schema: z.string(), wire: "unread", change: "none" },
};

describe("what is declared beside what the service shows", () => {
	it("differs field by field, null meaning not set", () => {
		expect(differences(TABLE, { title: "a", count: 1 }, { title: null, count: 2 })).toEqual([
			{ field: "title", declared: "a", live: undefined },
			{ field: "count", declared: 1, live: 2 },
		]);
	});

	it("gives inputs with the user's spelling where nothing differs, and no keys that the user did not set", () => {
		const known = { title: "a", count: 1, unread: "kept", other: "dropped" };
		expect(liveInputs(TABLE, known, { title: "a", count: 1, hiddenText: "x" })).toStrictEqual({
			title: "a",
			count: 1,
			unread: "kept",
		});
	});

	it("gives the service's values where they differ, and the cleared value for what is no longer there", () => {
		const known = { title: "a", hiddenText: "x" };
		expect(liveInputs(TABLE, known, { title: "b" })).toEqual({ title: "b", hiddenText: "" });
		expect(liveInputs(TABLE, known, { hiddenText: "x" })).toEqual({ hiddenText: "x" });
	});

	it("is described with both values, and without any where it may be secret", () => {
		const tell = (field: string, declared: unknown, live: unknown, secrets: string[] = []) => {
			const row = { field, declared, live };
			const before = describeDifference(TABLE, row, { secrets: [], secretsBefore: secrets });
			expect(describeDifference(TABLE, row, { secrets, secretsBefore: [] })).toBe(before);
			return before;
		};
		expect(tell("title", "a", undefined)).toBe('title is not set there and "a" here');
		expect(tell("count", { a: 1 }, 2)).toBe('count is 2 there and {"a":1} here');
		expect(tell("hiddenText", "secret", "other")).toBe("hiddenText");
		expect(tell("title", "secret", "other", ["title"])).toBe("title");
	});
});

it("what was sent is confirmed by the same in any order of keys, and of a list in its own, where it is shown", () => {
	const write = (value: unknown) => (typeof value === "number" ? String(value) : value);
	const table: Table<Live> = { title: { ...TABLE.title, write } as Field<Live> };
	const remains = (sent: unknown, title: unknown, rows = table) => {
		const outs = unconfirmed(table, ["title"], { title: sent });
		return Object.keys(stillUnconfirmed(rows, outs, { title } as Live)).length > 0;
	};
	expect(remains({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(false);
	expect([remains(undefined, null), remains(["a"], ["a"]), remains("1", 1)]).toEqual([false, false, false]);
	const others = [remains(["a", "b"], ["b", "a"]), remains({ a: 1 }, { a: 2 }), remains("x", null)];
	const unseen = { title: { ...TABLE.count, read: () => "x", shown: () => false } } as Table<Live>;
	expect([...others, remains("x", "x", {}), remains("x", "x", unseen)]).toEqual(Array(5).fill(true));
});

it("a change of a field that has no effect is none", () => {
	expect(changes(TABLE, { unread: "a" }, { unread: "b" })).toEqual([]);
});

it("of fields with one name in requests the last one is sent that is declared", () => {
	const table = { a: { wire: "x" }, b: { wire: "x" }, c: { wire: "y" } } as never;
	const sent = (field: string, values: object) => sentFor(table, field, { ...values });
	expect([sent("a", { a: 1, b: 2, c: 3 }), sent("b", { a: 1, c: 3 }), sent("a", { c: 3 })]).toEqual([
		"b",
		"a",
		"a",
	]);
});

it("equality of texts takes undefined, null and an empty text for not set", () => {
	const same = sameText((a, b) => a.toLowerCase() === b.toLowerCase());
	expect([same("A", "a"), same("", undefined), same(null, "")]).toEqual([true, true, true]);
	expect([same("a", ""), same("a", "b")]).toEqual([false, false]);
});

it("a check names what is wrong beside a value that is not known yet, with the path to it", () => {
	const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
	const lists = { files: [UNKNOWN, ""], requirements: [[UNKNOWN]] };
	const wrong = { ...settings, ...lists, environment: { A: UNKNOWN, B: null } };
	const problems = checkFields(SETTINGS_FIELDS, {}, wrong);
	expect(problems.map(({ reason }) => reason)).toEqual([
		"environment.B: must be a string; convert other values to one first.",
		"files.1: must be the id of a file, as JobFile gives it.",
	]);
});
