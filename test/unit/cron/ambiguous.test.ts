import { describe, expect, test } from "vitest";
import { cronProblem, isReadableCron, isValidCron, nextRuns, tryDescribeCron } from "../../../src/cron";

const START = new Date("2026-03-03T00:00:00Z");
const days = (runs: readonly Date[]): string[] => runs.map((run) => run.toISOString().slice(0, 10));

function spellingsOf(expression: string): string[] {
	const problem = cronProblem(expression, START) ?? "";
	const [, written = ""] = /schedulers read it in different ways: write (.*)\.$/.exec(problem) ?? [];
	return [...written.matchAll(/"(.+?)"/g)].map(([, spelling = ""]) => spelling);
}

describe("an expression that schedulers read in different ways", () => {
	// Croniter's reading comes first.
	test.each([
		["a range from a value to itself", "5-5 * * * *", ["* * * * *", "5 * * * *"]],
		["counted weekdays", "0 0 * * mon-mon#1", ["0 0 1-7 * *", "0 0 * * 1#1"]],
		["a step from the last value", "59/15 * * * *", ["*/15 * * * *", "59 * * * *"]],
		["a step from Sunday as 7", "0 0 * * 7/2", ["0 0 * * 0,2,4,6", "0 0 * * 0"]],
		["a step over midnight", "0 22-4/3 * * *", ["0 2,22 * * *", "0 1,4,22 * * *"]],
		["a star with step one, beside a weekday", "0 0 */1 * 1", ["0 0 * * *", "0 0 * * 1"]],
		["a star in a list, beside a weekday", "0 0 5,* * 1", ["0 0 * * 1", "0 0 * * *"]],
		["a star with a step, beside a weekday", "0 0 */2 * 1", ["0 0 1-31/2 * 1"]],
		["a weekday beside its own n-th", "0 0 * * 1#1,1", ["0 0 * * 1#1", "0 0 * * 1"]],
		["a weekday's n-th beside all others", "0 0 * * 0#1,1-6", ["0 0 * * 0#1", "0 0 1-7 * 1-6"]],
		["three readings", "0 0 */1 * 1#1,1", ["0 0 * * 1#1", "0 0 * * 1", "0 0 * * *"]],
		["many dates, beside an n-th weekday", "0 0 2-31,L * 1#1", ["0 0 * * 1#1", "0 0 2-31 * 1"]],
		["thirty dates and the last day", "0 0 2-31,L * *", ["0 0 * * *", "0 0 2-31 * *"]],
	])("%s is refused when declared, with the plain spellings", (_, expression, spellings) => {
		expect(spellingsOf(expression)).toEqual(spellings);
		expect(spellings.filter((spelling) => !isValidCron(spelling))).toEqual([]);
	});

	test("is refused with a message that names the plain spellings", () => {
		expect(cronProblem("0 0 5-5 * *", START)).toBe(
			'The cron expression "0 0 5-5 * *" cannot be used: schedulers read it in different ways: write "0 0 * * *" or "0 0 5 * *".',
		);
		expect(cronProblem("0 0 15 * 5#3", START)).toBe(
			'The cron expression "0 0 15 * 5#3" cannot be used: schedulers read it in different ways: write "0 0 * * 5#3" for one of them; the others do not fit into one expression.',
		);
	});

	test("is read as croniter does in a schedule that already has it", () => {
		expect(isReadableCron("0 0 5-5 * *")).toBe(true);
		expect(days(nextRuns("0 0 5-5 * *", START, 2))).toEqual(["2026-03-04", "2026-03-05"]);
		expect(tryDescribeCron("0 0 5-5 * *")).toBe("every day at 00:00 UTC");
		expect(days(nextRuns("0 0 15 * 5#3", START, 2))).toEqual(["2026-03-20", "2026-04-17"]);
	});
});

test.each([
	"*/1 */1 */1 */1 */1",
	"0 0 */2 * *",
	"0 0 * * */2",
	"0 0 5 * 0-6",
	"0 0 5,*/2 * 1",
	"0 0 5 * sun-sat#1",
	"0 0 2-31,L * 0-6",
])("%j is accepted, because all schedulers read it alike", (expression) => {
	expect(isValidCron(expression)).toBe(true);
});
