import { describe, expect, it } from "vitest";
import {
	type DriftKind,
	type DriftReport,
	describeDrift,
	driftReportSchema,
	exitCodeOf,
	type FieldDrift,
	fingerprintOf,
	hasDrift,
} from "../../../src/commands/drift-report";
import type { Cell } from "../../../src/report/report";
import { counted, sampleReport } from "../../helpers/drift-reports";

const late = { clockChanges: sampleReport().clockChanges.map((each) => ({ ...each, isPast: true })) };

it.each<[string, Partial<DriftReport>, DriftKind[]]>([
	["unmanaged objects", { changed: [], missing: [], twins: [] }, ["unmanaged"]],
	["a duplicate", { changed: [], missing: [], unmanaged: [] }, ["unmanaged", "duplicate"]],
	[
		"a past daylight-saving change",
		{ ...late, changed: [], missing: [], unmanaged: [], twins: [] },
		["changed"],
	],
])("%s count as drift of these kinds only", (_what, more, kinds) => {
	const report = { ...sampleReport(), ...more };
	const all = ["changed", "missing", "unmanaged", "duplicate"] as const;
	expect(all.filter((kind) => hasDrift(report, [kind]))).toEqual(kinds);
});

it.each<[number, Partial<DriftReport>]>([
	[2, {}],
	[1, { changed: [] }],
	[1, { changed: [], failed: [] }],
	[0, { changed: [], failed: [], unlisted: [] }],
])("the exit code is %i with %j: what could not be checked does not pass for no drift", (code, more) => {
	expect(exitCodeOf({ ...sampleReport(), ...more }, ["changed"])).toBe(code);
});

it.each<[string, DriftReport, boolean]>([
	["at another time", { ...sampleReport(), checkedAt: "2027-01-01T00:00:00.000Z", requests: 9 }, true],
	["of another name", sampleReport("other"), false],
	["after a daylight-saving change", { ...sampleReport(), ...late }, false],
	...(["twins", "failed", "unlisted"] as const).map((section): [string, DriftReport, boolean] => [
		`without ${section}`,
		{ ...sampleReport(), [section]: [] },
		false,
	]),
])("the fingerprint of a report %s is the same: %j", (_which, other, same) => {
	expect(fingerprintOf(other) === fingerprintOf(sampleReport())).toBe(same);
});

it("a drift report has its documented JSON form", () => {
	const text = JSON.stringify(sampleReport());
	expect(driftReportSchema.strict().parse(JSON.parse(text))).toEqual(sampleReport());
});

const cellText = (cell: Cell): string =>
	cell.as === "resource"
		? `${cell.kind} ${cell.name}`
		: `${cell.text}${"meaning" in cell ? ` (${cell.meaning})` : ""}`;

/** The cells of a section's rows, as texts. */
const rowsOf = (report: DriftReport, id: string): string[][] =>
	describeDrift(report).sections.flatMap((section) =>
		section.id === id ? section.rows.map((row) => row.map(cellText)) : [],
	);

const changed = (fields: FieldDrift[]): DriftReport => {
	const report = sampleReport();
	return { ...report, changed: report.changed.map((each) => ({ ...each, fields })) };
};

describe("a drift report", () => {
	it("says that a missing schedule cannot be created again while another one has its name", () => {
		const report = sampleReport();
		const introOf = (each: DriftReport) =>
			JSON.stringify(describeDrift(each).sections.find(({ id }) => id === "missing"));
		expect(introOf(report)).not.toContain("The repair fails");
		const [lost] = report.missing;
		const [other] = report.unmanaged;
		if (lost === undefined || other === undefined) throw new Error("The sample has neither.");
		const taken = { ...other, kind: "schedule" as const, team: lost.team, name: lost.name };
		expect(introOf({ ...report, unmanaged: [taken] })).toContain(
			`Unmanaged schedules have these names now: \\"${lost.name}\\". The repair fails until`,
		);
		expect(introOf({ ...report, unmanaged: [{ ...taken, team: "another" }] })).not.toContain(
			"The repair fails",
		);
	});

	it("has a section for each kind of finding, with its severity, in a fixed order", () => {
		const { sections, headline, footnotes } = describeDrift(sampleReport());
		expect(sections.map(({ id, severity, rows, count = rows.length }) => [id, severity, count])).toEqual([
			["changed", "odd", 1],
			["missing", "bad", 1],
			["twins", "bad", 1],
			["failed", "bad", 3],
			["unmanaged", "info", 2],
			["unlisted", "bad", 1],
			["unchecked", "quiet", 1],
			["clocks", "quiet", 1],
		]);
		expect(headline).toContain("3 could not be checked");
		expect(footnotes).toEqual([
			"Checked 6 managed resources with 2 requests at 2026-01-31 03:00 UTC; 3 as declared.",
			"4 unmanaged objects ignored by pattern.",
		]);
		for (const { id, repair } of sections)
			expect(repair).toBe(
				["changed", "missing"].includes(id) ? "pulumi up --refresh --stack dev" : undefined,
			);
	});

	it.each<[string, string[][]]>([
		["missing", [["Schedule weekly", "weekly", "7", "vision"]]],
		[
			"failed",
			[
				["Schedule hourly", "hourly", "vision", "502 for nightly."],
				["pipeline", "odd-one", "vision", "status: Invalid input"],
				["list of pipelines", "all", "vision", "403 for the list."],
			],
		],
		[
			"unmanaged",
			[
				["schedule", "nightly", "vision", "ops-oncall", "2026-01-01 02:30 UTC"],
				["pipeline", "rusty-vise", "vision", "unknown", "unknown"],
			],
		],
		["unlisted", [["Schedule beyond", "beyond-the-cap", "7", "vision"]]],
		["unchecked", [["File nightly", "content", "It cannot be read back."]]],
		[
			"clocks",
			[
				[
					"berlin",
					"Europe/Berlin",
					"2026-03-29 01:00 UTC",
					"0 2 * * * (every day at 02:00 UTC)",
					"0 1 * * * (every day at 01:00 UTC)",
				],
			],
		],
	])("shows what was found in section %s", (id, rows) => {
		expect(rowsOf(sampleReport(), id)).toEqual(rows);
	});

	it.each([
		[{}, 'runs the pipeline a second time ("quiet-harbor")'],
		[{ samePipeline: false }, 'runs another pipeline under the same name ("quiet-harbor")'],
		[{ pipeline: null, samePipeline: null }, "has the same name; which pipeline it runs could not be read"],
	])("names a duplicate (%j) with both ids, who made it, how old it is and what it does", (more, what) => {
		const report = sampleReport();
		const twins = report.twins.map((each) => ({ ...each, ...more }));
		expect(rowsOf({ ...report, twins }, "twins")).toEqual([
			["nightly", "7", "9", "vision", "another-stack", "2026-01-28 03:00 UTC, 3 days ago", what],
		]);
	});

	it.each<[string, Omit<FieldDrift, "how">, string, string]>([
		[
			"an instant",
			{
				field: "startAfter",
				hidden: false,
				declared: "2031-01-01T01:00:00+01:00",
				live: "2031-01-01T00:00:30Z",
			},
			"2031-01-01 00:00 UTC",
			"2031-01-01 00:00:30 UTC",
		],
		[
			"an expression",
			{ field: "utcCron", hidden: false, declared: "0 3 * * *", live: "x" },
			"0 3 * * * (every day at 03:00 UTC)",
			"x (undefined)",
		],
		["a text", { field: "pythonVersion", hidden: false, declared: "3.12", live: "" }, '"3.12"', '""'],
		["a number and nothing", { field: "workers", hidden: false, declared: 2, live: null }, "2", "not set"],
		[
			"a hidden value, whatever the report holds",
			{ field: "environment.KEY", hidden: true, declared: "canary-a", live: "canary-b" },
			"set",
			"differs",
		],
	])("shows %s as people read it", (_what, field, declared, live) => {
		const [row] = rowsOf(changed([{ ...field, how: "changed" }]), "changed");
		expect(row?.slice(2)).toEqual([field.field, declared, live]);
	});
});

describe("the verdict", () => {
	const sample = sampleReport();
	const nothing = { changed: [], missing: [], unmanaged: [], twins: [], failed: [], unlisted: [] };
	/** The sample with only what is given in it. */
	const settled = (more: Partial<DriftReport>) => counted({ ...sample, ...nothing, ...more });

	it.each<[string, Partial<DriftReport>, string, string, RegExp]>([
		["nothing is found", {}, "No drift", "No DataChain drift", /: 0 changed, 0 missing, 0 unmanaged$/],
		[
			"something is only unmanaged",
			{ unmanaged: sample.unmanaged },
			"No drift in what is managed",
			"DataChain drift",
			/2 unmanaged$/,
		],
		[
			"a schedule runs at another local time than declared",
			late,
			"Drift",
			"DataChain drift",
			/0 unmanaged, 1 at another local time than declared$/,
		],
		[
			"the team's list is cut short",
			{ unlisted: sample.unlisted },
			"Not everything could be checked",
			"DataChain drift: not everything could be checked",
			/, 1 left out of the team's list$/,
		],
		[
			"something could not be checked",
			{ failed: sample.failed },
			"Not everything could be checked",
			"DataChain drift: not everything could be checked",
			/, 3 could not be checked$/,
		],
		["there is a duplicate", { twins: sample.twins }, "Drift", "DataChain drift", /, 1 duplicate$/],
	])("if %s", (_if, more, verdict, comment, headline) => {
		const described = describeDrift(settled(more));
		expect([described.verdict?.text, described.heading.comment]).toEqual([verdict, comment]);
		expect(described.headline).toMatch(headline);
		expect(described.headline).toMatch(/^stack "dev" of project "images" against team "vision": /);
	});

	it("names the command that repairs a past daylight-saving change", () => {
		const clocks = describeDrift(settled(late)).sections.at(-1);
		expect([clocks?.severity, clocks?.repair]).toEqual(["odd", "pulumi up --stack dev"]);
	});
});
