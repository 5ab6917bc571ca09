import { beforeAll, describe, expect, it } from "vitest";
import { renderIcs } from "../../src/commands/forecast-calendar";
import type { ForecastReport } from "../../src/commands/forecast-report";
import { forecastOf, largeTeam, scheduleOf } from "../helpers/forecast-team";
import { askPython, PythonEnvironment } from "../helpers/python-environment";

const calendarPython = new PythonEnvironment("the Python library icalendar", { icalendar: "7.3.0" });
const isSkipped = calendarPython.isMissingFor("reading calendars with icalendar");

type CalendarEvent = Record<"uid" | "start" | "summary" | "description", string> & { errors: string[] };

describe.skipIf(isSkipped)("the calendar, read by icalendar", { timeout: 120_000 }, () => {
	let python: string;
	beforeAll(async () => {
		python = await calendarPython.python();
	}, 900_000);

	const read = async (report: ForecastReport) =>
		(await askPython(python, "calendar_events", renderIcs(report))) as CalendarEvent[];

	it("has each run once, under an id of its own, for 300 schedules", async () => {
		const team = largeTeam(300);
		const often = (runs: readonly string[]) => runs.filter((run) => run.startsWith("2026-03-26")).length > 24;
		const single = team.schedules.filter(({ runs = [] }) => !often(runs));
		const events = await read(team);
		expect(events.flatMap(({ errors }) => errors)).toEqual([]);
		expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length);
		const found = new Set(events.map(({ start, summary }) => `${Date.parse(start)} ${summary}`));
		const expected = single.flatMap(({ name, runs = [] }) => runs.map((run) => `${Date.parse(run)} ${name}`));
		expect(expected.filter((run) => !found.has(run))).toEqual([]);
		expect(expected.length).toBeGreaterThan(1_000);
		// The others have one entry for each day on which they run more often than a calendar can show.
		const days = events.filter(({ start }) => /^\d{4}-\d\d-\d\d$/.test(start));
		expect(days[0]?.summary).toMatch(/^team-prod-schedule-\d+: \d+ runs$/);
	});

	it("keeps names that have the format's own characters, in any script, over folded lines", async () => {
		const name = `a,b;c\\d "e" ${"é漢🦊".repeat(30)}`;
		const [event] = await read(forecastOf([scheduleOf(name, { pipeline: "p:1,2" })]));
		expect(event).toMatchObject({ start: "2026-03-02T03:00:00+00:00", summary: name, errors: [] });
		expect(event?.description).toBe("Pipeline p:1,2 of team ml; 0 3 * * * (every day at 03:00 UTC)");
		const lines = renderIcs(forecastOf([scheduleOf(name)])).split("\r\n");
		expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
	});

	it("names the same run with the same id in the next forecast, and no other", async () => {
		const twins = ["1", "2"].map((id) => scheduleOf("a", { id }));
		const ids = async () => (await read(forecastOf(twins))).map(({ uid }) => uid);
		expect(await ids()).toEqual(await ids());
		expect(new Set(await ids()).size).toBe(14);
	});
});
