import { expect, test } from "vitest";
import { cronProblem, nextRuns, parseCron, sameCron, tryDescribeCron } from "../../../src/cron";
import { shortCron } from "../../../src/cron/compare";

const START = new Date("2026-03-03T00:00:00Z");

// Vixie cron or croner reads each of them in another way, so none may be declared; a live schedule may have it.
test.each([
	["a range from a value to itself", "5-5 * * * *", "* * * * *"],
	["counted weekdays", "0 0 * * mon-mon#1", "0 0 1-7 * *"],
	["a step from the last value", "59/15 * * * *", "*/15 * * * *"],
	["a step from Sunday as 7", "0 0 * * 7/2", "0 0 * * 0,2,4,6"],
	["a step over midnight", "0 22-4/3 * * *", "0 2,22 * * *"],
	["a star with step one, beside a weekday", "0 0 */1 * 1", "0 0 * * *"],
	["a star in a list, beside a weekday", "0 0 5,* * 1", "0 0 * * 1"],
	["a star with a step, beside a weekday", "0 0 */2 * 1", "0 0 1-31/2 * 1"],
	["a date beside a star with a step", "0 0 1 * */2", "0 0 1 * 0,2,4,6"],
	["a weekday beside its own n-th", "0 0 * * 1#1,1", "0 0 * * 1#1"],
	["a weekday's n-th beside all others", "0 0 * * 0#1,1-6", "0 0 * * 0#1"],
	["a full date field beside an n-th weekday", "0 0 */1 * 1#1,1", "0 0 * * 1#1"],
	["a date beside an n-th weekday", "0 0 15 * 5#3", "0 0 * * 5#3"],
	["many dates, beside an n-th weekday", "0 0 2-31,L * 1#1", "0 0 * * 1#1"],
	["a star beside an n-th weekday, in one field", "0 0 * * *,1#1", "0 0 * * 1#1"],
])("%s is refused with croniter's reading, which a live schedule has", (_, expression, plain) => {
	expect(cronProblem(expression, START)).toContain(
		`in different ways. The service most likely takes it for "${plain}"`,
	);
	expect(cronProblem(plain, START)).toBeUndefined();
	expect(shortCron(parseCron(expression).canonical)).toBe(plain);
	expect(sameCron(expression, plain)).toBe(true);
	expect(nextRuns(expression, START, 20)).toEqual(nextRuns(plain, START, 20));
	expect(tryDescribeCron(expression)).toBe(tryDescribeCron(plain));
});

test("the message names the part that is disputed", () => {
	expect(cronProblem("0 0 5-5 * *", START)).toBe(
		'The cron expression "0 0 5-5 * *" cannot be used: cron libraries read day of month "5-5" in different ways. ' +
			'The service most likely takes it for "0 0 * * *": write that, or what you mean in another way.',
	);
	expect(cronProblem("0 0 15 * 5#3", START)).toContain('day of month "15" beside day of week "5#3"');
});

test.each([
	"*/1 */1 */1 */1 */1",
	"0 0 */2 * *",
	"0 0 * * */2",
	"0 0 */2 * ?",
	"0 0 * * 0-7",
	"0 0 * * 1-7/2",
	"0 22-4/2 * * *",
	"0 0 5 * 0-6",
	"0 0 5,*/2 * 1",
	"0 0 13 * 5",
	"0 0 * * 1#1,3#1",
])("%j is accepted, because cron libraries agree about it", (expression) => {
	expect(cronProblem(expression, START)).toBeUndefined();
});
