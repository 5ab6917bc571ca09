import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachRunOf, windowOf } from "../../../src/commands/forecast-runs";
import { isValidCron, parseCron, runsOf } from "../../../src/cron";

const MINUTE = 60_000;
const YEAR = 365;

const RANGES = [
	[0, 59],
	[0, 23],
	[1, 31],
	[1, 12],
	[0, 6],
] as const;

/** A field of one of the forms that all schedulers read alike. */
const fieldOf = ([min, max]: readonly [number, number]): fc.Arbitrary<string> => {
	const value = fc.integer({ min, max });
	return fc.oneof(
		{ weight: 3, arbitrary: fc.constant("*") },
		{ weight: 2, arbitrary: value.map(String) },
		fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => values.join(",")),
		fc.integer({ min: 2, max: 15 }).map((step) => `*/${step}`),
		fc
			.tuple(value, value)
			.filter(([a, b]) => a < b)
			.map(([a, b]) => `${a}-${b}`),
	);
};

const cron = fc
	.tuple(...RANGES.map(fieldOf))
	.map((fields) => fields.join(" "))
	.filter(isValidCron);

/** Read anew here, from the text alone: nothing of the code under test takes part. */
function allowedBy(text: string, [min, max]: readonly [number, number]): Set<number> {
	return new Set(
		text.split(",").flatMap((part) => {
			const [range = "", step = "1"] = part.split("/");
			const [from, to] = range === "*" ? [min, max] : range.split("-").map(Number);
			const last = to ?? from ?? min;
			return Array.from({ length: last - (from ?? min) + 1 }, (_, at) => (from ?? min) + at).filter(
				(value) => (value - (from ?? min)) % Number(step) === 0,
			);
		}),
	);
}

/** Asks every minute of the window whether it is one. */
function bruteForce(expression: string, from: number, days: number): number[] {
	const texts = expression.split(" ");
	const allowed = texts.map((text, at) => {
		const values = new Uint8Array(60);
		for (const value of allowedBy(text, RANGES[at] ?? [0, 0])) values[value] = 1;
		return values;
	});
	const [minutes, hours, dates, months, weekdays] = allowed;
	const either = texts[2] !== "*" && texts[4] !== "*";
	const runs: number[] = [];
	const first = from / MINUTE;
	let isDay = false;
	for (let total = first | 0; total < first + days * 1_440; total += 1) {
		if (total === first || total % 1_440 === 0) {
			const day = new Date(total * MINUTE);
			const [date, weekday] = [dates?.[day.getUTCDate()] === 1, weekdays?.[day.getUTCDay()] === 1];
			isDay = months?.[day.getUTCMonth() + 1] === 1 && (either ? date || weekday : date && weekday);
		}
		if (isDay && minutes?.[total % 60] === 1 && hours?.[((total / 60) | 0) % 24] === 1)
			runs.push(total * MINUTE);
	}
	return runs;
}

const ONE = { team: "ml", name: "a", pipeline: "a", id: undefined, resource: undefined };

describe("the runs of a year", () => {
	it("are those of every minute that 200 random expressions allow", { timeout: 120_000 }, () => {
		const from = Date.parse("2027-06-15T13:37:00Z");
		const window = windowOf(from, YEAR);
		let count = 0;
		for (const expression of fc.sample(cron, { numRuns: 200, seed: 20_260_301 })) {
			const ours = [...runsOf(parseCron(expression), window.from, window.to)];
			const theirs = bruteForce(expression, from, YEAR);
			expect([expression, ours.length, ours.findIndex((at, index) => at !== theirs[index])]).toEqual([
				expression,
				theirs.length,
				-1,
			]);
			count += ours.length;
		}
		expect(count).toBeGreaterThan(200_000);
	});

	it("begin with the window or the start of the schedule, and end before the window does", () => {
		const from = Date.parse("2026-03-01T10:30:00Z");
		const runsFrom = (start: number): string[] => {
			const schedule = { ...ONE, cron: "30 10 * * *", startAfter: start };
			const runs: string[] = [];
			eachRunOf(schedule, windowOf(from, 2), (at) => runs.push(new Date(at).toISOString().slice(0, 16)));
			return runs;
		};
		expect(runsFrom(0)).toEqual(["2026-03-01T10:30", "2026-03-02T10:30"]);
		expect(runsFrom(from + 1)).toEqual(["2026-03-02T10:30"]);
	});
});
