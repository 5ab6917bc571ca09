import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { CronError, clockChanges, compileCron, nextRuns } from "../../src/cron";
import {
	croniterPython,
	type ZoneCase,
	zoneinfoChanges,
	zoneinfoRuns,
} from "../helpers/cron-croniter";

const isSkipped = croniterPython.isMissingFor(
	"the comparison of time zones with Python's",
);

/** Whole, half and quarter hours; clocks that change by half an hour; rules that were given up and taken up again. */
const ZONES = `
	Africa/Cairo Africa/Johannesburg America/Anchorage America/Bogota America/Caracas America/Chicago
	America/Halifax America/Los_Angeles America/New_York America/Santiago America/Sao_Paulo
	America/St_Johns Asia/Dubai Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Asia/Shanghai
	Asia/Tehran Asia/Tokyo Australia/Adelaide Australia/Lord_Howe Australia/Sydney Europe/Berlin
	Europe/Istanbul Europe/London Europe/Moscow Pacific/Apia Pacific/Auckland Pacific/Chatham`
	.trim()
	.split(/\s+/);
const FROM = Date.parse("2016-01-01T00:00:00Z");
const TO = Date.parse("2036-01-01T00:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const COUNT = 12;

const dates = fc.constantFrom("1", "15", "31", "2-30", "L", "*/2", "1,15");
const expression = fc
	.tuple(
		fc.constantFrom("0", "30", "*/15", "7", "5,35", "*"),
		fc.constantFrom("0", "3", "23", "*", "9-17", "*/6", "1,13", "22"),
		fc.oneof(
			fc.constantFrom(
				"* * *",
				"* * 1-5",
				"* * 0",
				"* * 5#3",
				"* * L5",
				"* 6 *",
				"* 2,3 *",
			),
			fc.constantFrom(
				"1,15 * 1",
				"*/2 * 1",
				"15 * */2",
				"15 * 5#3",
				"5-5 * *",
				"2-31,L * *",
			),
			fc
				.tuple(dates, fc.constantFrom("*", "1", "2", "3", "6,12"))
				.map(([date, month]) => `${date} ${month} *`),
		),
	)
	.map((fields) => fields.join(" "));

describe.skipIf(isSkipped)(
	"time zones, beside Python's own database",
	{ timeout: 300_000 },
	() => {
		let python: string;
		beforeAll(async () => {
			python = await croniterPython.python();
		}, 900_000);

		it("change their clocks at the same instants, by the same amounts, for 20 years in 30 zones", async () => {
			const theirs = await zoneinfoChanges(python, {
				zones: ZONES,
				from: FROM / 1_000,
				to: TO / 1_000,
			});
			const ours = ZONES.map((zone) =>
				clockChanges(zone, FROM, TO).map(({ at, offset }) => [at / 1_000, offset]),
			);
			expect(Object.fromEntries(ZONES.map((zone, at) => [zone, ours[at]]))).toEqual(
				Object.fromEntries(ZONES.map((zone, at) => [zone, theirs[at]])),
			);
			expect(theirs.flat().length).toBeGreaterThan(500);
		});

		it("compiled to UTC an expression runs when croniter runs it by the clocks of the zone, between all changes", async () => {
			const crons = fc.sample(expression, { seed: 20_260_301, numRuns: 2_000 });
			const cases: ZoneCase[] = [];
			const compiled: string[] = [];
			let refused = 0;
			for (const zone of ZONES) {
				const changes = [...clockChanges(zone, FROM, TO).map(({ at }) => at)];
				const starts =
					changes.length > 20
						? changes
						: [...changes, ...yearly()].sort((a, b) => a - b);
				// Not in the hour that a clock shows twice: there the wall's time names two instants.
				for (const start of starts.map((at) => at + 2 * HOUR)) {
					const cron = crons[cases.length + refused] ?? "0 3 * * *";
					const end = Math.min(
						...changes.filter((at) => at > start),
						start + 60 * DAY,
						TO,
					);
					try {
						const { utcCron } = compileCron(
							{ expression: cron, timeZone: zone, team: "ml", name: "n" },
							start,
						);
						cases.push({
							expression: cron,
							zone,
							from: start / 1_000,
							to: end / 1_000,
						});
						compiled.push(utcCron);
					} catch (error) {
						if (!(error instanceof CronError)) throw error;
						refused += 1;
					}
				}
			}
			const theirs = await zoneinfoRuns(python, { cases, count: COUNT });
			const ours = cases.map(({ from, to }, at) =>
				nextRuns(compiled[at] ?? "", new Date(from * 1_000), COUNT)
					.map((run) => run.getTime() / 1_000)
					.filter((run) => run < to),
			);
			const wrong = cases.flatMap((each, at) =>
				String(ours[at]) === String(theirs[at])
					? []
					: [{ ...each, utc: compiled[at], ours: ours[at], theirs: theirs[at] }],
			);
			expect(wrong.slice(0, 3)).toEqual([]);
			expect(cases.length).toBeGreaterThan(400);
			expect(theirs.flat().length).toBeGreaterThan(1_650);
		});
	},
);

const yearly = (): number[] =>
	Array.from({ length: 20 }, (_, year) =>
		Date.UTC(2016 + year, (year * 5) % 12, 17, 4, 31),
	);
