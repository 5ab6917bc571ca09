import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SETTINGS_FIELDS } from "../../../src/provider/kinds/settings/fields";
import { UNKNOWN } from "../../../src/provider/model/props";
import {
	changes,
	checkFields,
	describe as describeDifference,
	differences,
	fieldCarrying,
	liveInputs,
	sameText,
	type Table,
	toWire,
} from "../../../src/provider/model/table";

interface Live {
	readonly title?: string | null;
	readonly count?: number;
	readonly hiddenText?: string;
}
const TABLE: Table<Live> = {
	title: {
		schema: z.string(),
		wire: "the_title",
		change: "update",
		fromLive: (live) => live.title,
	},
	count: {
		schema: z.number(),
		wire: "the_count",
		change: "update",
		fromLive: (live) => live.count,
		isReported: (live) => live.count !== undefined,
		write: (value) => `#${String(value)}`,
		optional: true,
		cleared: 0,
	},
	hiddenText: {
		schema: z.string(),
		change: "update",
		fromLive: (live) => live.hiddenText,
		hidden: true,
		optional: true,
		cleared: "",
	},
	unread: { schema: z.string(), wire: "unread", change: "none" },
};

describe("what is declared beside what the service shows", () => {
	it("differs field by field, null meaning not set", () => {
		expect(
			differences(TABLE, { title: "a", count: 1 }, { title: null, count: 2 }),
		).toEqual([
			{ field: "title", declared: "a", live: undefined },
			{ field: "count", declared: 1, live: 2 },
		]);
	});

	it("gives inputs with the user's spelling where nothing differs, and no keys that the user did not set", () => {
		const known = { title: "a", count: 1, unread: "kept", other: "dropped" };
		expect(
			liveInputs(TABLE, known, { title: "a", count: 1, hiddenText: "x" }),
		).toStrictEqual({
			title: "a",
			count: 1,
			unread: "kept",
		});
	});

	it("gives the service's values where they differ, and the cleared value for what is no longer there", () => {
		const known = { title: "a", hiddenText: "x" };
		expect(liveInputs(TABLE, known, { title: "b" })).toEqual({
			title: "b",
			hiddenText: "",
		});
		expect(liveInputs(TABLE, known, { hiddenText: "x" })).toEqual({ hiddenText: "x" });
	});

	it("is described with both values, and without any where it may be secret", () => {
		const tell = (
			field: string,
			declared: unknown,
			live: unknown,
			secrets: string[] = [],
		) => {
			const row = { field, declared, live };
			const before = describeDifference(TABLE, row, {
				secrets: [],
				secretsBefore: secrets,
			});
			expect(describeDifference(TABLE, row, { secrets, secretsBefore: [] })).toBe(
				before,
			);
			return before;
		};
		expect(tell("title", "a", undefined)).toBe(
			'title is not set on the service and "a" in the program',
		);
		expect(tell("count", { a: 1 }, 2)).toBe(
			'count is 2 on the service and {"a":1} in the program',
		);
		expect(tell("hiddenText", "secret", "other")).toBe("hiddenText");
		expect(tell("title", "secret", "other", ["title"])).toBe("title");
	});
});

describe("the inputs that the state has after a partial failure", () => {
	const table: Table<Live> = {
		title: {
			schema: z.string(),
			sent: ["create", "update"],
			change: "update",
			fromLive: (live) => live.title,
		},
		unread: { schema: z.string(), sent: ["update"], change: "update" },
		neverSent: { schema: z.string(), change: "replace" },
		onlyCreated: { schema: z.string(), sent: ["create"], change: "replace" },
	};
	const declared = { title: "a", unread: "b", neverSent: "c", onlyCreated: "d" };

	it("leave out what an update sends and no read can show, so that the next deployment sees a change", () => {
		const after = liveInputs(table, declared, { title: "old" }, "partial");
		expect(after).toEqual({ title: "old", neverSent: "c", onlyCreated: "d" });
		expect(changes(table, after, declared).map(({ field }) => field)).toEqual([
			"title",
			"unread",
		]);
	});

	it("have it after a success", () => {
		expect(liveInputs(table, declared, { title: "a" })).toEqual(declared);
	});
});

describe("the fields of a request", () => {
	const table: Table<Live> = {
		title: {
			schema: z.string(),
			wire: "the_title",
			sent: ["create", "update"],
			change: "update",
		},
		count: {
			schema: z.number(),
			wire: "the_count",
			sent: ["update"],
			change: "update",
			write: (value) => `#${String(value)}`,
		},
		unsent: { schema: z.string(), change: "none" },
	};
	const values = { title: "a", count: 1, unsent: "x" };

	it("are those that their rows send in it, under their names, in the form of the request", () => {
		expect(toWire(table, "create", values)).toEqual({ the_title: "a" });
		expect(toWire(table, "update", values)).toEqual({
			the_title: "a",
			the_count: "#1",
		});
	});

	it("are only the wanted ones, and none that is not set or has no name there", () => {
		expect(toWire(table, "update", values, new Set(["count"]))).toEqual({
			the_count: "#1",
		});
		expect(toWire(table, "update", { count: 2 })).toEqual({ the_count: "#2" });
		expect(toWire(table, ["title", "unsent", "other"], values)).toEqual({
			the_title: "a",
		});
	});
});

it("a change of a field that has no effect is none", () => {
	expect(changes(TABLE, { unread: "a" }, { unread: "b" })).toEqual([]);
});

it("of fields with one name in requests the last one is sent that is declared", () => {
	const table = { a: { wire: "x" }, b: { wire: "x" }, c: { wire: "y" } } as never;
	const sent = (field: string, values: object) =>
		fieldCarrying(table, field, { ...values });
	expect([
		sent("a", { a: 1, b: 2, c: 3 }),
		sent("b", { a: 1, c: 3 }),
		sent("a", { c: 3 }),
	]).toEqual(["b", "a", "a"]);
});

it("equality of texts takes undefined, null and an empty text for not set", () => {
	const same = sameText((a, b) => a.toLowerCase() === b.toLowerCase());
	expect([same("A", "a"), same("", undefined), same(null, "")]).toEqual([
		true,
		true,
		true,
	]);
	expect([same("a", ""), same("a", "b")]).toEqual([false, false]);
});

it("a check names what is wrong beside a value that is not known yet, with the path to it", () => {
	const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
	const lists = { files: [UNKNOWN, ""], requirements: [[UNKNOWN]] };
	const wrong = { ...settings, ...lists, environment: { A: UNKNOWN, B: null } };
	const problems = checkFields(SETTINGS_FIELDS, {}, wrong);
	expect(problems.map(({ reason }) => reason)).toEqual([
		"environment.B: must be a string, not null. Leave the variable out, or give an empty string.",
		"files.1: must be the id of a file, as JobFile gives it.",
	]);
});
