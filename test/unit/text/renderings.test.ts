import { describe, expect, it } from "vitest";
import {
	columns,
	created,
	facts,
	reportMarkdown,
	reportText,
	shortTime,
	table,
} from "../../../src/text/renderings";
import {
	lengthWords,
	moment,
	name,
	type Report,
	type Section,
	time,
	words,
} from "../../../src/text/report";

const ESC = "\u001b";

const section = (more: Partial<Section> = {}): Section => ({
	id: "changed",
	title: "Changed",
	severity: "odd",
	what: "Differs from what was deployed.",
	heads: ["Resource", "Name", "Field", "Declared"],
	rows: [],
	...more,
});

/** A report whose one section has two rows of one resource. */
function report(called = "nightly", more: Partial<Section> = {}): Report {
	const who = { as: "resource", kind: "Schedule", name: called } as const;
	const cron = {
		as: "cron",
		text: "0 3 * * *",
		meaning: "every day at 03:00 UTC",
	} as const;
	const rows = [
		[who, name(called), name("cronExpression"), cron],
		[who, name(called), name("startAfter"), time(moment("2026-01-31T03:00:00Z"))],
	];
	return {
		heading: { page: "Drift of dev", comment: "DataChain drift" },
		verdict: { text: "Drift", severity: "bad" },
		headline: "stack dev: 1 changed",
		footnotes: ["Checked with 2 requests."],
		sections: [
			section({ rows, count: 1, spare: 1, repair: "pulumi up --refresh", ...more }),
		],
		notes: ["The clusters could not be read."],
	};
}

/** Without our own colours; anything else that steers a terminal stays. */
const text = (shown: Report): string =>
	reportText(shown).replace(new RegExp(`${ESC}\\[\\d+m`, "g"), "");

describe.each([
	["text", text],
	["Markdown", reportMarkdown],
])("a report as %s", (_form, render) => {
	it("shows the command that repairs it as a whole, also of a stack with a long name", () => {
		const repair = `pulumi up --refresh --stack '${"it".repeat(48)} a'`;
		const shown = render(report("nightly", { repair }));
		expect(
			shown.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code)),
		).toContain(repair);
	});

	it("lets no name steer the terminal or turn the text around", () => {
		const shown = render(report(`a${ESC}[2Jb\u202ec\nd`));
		for (const steering of [ESC, "\u202e"]) expect(shown).not.toContain(steering);
		expect(shown).toMatch(/a(\\|&#92;)+x1b(&#91;|\[)2Jb(\\|&#92;)+u202ec d/);
	});
});

describe("the text", () => {
	it("is for a terminal, with the resource of rows once, before the first of them", () => {
		expect(text(report())).toBe(`Drift: stack dev: 1 changed.
Checked with 2 requests.

Changed (1)
  Differs from what was deployed.
  To repair: pulumi up --refresh
  resource          name     field           declared
  Schedule nightly  nightly  cronExpression  0 3 * * *  every day at 03:00 UTC
                             startAfter      2026-01-31 03:00 UTC

The clusters could not be read.
`);
	});

	it("ends a long section with the number of rows left out, and leaves out an empty one", () => {
		const rows = Array.from({ length: 100 }, () => [words("x")]);
		expect(text(report("a", { heads: ["What"], rows }))).toContain(
			"and 60 more; --json",
		);
		expect(text(report("a", { rows: [], count: 0 }))).not.toContain("Changed");
	});
});

describe("the Markdown", () => {
	it("is for a comment, without the column that it can spare", () => {
		expect(reportMarkdown(report())).toBe(`### DataChain drift

stack dev&#58; 1 changed.
<br><sub>Checked with 2 requests.</sub>

#### Changed (1)

Differs from what was deployed.

To repair: <code>pulumi up --refresh</code>

| Resource | Field | Declared |
|---|---|---|
| Schedule <code>nightly</code> | <code>cronExpression</code> | <code>0 3 &#42; &#42; &#42;</code><br>every day at 03&#58;00 UTC |
| Schedule <code>nightly</code> | <code>startAfter</code> | 2026-01-31 03:00 UTC |

<sub>The clusters could not be read.</sub>
`);
	});

	it("takes no markup, mention or table cell from a name, nor from a moment that is none", () => {
		const hostile = "@all | [x](http://e) `a` <img src=x> **b**";
		const shown = reportMarkdown(
			report(hostile, { what: `Another one is "${hostile}".` }),
		);
		expect(shown).not.toMatch(/@all|<img|\[x\]|`a`|\*\*b/);
		const rows = shown.split("\n").filter((line) => line.includes("cronExpression"));
		expect(rows.map((row) => row.split("|").length)).toEqual([5]);
		const odd = [[time(moment("<img src=x> | @all"))]];
		expect(reportMarkdown(report("a", { rows: odd }))).not.toMatch(/<img|@all/);
	});

	it("fits into a comment however much there is", () => {
		const rows = Array.from({ length: 4_000 }, () => [words("|".repeat(1_000))]);
		const sections = Array.from({ length: 8 }, () =>
			section({ heads: ["What"], rows }),
		);
		const shown = reportMarkdown({ ...report(), sections });
		expect(shown.length).toBeLessThan(65_536);
		expect(shown).toMatch(/… and \d+ more rows/);
	});
});

it.each([
	[400, "0 s"],
	[45_000, "45 s"],
	[12 * 60_000, "12 min"],
	[185 * 60_000, "3 h 05 min"],
	[52 * 3_600_000, "2 d 4 h"],
])("%i ms are %s", (millis, text) => expect(lengthWords(millis)).toBe(text));

it("columns stand below each other, also behind wide, combined and invisible characters", () => {
	const rows = [
		["id", "name"],
		["日本", "x"],
		["e\u0301\u200b", "y"],
		["🚀", "z"],
	];
	expect(columns(rows)).toBe("id    name\n日本  x\ne\u0301\u200b     y\n🚀    z\n");
});

it("a cell is one line in which nothing moves the cursor, and nothing stands behind the last one", () => {
	const cells = ["a\u001b[2Jb\nc\td\u202e", null, undefined];
	expect(columns([cells])).toBe("a\\x1b[2Jb c d\\u202e\n");
});

it("a table has heads, and says so if it has no rows", () => {
	expect(
		table([{ n: 1 }], "None.", { id: ({ n }) => n, "name (UTC)": () => "a" }),
	).toBe("ID  NAME (UTC)\n1   a\n");
	expect(table([], "None.", { id: String })).toBe("None.\n");
});

it("facts without a value are left out", () => {
	const all = [
		["Name", "a"],
		["Exit code", 0],
		["Error", null],
		["Note", ""],
	] as const;
	expect(facts(all)).toBe("Name       a\nExit code  0\n");
});

it("times are shown in UTC, with whatever offset the service writes them", () => {
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
