import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import {
	compareRuns,
	describeComparison,
	runChanges,
} from "../../../src/team/forecast-compare";
import {
	describeForecast,
	describeForTerminal,
	forecastReportSchema,
} from "../../../src/team/forecast-report";
import { windowOf } from "../../../src/team/forecast-runs";
import {
	type ForecastSchedule,
	pipelineFacts,
	pipelineKey,
} from "../../../src/team/forecast-schedules";
import { reportText } from "../../../src/text/renderings";
import type { Report } from "../../../src/text/report";
import {
	FROM,
	factsFor,
	factsOf,
	forecastOf,
	MINUTE,
	scheduleOf,
} from "../../helpers/forecast-team";

const at = (text: string) => Date.parse(`2026-${text}:00Z`);
const noCron = { cron: null };
const textOf = (report: Report) => stripVTControlCharacters(reportText(report));

describe("a forecast", () => {
	it("lists every run of every schedule, by weekday and hour too, in its documented form", () => {
		const report = forecastReportSchema
			.strict()
			.parse(forecastOf([scheduleOf("a"), scheduleOf("b", { cron: "30 3 * * 1" })]));
		expect(
			report.schedules.map(({ name, count, next }) => [name, count, next]),
		).toEqual([
			["a", 7, "2026-03-02T03:00:00Z"],
			["b", 1, "2026-03-02T03:30:00Z"],
		]);
		expect(report.schedules[1]?.runs).toEqual(["2026-03-02T03:30:00Z"]);
		expect(report.heat.map((row) => row[3])).toEqual([2, 1, 1, 1, 1, 1, 1]);
		expect(report.heat.flat().reduce((a, b) => a + b)).toBe(8);
		expect(report.busiestHours[0]).toEqual({ at: "2026-03-02T03:00:00Z", runs: 2 });
		expect(report.summary).toMatchObject({ schedules: 2, runs: 8 });
	});

	it.each([
		[0, undefined],
		[3, 3],
	])(
		"lists at most %i runs if told so, and counts all of them",
		(mostListed, listed) => {
			const { schedules, summary } = forecastOf([scheduleOf("a")], { mostListed });
			expect([schedules[0]?.runs?.length, summary.runs]).toEqual([listed, 7]);
		},
	);

	it("shows the busiest hour of each weekday, however often the weekday occurs", () => {
		// Thirty days from a Monday: Monday and Tuesday occur five times, the others four.
		const schedules = ["a", "b", "c"].map((name) => scheduleOf(name));
		const report = forecastOf(schedules, { days: 30 });
		expect(report.heat.map((row) => row[3])).toEqual([15, 15, 12, 12, 12, 12, 12]);
		expect(report.busiestByHour.map((row) => row[3])).toEqual(Array(7).fill(3));
		expect(report.busiestByDay).toEqual(Array(7).fill(3));
	});

	it("has no heat map as text, but the busiest hours and the first run of each schedule", () => {
		const text = textOf(
			describeForTerminal(forecastOf([scheduleOf("a"), scheduleOf("b")])),
		);
		expect(text).toMatch(
			/Busiest hours \(5\)[\s\S]*?hour +runs\n +2026-03-02 03:00 UTC +2\n/,
		);
		expect(text).toMatch(
			/Schedules that run \(2\)[\s\S]*? 2026-03-02 03:00 UTC +7 +a /,
		);
		expect(text).not.toMatch(/^Mon |█/m);
	});

	it("shows the window, the busiest hours, first runs and problems by the clocks of --time-zone", () => {
		const berlin = { declared: "0 4 * * *", timeZone: "Europe/Berlin" };
		const report = forecastOf([scheduleOf("a", { ...berlin, pipeline: "p" })], {
			window: windowOf(at("03-28T00:00"), 2, at("03-28T00:00")),
			timeZone: "Europe/Berlin",
			pipelines: factsFor({ p: factsOf({ workers: 2, lengths: [25 * 60 * MINUTE] }) }),
			clusters: [{ team: "ml", name: "default", default: true, max_workers: 1 }],
		});
		const text = textOf(describeForTerminal(report));
		// In the night between the two days, the clocks of Berlin go forward.
		expect(text).toContain(
			"2026-03-28 01:00 +01:00 to 2026-03-30 02:00 +02:00 (Europe/Berlin)",
		);
		expect(text).toMatch(
			/Busiest hours [\s\S]*? 2026-03-28 04:00 \+01:00 +1\n +2026-03-29 05:00 \+02:00 +1\n/,
		);
		expect(text).toMatch(/Schedules that run [\s\S]*? 2026-03-28 04:00 \+01:00 +2 +a /);
		expect(text).toMatch(/overlap themselves [\s\S]*? 2026-03-29 05:00 \+02:00\n/);
		expect(text).toMatch(/Overloaded clusters [\s\S]*? 2026-03-29 05:00 \+02:00 /);
		expect(text).toMatch(/Daylight-saving changes [\s\S]*? 2026-03-29 03:00 \+02:00 /);
		expect(text).not.toMatch(/\d-\d\d \d\d:\d\d UTC/);
		// JSON has instants, whatever the zone.
		expect(report.schedules[0]?.next).toBe("2026-03-28T03:00:00Z");
	});

	it("counts hours by the clocks of the zone it is shown in, also across their change", () => {
		const window = windowOf(at("03-26T00:00"), 7);
		const schedule = scheduleOf("a", { cron: "30 22 * * *" });
		const { heat } = forecastOf([schedule], { window, timeZone: "Europe/Berlin" });
		// Thursday to Saturday at 23:30, and from Sunday on at half past midnight of the next day.
		expect(heat.map((row) => row[23])).toEqual([0, 0, 0, 1, 1, 1, 0]);
		expect(heat.map((row) => row[0])).toEqual([1, 1, 1, 1, 0, 0, 0]);
	});

	it.each([
		[
			"was to run once, in the past",
			{ ...noCron, startAfter: FROM - 1 },
			"never",
			/that time has passed/,
		],
		["has no time at all", noCron, "never", /neither a cron expression nor a start/],
		[
			"has an expression that never fires",
			{ cron: "0 0 31 2 *" },
			"unreadable",
			/cannot be read/,
		],
		[
			"has a secret expression",
			{ hidden: "its cron expression is a secret" },
			"unreadable",
			/is a secret/,
		],
		["is declared as paused", { paused: true }, "paused", /its pipeline is paused/],
	])(
		"says of a schedule that %s that it does not run, and why",
		(_, more, status, why) => {
			const report = forecastOf([scheduleOf("a", more)]);
			expect(report.schedules).toMatchObject([
				{ status, why: expect.stringMatching(why), count: 0, next: null },
			]);
			expect(report.summary.runs).toBe(0);
		},
	);

	it.each([
		["paused by hand", true, false, "paused"],
		["resumed by hand", false, true, "runs"],
	])(
		"goes by the service, not by the program, for a pipeline that was %s",
		(_, live, declared, status) => {
			const schedules = [scheduleOf("a", { pipeline: "p", paused: declared })];
			const report = forecastOf(schedules, {
				pipelines: factsFor({ p: factsOf({ paused: live }) }),
			});
			expect(report.schedules[0]?.status).toBe(status);
		},
	);

	it("orders by the next run, to the fraction of a second, then by name, the same on every machine; none come last", () => {
		const once = (name: string, startAfter: string) =>
			scheduleOf(name, { ...noCron, startAfter: Date.parse(startAfter) });
		const { schedules } = forecastOf([
			...["idle", "Idle"].map((name) => scheduleOf(name, noCron)),
			once("later", "2026-03-02T00:00:00.500Z"),
			once("sooner", "2026-03-02T00:00:00Z"),
			...["b", "a", "B"].map((name) => scheduleOf(name)),
		]);
		expect(schedules.map(({ name }) => name)).toEqual([
			"sooner",
			"later",
			"B",
			"a",
			"b",
			"Idle",
			"idle",
		]);
		expect(schedules[1]?.next).toBe("2026-03-02T00:00:00.500Z");
	});

	it("does not advise to delete a schedule whose time it cannot see", () => {
		const report = forecastOf([
			scheduleOf("hidden", { hidden: "its cron expression is a secret" }),
			// Croniter takes the sixth field for seconds, so a service may well run it.
			scheduleOf("odd", { cron: "0 3 * * * 30" }),
		]);
		const rows = (id: string) =>
			describeForecast(report).sections.find((section) => section.id === id)?.rows;
		expect(rows("never")).toBeUndefined();
		expect(
			rows("unknown")?.map((row) => row.map((cell) => "text" in cell && cell.text)),
		).toEqual([
			[
				"hidden",
				"pipeline-of-hidden",
				"ml",
				"not known",
				"its cron expression is a secret",
			],
			[
				"odd",
				"pipeline-of-odd",
				"ml",
				"0 3 * * * 30",
				"its cron expression cannot be read",
			],
		]);
	});

	it("of a time further ahead does not take what runs before it for over", () => {
		const window = windowOf(at("03-20T00:00"), 7, FROM);
		const once = (name: string, startAfter: number) =>
			scheduleOf(name, { ...noCron, startAfter });
		const both = [once("before", at("03-04T05:06")), once("over", at("03-01T00:00"))];
		const { schedules } = forecastOf(both, { window });
		expect(schedules.map(({ name, status, next }) => [name, status, next])).toEqual([
			["before", "later", "2026-03-04T05:06:00Z"],
			["over", "never", null],
		]);
	});

	it("finds the next run behind the window, and none before the start of a schedule", () => {
		const report = forecastOf([
			scheduleOf("leap", { cron: "0 0 29 2 *" }),
			scheduleOf("late", { startAfter: at("04-01T00:00") }),
			scheduleOf("now", { ...noCron, startAfter: FROM }),
			scheduleOf("soon", { startAfter: at("03-06T12:00") }),
			// The window begins with one of its runs, and ends before another.
			scheduleOf("edge", { cron: "0 0 * * *" }),
		]);
		const found = Object.fromEntries(
			report.schedules.map(({ name, status, next, count }) => [
				name,
				[status, next?.slice(0, 16), count],
			]),
		);
		expect(found).toEqual({
			leap: ["later", "2028-02-29T00:00", 0],
			late: ["later", "2026-04-01T03:00", 0],
			now: ["runs", "2026-03-02T00:00", 1],
			soon: ["runs", "2026-03-07T03:00", 2],
			edge: ["runs", "2026-03-02T00:00", 7],
		});
	});

	it("finds pipelines that overlap themselves, over all schedules that run them", () => {
		const both = [
			scheduleOf("a", { pipeline: "p", cron: "0 3 * * *" }),
			scheduleOf("b", { pipeline: "p", cron: "20 3 * * 1" }),
		];
		const lengths = [45 * MINUTE, 30 * MINUTE, 10 * MINUTE];
		const { overlaps } = forecastOf(both, {
			pipelines: factsFor({ p: factsOf({ lengths }) }),
		});
		expect(overlaps).toEqual([
			{
				pipeline: "p",
				team: "ml",
				typicalSeconds: 1_800,
				seen: 3,
				shortestGapSeconds: 1_200,
				times: 1,
				firstAt: "2026-03-02T03:20:00Z",
			},
		]);
		const short = factsFor({ p: factsOf({ lengths: [20 * MINUTE] }) });
		expect(forecastOf(both, { pipelines: short }).overlaps).toEqual([]);
		expect(forecastOf(both).overlaps).toEqual([]);
	});

	it("adds up the workers of runs that are under way at once, against what the cluster of their team may have", () => {
		const schedules = [
			scheduleOf("a", { pipeline: "p" }),
			scheduleOf("b", { pipeline: "q", cron: "10 3 * * *" }),
			scheduleOf("c", { pipeline: "g" }),
			scheduleOf("d", { team: "audio" }),
			scheduleOf("e", { team: "bare" }),
		];
		const pipelines = factsFor({
			p: factsOf({ workers: 3, lengths: [15 * MINUTE] }),
			q: factsOf({ workers: 2, lengths: [30 * MINUTE] }),
			g: factsOf({ workers: 4, cluster: "gpu" }),
		});
		const clusters = [
			{ team: "ml", name: "default", default: true, max_workers: 3 },
			{ team: "ml", name: "gpu" },
			{ team: "audio", name: "default", max_workers: 1 },
			{ team: "audio", name: "big", default: true, max_workers: 1 },
		];
		// From a moment between two minutes.
		const window = windowOf(FROM + MINUTE / 2, 7);
		const found = forecastOf(schedules, { pipelines, clusters, window }).clusters;
		expect(found.map((each) => Object.values(each))).toEqual([
			["big", "audio", 1, 1, "2026-03-02T03:00:00Z", 0],
			["default", "ml", 3, 5, "2026-03-02T03:10:00Z", 7 * 5],
			["gpu", "ml", null, 4, "2026-03-02T03:00:00Z", 0],
		]);
	});

	it("names a daylight-saving change in advance, and a past one that was not deployed since", () => {
		const berlin = { declared: "0 3 * * *", timeZone: "Europe/Berlin" };
		const schedules = [
			scheduleOf("good", { ...berlin, cron: "0 2 * * *" }),
			scheduleOf("old", { ...berlin, cron: "0 1 * * *" }),
			scheduleOf("elsewhere", { ...berlin, timeZone: "Mars/Olympus" }),
		];
		const { clockChanges } = forecastOf(schedules);
		const inSpring = {
			at: "2026-03-29T01:00:00Z",
			isPast: false,
			from: "0 2 * * *",
			to: "0 1 * * *",
		};
		expect(clockChanges).toMatchObject([
			{ name: "good", ...inSpring },
			{ name: "old", at: "2025-10-26T01:00:00Z", isPast: true, to: "0 2 * * *" },
		]);
		const inWinter = { window: windowOf(at("01-02T00:00"), 7) };
		expect(forecastOf(schedules.slice(0, 1), inWinter).clockChanges).toEqual([]);
	});

	it("of a time further ahead tells by the present which daylight-saving change has passed", () => {
		const berlin = {
			declared: "0 3 * * *",
			timeZone: "Europe/Berlin",
			cron: "0 2 * * *",
		};
		const window = windowOf(at("04-10T00:00"), 7, FROM);
		expect(forecastOf([scheduleOf("a", berlin)], { window }).clockChanges).toEqual([
			expect.objectContaining({
				at: "2026-03-29T01:00:00Z",
				isPast: false,
				to: "0 1 * * *",
			}),
		]);
	});
});

describe("the usual length of a run", () => {
	const times = (created: string, updated: string) => ({
		status: "COMPLETED",
		created_at: `2026-${created}:00Z`,
		updated_at: `2026-${updated}:00Z`,
	});
	const run = {
		pipeline_id: "r",
		name: "p-run",
		schedule_name: "a",
		is_template: false,
	};
	type Facts = Parameters<typeof pipelineFacts>;
	const lengths = (pipelines: Facts[2], jobs: Facts[3]) => {
		const facts = pipelineFacts(
			"ml",
			[scheduleOf("a", { pipeline: "p" })],
			pipelines,
			jobs,
		);
		return facts.get(pipelineKey("ml", "p"))?.lengths;
	};

	it("is never that of the template, whose updated_at any write of settings moves", () => {
		const old = times("03-01T00:00", "03-10T00:00");
		for (const template of [
			{ is_template: true },
			{ is_template: null, schedule_name: "a" },
			{},
		]) {
			expect(
				lengths([{ pipeline_id: "t", name: "p", ...old, ...template }], []),
			).toEqual([]);
		}
		expect(lengths([{ ...run, ...times("03-01T00:00", "03-01T00:10") }], [])).toEqual([
			10 * MINUTE,
		]);
	});

	it("ends with the last of its jobs, although something wrote to it later", () => {
		const job_runs = ["1", "2"].map((id) => ({ created_job_id: id }));
		const written = { ...run, ...times("03-01T00:00", "03-10T00:00"), job_runs };
		const job = (id: string, finished_at: string) => ({
			id,
			status: "COMPLETE",
			finished_at,
		});
		const jobs = [job("1", "2026-03-01T00:05:00Z"), job("2", "2026-03-01T00:20:00Z")];
		expect(lengths([written], jobs)).toEqual([20 * MINUTE]);
	});
});

describe("runs that change", () => {
	const runs = (...times: string[]) => times.map(at);

	it("count as moved if one is removed and one is added on the same day, and otherwise as added or removed", () => {
		const before = runs("03-02T03:00", "03-03T03:00", "03-03T04:01", "03-04T03:00");
		// The first of the two that move is nearer to the new one of the other.
		expect(
			runChanges(
				before,
				runs("03-02T03:00", "03-03T01:00", "03-03T04:00", "03-05T05:00"),
			),
		).toEqual({
			kept: 1,
			moved: [runs("03-03T03:00", "03-03T01:00"), runs("03-03T04:01", "03-03T04:00")],
			removed: runs("03-04T03:00"),
			added: runs("03-05T05:00"),
		});
	});

	type Some = Partial<ForecastSchedule>;
	/** One schedule as it is deployed and as the program declares it, over two days. */
	const compared = (deployed: Some, declared: Some, pipelines = factsFor({})) =>
		compareRuns({
			deployed: new Map([["urn", scheduleOf("a", deployed)]]),
			declared: new Map([["urn", scheduleOf("a", declared)]]),
			pipelines,
			window: windowOf(FROM, 2),
			stack: "dev",
			notes: [],
		});

	it("to another day are shown with it, and those that stay are counted", () => {
		const text = textOf(
			describeComparison(compared({ cron: "11 23 * * *" }, { cron: "15 0 * * *" })),
		);
		expect(text).toContain("2026-03-02 23:11 UTC becomes 2026-03-03 00:15 UTC");
		expect(text).toContain("1 run moved, 1 added, 1 removed");
		const later = compared({ cron: "0 3,4 * * *" }, { cron: "0 3,5 * * *" });
		expect(textOf(describeComparison(later))).toContain("2 moved, 2 as before: ");
	});

	it("are not compared where an expression cannot be read, and a note says so", () => {
		const [odd, fine] = [{ cron: "0 3 * * * 30" }, { cron: "0 3 * * *" }];
		for (const comparison of [
			compared(odd, odd),
			compared(odd, fine),
			compared(fine, odd),
		])
			expect(comparison).toMatchObject({
				summary: { added: 0, removed: 0 },
				schedules: [],
				notes: ["a: its cron expression cannot be read, so its runs are not compared."],
			});
	});

	// A program that says what it said before changes nothing, whatever somebody did by hand.
	it.each([
		[true, undefined, false, { added: 2, removed: 0 }],
		[false, undefined, true, { added: 0, removed: 2 }],
		[true, false, false, { added: 0, removed: 0 }],
		[true, true, undefined, { added: 0, removed: 0 }],
	])(
		"of a pipeline whose pause is %s live, was declared as %s and now as %s: %j",
		(live, before, after, summary) => {
			const pipelines = factsFor({ p: factsOf({ paused: live }) });
			const [was, is] = [before, after].map((paused) => ({ pipeline: "p", paused }));
			expect(compared({ ...was }, { ...is }, pipelines).summary).toMatchObject(summary);
		},
	);
});
