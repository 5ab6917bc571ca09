import { expect, test } from "vitest";
import { cronProblem, nextRuns, parseCron, sameCron, tryDescribeCron } from "../../../src/cron";
import { shortCron } from "../../../src/cron/compare";
import { DISPUTED } from "../../helpers/cron-expressions";

const START = new Date("2026-03-03T00:00:00Z");

test.each(DISPUTED)(
	"%s is refused with croniter's reading, which a live schedule has",
	(_, expression, plain) => {
		expect(cronProblem(expression, START)).toContain(
			`in different ways. The service most likely takes it for "${plain}"`,
		);
		expect(cronProblem(plain, START)).toBeUndefined();
		expect(shortCron(parseCron(expression).canonical)).toBe(plain);
		expect(sameCron(expression, plain)).toBe(true);
		expect(nextRuns(expression, START, 20)).toEqual(nextRuns(plain, START, 20));
		expect(tryDescribeCron(expression)).toBe(tryDescribeCron(plain));
	},
);

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
