import { describe, expect, it } from "vitest";
import { describeDrift } from "../../../src/team/drift-rendering";
import {
	type DriftKind,
	type DriftReport,
	type FieldDrift,
	fingerprintOf,
	hasDrift,
} from "../../../src/team/drift-report";
import type { Cell } from "../../../src/text/report";
import { counted, sampleReport } from "../../helpers/drift-reports";

const sample = sampleReport();
const nothing = {
	changed: [],
	missing: [],
	unmanaged: [],
	twins: [],
	failed: [],
	unlisted: [],
	notRunning: [],
	unmanagedVariables: [],
};
const late = {
	clockChanges: sample.clockChanges.map((each) => ({ ...each, isPast: true })),
};

it.each<[string, Partial<DriftReport>, DriftKind[]]>([
	["unmanaged objects", { unmanaged: sample.unmanaged }, ["unmanaged"]],
	["a duplicate", { twins: sample.twins }, ["unmanaged", "duplicate"]],
	["a past daylight-saving change", late, ["changed"]],
])("%s count as drift of these kinds only", (_what, only, kinds) => {
	const report = { ...sample, ...nothing, ...only };
	const all = ["changed", "missing", "unmanaged", "duplicate"] as const;
	expect(all.filter((kind) => hasDrift(report, [kind]))).toEqual(kinds);
});

it.each<[string, DriftReport, boolean]>([
	[
		"at another time",
		{ ...sample, checkedAt: "2027-01-01T00:00:00.000Z", requests: 9 },
		true,
	],
	["of another name", sampleReport("other"), false],
	["after a daylight-saving change", { ...sample, ...late }, false],
	["without duplicates", { ...sample, twins: [] }, false],
	["without what could not be checked", { ...sample, failed: [] }, false],
	["without what a list leaves out", { ...sample, unlisted: [] }, false],
])("the fingerprint of a report %s is the same: %s", (_which, other, same) => {
	expect(fingerprintOf(other) === fingerprintOf(sample)).toBe(same);
});

it("the fingerprint is the same if only the requests that failed are others", () => {
	const failedIn = (reason: string) =>
		fingerprintOf({
			...sample,
			failed: sample.failed.map((each) => ({ ...each, reason })),
		});
	const [first, again] = [
		"(GET /x/, request a-1): 503.",
		"after 5 attempts (GET /x/, request b-2): 503.",
	];
	expect(failedIn(`Could not list jobs ${first}`)).toBe(
		failedIn(`Could not list jobs ${again}`),
	);
	expect(failedIn(`Could not list jobs ${first}`)).not.toBe(
		failedIn("Could not list jobs (GET /x/): 403."),
	);
});

const cellText = (cell: Cell): string =>
	cell.as === "resource"
		? `${cell.kind} ${cell.name}`
		: `${cell.text}${"meaning" in cell ? ` (${cell.meaning})` : ""}`;

/** The rows of a section, as texts. */
const rowsOf = (report: DriftReport, id: string): string[] =>
	describeDrift(report).sections.flatMap((section) =>
		section.id === id ? section.rows.map((row) => row.map(cellText).join(" | ")) : [],
	);

const changed = (fields: FieldDrift[]): DriftReport => ({
	...sample,
	changed: sample.changed.map((each) => ({ ...each, fields })),
});

describe("a drift report", () => {
	it("says that a missing schedule cannot be created again while another one has its name", () => {
		const introOf = (more: object) => {
			const unmanaged = sample.unmanaged
				.slice(0, 1)
				.map((each) => ({ ...each, ...more }));
			const { sections } = describeDrift({ ...sample, unmanaged });
			return JSON.stringify(sections.find(({ id }) => id === "missing"));
		};
		expect(introOf({})).not.toContain("Before the repair");
		expect(introOf({ name: "weekly" })).toContain(
			'Unmanaged schedules have these names: \\"weekly\\". Before the repair, delete or rename them',
		);
		expect(introOf({ name: "weekly", team: "another" })).not.toContain(
			"Before the repair",
		);
	});

	it("has a section for each kind of finding, with its severity, in a fixed order", () => {
		const { sections, headline, footnotes } = describeDrift(sample);
		expect(
			sections.map(({ id, severity, rows, count = rows.length }) => [
				id,
				severity,
				count,
			]),
		).toEqual([
			["changed", "odd", 1],
			["missing", "bad", 1],
			["twins", "bad", 1],
			["failed", "bad", 3],
			["unmanaged", "info", 2],
			["unlisted", "bad", 1],
			["not-running", "odd", 2],
			["unmanaged-variables", "quiet", 1],
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
				["changed", "missing"].includes(id)
					? "pulumi up --refresh --stack dev"
					: undefined,
			);
	});

	it.each(
		Object.entries({
			missing: ["Schedule weekly | weekly | 7 | vision"],
			failed: [
				"Schedule hourly | hourly | vision | 502 for nightly.",
				"pipeline | odd-one | vision | status: Invalid input",
				"list of pipelines | all | vision | 403 for the list.",
			],
			unmanaged: [
				"schedule | nightly | vision | ops-oncall | 2026-01-01 02:30 UTC",
				"pipeline | rusty-vise | vision | unknown | unknown",
			],
			unchecked: ["File nightly | content | It cannot be read back."],
			clocks: [
				"berlin | Europe/Berlin | 2026-03-29 01:00 UTC | 0 2 * * * (every day at 02:00 UTC) | 0 1 * * * (every day at 01:00 UTC)",
			],
		}),
	)("shows what was found in section %s", (id, rows) => {
		expect(rowsOf(sample, id)).toEqual(rows);
	});

	it.each([
		[{}, 'runs the pipeline a second time ("quiet-harbor")'],
		[
			{ samePipeline: false },
			'runs another pipeline under the same name ("quiet-harbor")',
		],
		[
			{ pipeline: null, samePipeline: null },
			"has the same name; which pipeline it runs could not be read",
		],
	])(
		"names a duplicate (%j) with both ids, who made it, how old it is and what it does",
		(more, what) => {
			const twins = sample.twins.map((each) => ({ ...each, ...more }));
			expect(rowsOf({ ...sample, twins }, "twins")).toEqual([
				`nightly | 7 | 9 | vision | another-stack | 2026-01-28 03:00 UTC, 3 days ago | ${what}`,
			]);
		},
	);

	it.each<[string, string, Pick<FieldDrift, "declared" | "live">, string]>([
		[
			"an instant",
			"startAfter",
			{ declared: "2031-01-01T01:00:00+01:00", live: "2031-01-01T00:00:30Z" },
			"2031-01-01 00:00 UTC | 2031-01-01 00:00:30 UTC",
		],
		[
			"an expression",
			"utcCron",
			{ declared: "0 3 * * *", live: "x" },
			"0 3 * * * (every day at 03:00 UTC) | x (undefined)",
		],
		["a text", "pythonVersion", { declared: "3.12", live: "" }, '"3.12" | ""'],
		["a number and nothing", "workers", { declared: 2, live: null }, "2 | not set"],
		[
			"a hidden value",
			"environment.KEY",
			{ declared: "canary-a", live: "canary-b" },
			"set | differs",
		],
	])(
		"shows %s as people read it, whatever the report holds",
		(what, field, values, shown) => {
			const hidden = what === "a hidden value";
			const [row] = rowsOf(
				changed([{ field, hidden, how: "changed", ...values }]),
				"changed",
			);
			expect(row).toBe(
				`Schedule nightly | nightly | ${field} | ${shown} | 2026-01-30 03:00 UTC`,
			);
		},
	);
});

describe("the verdict", () => {
	/** The sample with only what is given in it. */
	const settled = (more: Partial<DriftReport>) =>
		counted({ ...sample, ...nothing, ...more });

	const UNSURE = "Not everything could be checked";
	const COMMENTS = {
		"No drift": "No DataChain drift",
		"No drift in managed resources": "DataChain drift",
		[UNSURE]: "DataChain drift: not everything could be checked",
		Drift: "DataChain drift",
	};

	it.each<[string, Partial<DriftReport>, keyof typeof COMMENTS, RegExp]>([
		["nothing is found", {}, "No drift", /: 0 changed, 0 missing, 0 unmanaged$/],
		[
			"only unmanaged",
			{ unmanaged: sample.unmanaged },
			"No drift in managed resources",
			/2 unmanaged$/,
		],
		[
			"the clocks changed",
			late,
			"Drift",
			/0 unmanaged, 1 at a different local time than declared$/,
		],
		[
			"a list is cut short",
			{ unlisted: sample.unlisted },
			UNSURE,
			/, 1 left out of the team's list$/,
		],
		[
			"a schedule does not run",
			{ notRunning: sample.notRunning },
			"No drift",
			/, 2 managed but not running$/,
		],
		["there is a duplicate", { twins: sample.twins }, "Drift", /, 1 duplicate$/],
	])("if %s", (_if, more, verdict, headline) => {
		const described = describeDrift(settled(more));
		expect([described.verdict?.text, described.heading.comment]).toEqual([
			verdict,
			COMMENTS[verdict],
		]);
		expect(described.headline).toMatch(headline);
		expect(described.headline).toMatch(
			/^stack "dev" of project "images" against team "vision": /,
		);
	});

	it("names the command that repairs a past daylight-saving change", () => {
		expect(rowsOf(settled(late), "clocks")[0]).toContain("2026-03-29 01:00 UTC (past)");
		const clocks = describeDrift(settled(late)).sections.at(-1);
		expect([clocks?.severity, clocks?.repair]).toEqual([
			"odd",
			"pulumi up --stack dev",
		]);
	});
});
