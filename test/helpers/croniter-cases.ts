import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
	CronError,
	isReadableCron,
	isValidCron,
	nextRuns,
	normalizeCron,
	parseCron,
	sameCron,
} from "../../src/cron";
import { askCroniter, type CroniterAnswer, croniterPython, digestsOfRuns } from "./cron-croniter";
import { anyCron, lateDateCron, similarCron } from "./cron-expressions";

const isSkipped = croniterPython.isMissingFor("the comparison of cron expressions with croniter");

const SEED = 20_260_301;
const COUNT = 8;
const seconds = (text: string): number => Date.parse(text) / 1_000;
/** The end of a year within a minute, and the eve of the last leap day before a century without one. */
const INSTANTS = ["2026-12-31T23:59:59Z", "2096-02-28T23:59:00Z"].map(seconds);

/** What croniter reads and we refuse, beside the expressions that schedulers read in different ways. */
const KNOWN_REFUSALS = [
	/^it has [67] fields/,
	/leaves the value to the scheduler/,
	/asks for the nearest working day/,
	/asks for days that are both/,
	/is out of range: 0+ is not between 1 and/,
];

const runsHere = (expression: string): number[][] =>
	INSTANTS.map((instant) =>
		nextRuns(expression, new Date(instant * 1_000), COUNT).map((run) => run.getTime() / 1_000),
	);

function refusalOf(expression: string): CronError {
	try {
		parseCron(expression);
	} catch (error) {
		if (error instanceof CronError) return error;
		throw error;
	}
	throw new Error(`"${expression}" was accepted`);
}

/** How many expressions are drawn of each kind. */
export interface Draws {
	readonly any: number;
	readonly late: number;
	readonly similar: number;
}

export function describeBesideCroniter(draws: Draws): void {
	describe.skipIf(isSkipped)("cron, beside croniter", { timeout: 300_000 }, () => cases(draws));
}

function cases({ any, late, similar }: Draws): void {
	const drawn = any + late;
	const expressions = [
		...new Set([
			...fc.sample(anyCron, { seed: SEED, numRuns: any }),
			...fc.sample(lateDateCron, { seed: SEED, numRuns: late }),
		]),
	];
	const answers = new Map<string, CroniterAnswer>();
	/** Asked once: it takes a millisecond each. */
	let valid: ReadonlySet<string>;
	let python: string;

	beforeAll(async () => {
		python = await croniterPython.python();
		valid = new Set(expressions.filter(isValidCron));
		const sent = expressions.map(normalizeCron);
		const found = await askCroniter(python, { expressions: sent, instants: INSTANTS, count: COUNT });
		expressions.forEach((expression, index) => {
			const answer = found[index];
			if (answer !== undefined) answers.set(expression, answer);
		});
	}, 900_000);

	const answered = (status: CroniterAnswer["status"]): string[] =>
		expressions.filter((expression) => answers.get(expression)?.status === status);
	const runsThere = (expression: string): number[][] => {
		const answer = answers.get(expression);
		return answer?.status === "runs" ? answer.runs : [];
	};

	it("the sample has enough of everything", () => {
		expect(expressions.length).toBeGreaterThan(drawn * 0.8);
		expect(valid.size).toBeGreaterThan(drawn / 6);
		expect(answered("refused").length).toBeGreaterThan(drawn / 20);
		expect(answered("never").length).toBeGreaterThan(drawn / 20);
		const ambiguous = answered("runs").filter((one) => !valid.has(one) && isReadableCron(one));
		expect(ambiguous.length).toBeGreaterThan(drawn / 30);
	});

	it("what we accept runs there at the same times", () => {
		for (const expression of valid) {
			expect(answers.get(expression)?.status, expression).toBe("runs");
			expect(runsHere(expression), expression).toEqual(runsThere(expression));
		}
	});

	it("what it refuses or never runs, we refuse, also where a schedule is said to have it", () => {
		const refused = [...answered("refused"), ...answered("never")];
		expect(refused.filter((expression) => valid.has(expression) || isReadableCron(expression))).toEqual([]);
	});

	it("what it finds no time for, we refuse because of the day", () => {
		for (const expression of answered("never")) {
			expect(refusalOf(expression).reason).toMatch(
				/^day of month "[^"]*" (never occurs in month|is never day of week) "[^"]*"|asks for the nearest working day|asks for days that are both|is out of range: 0+ is not/,
			);
		}
	});

	it("what it reads and we refuse is ambiguous, and the first spelling we name means what it does", () => {
		for (const expression of answered("runs").filter((one) => !valid.has(one))) {
			const refusal = refusalOf(expression);
			const [, written] = /^schedulers read it in different ways: write (.*)$/.exec(refusal.reason) ?? [];
			if (written === undefined) {
				expect(
					KNOWN_REFUSALS.some((known) => known.test(refusal.reason)),
					refusal.message,
				).toBe(true);
				continue;
			}
			const spellings = [...written.matchAll(/"(.+?)"/g)].map(([, spelling = ""]) => spelling);
			const [first = "", ...others] = spellings;
			expect(
				spellings.filter((one) => !isValidCron(one)),
				expression,
			).toEqual([]);
			expect(runsHere(first), `${expression} as ${first}`).toEqual(runsThere(expression));
			expect(runsHere(expression), expression).toEqual(runsThere(expression));
			for (const other of others) expect(sameCron(first, other), `${first} and ${other}`).toBe(false);
		}
	});

	it("two expressions are the same exactly when they run at the same times there", async () => {
		const alike = [...new Set(fc.sample(similarCron, { seed: SEED, numRuns: similar }))].filter(isValidCron);
		const digests = await digestsOfRuns(python, {
			expressions: alike,
			from: seconds("2001-01-01T00:00:00Z") - 1,
			to: seconds("2029-01-01T00:00:00Z"),
		});
		let equal = 0;
		alike.forEach((a, i) => {
			alike.slice(i + 1).forEach((b, j) => {
				const same = digests[i] === digests[i + 1 + j];
				if (same) equal += 1;
				if (sameCron(a, b) !== same) expect.fail(`"${a}" and "${b}" are ${same ? "" : "not "}the same there`);
			});
		});
		// Of all pairs.
		expect(equal).toBeGreaterThan(similar ** 2 / 900);
	});
}
