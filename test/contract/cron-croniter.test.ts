import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
	isValidCron,
	nextRuns,
	normalizeCron,
	parseCron,
	sameCron,
} from "../../src/cron";
import { shortCron } from "../../src/cron/compare";
import {
	askCroniter,
	type CroniterAnswer,
	croniterPython,
	digestsOfRuns,
} from "../helpers/cron-croniter";
import {
	anyCron,
	DISPUTED,
	lateDateCron,
	refusalOf,
	similarCron,
} from "../helpers/cron-expressions";

const isSkipped = croniterPython.isMissingFor(
	"the comparison of cron expressions with croniter",
);

const SEED = 20_260_301;
const COUNT = 8;
const seconds = (text: string): number => Date.parse(text) / 1_000;
/** The end of a year within a minute, and the eve of the last leap day before a century without one. */
const INSTANTS = ["2026-12-31T23:59:59Z", "2096-02-28T23:59:00Z"].map(seconds);

/** What croniter reads and we refuse. */
const KNOWN_REFUSALS = [
	/^it has [67] fields/,
	/leaves the value to the scheduler/,
	/asks for the nearest working day/,
	/asks for days that are both/,
	/is out of range: 0+ is not between 1 and/,
];

/** What cron libraries disagree about, and croniter's reading decides. */
const READ_IN_DIFFERENT_WAYS = [
	...DISPUTED.map(([, expression]) => expression),
	...["0 0 5-5 * *", "0 0 1 * 1", "0 0 13 * 5"],
	...["0 0 */2 * */2", "0 0 1-31/6 * L5", "0 0 2-31,L * *"],
];

/** Twenty-eight years of it are few runs. */
const isDaily = (expression: string): boolean => expression.startsWith("0 0 ");

const runsHere = (expression: string): number[][] =>
	INSTANTS.map((instant) =>
		nextRuns(expression, new Date(instant * 1_000), COUNT).map(
			(run) => run.getTime() / 1_000,
		),
	);

/** How many expressions are drawn of each kind. */
const [ANY, LATE, SIMILAR] = [1_200, 800, 120];
const DRAWN = ANY + LATE;

describe.skipIf(isSkipped)("cron, beside croniter", { timeout: 300_000 }, () => {
	const expressions = [
		...new Set([
			...fc.sample(anyCron, { seed: SEED, numRuns: ANY }),
			...fc.sample(lateDateCron, { seed: SEED, numRuns: LATE }),
			...READ_IN_DIFFERENT_WAYS,
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
		const found = await askCroniter(python, {
			expressions: sent,
			instants: INSTANTS,
			count: COUNT,
		});
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
		expect(expressions.length).toBeGreaterThan(DRAWN * 0.8);
		expect(valid.size).toBeGreaterThan(DRAWN / 6);
		expect(answered("refused").length).toBeGreaterThan(DRAWN / 20);
		expect(answered("never").length).toBeGreaterThan(DRAWN / 20);
		expect(
			READ_IN_DIFFERENT_WAYS.filter((expression) => !valid.has(expression)),
		).toEqual([]);
	});

	it("what we accept runs there at the same times", () => {
		for (const expression of valid) {
			expect(answers.get(expression)?.status, expression).toBe("runs");
			expect(runsHere(expression), expression).toEqual(runsThere(expression));
		}
	});

	it("what it refuses or never runs, we refuse", () => {
		const refused = [...answered("refused"), ...answered("never")];
		expect(refused.filter((expression) => valid.has(expression))).toEqual([]);
	});

	it("what it finds no time for, we refuse because of the day", () => {
		for (const expression of answered("never")) {
			expect(refusalOf(expression).reason).toMatch(
				/^day of month "[^"]*" (never occurs in month|is never day of week) "[^"]*"|asks for the nearest working day|asks for days that are both|is out of range: 0+ is not/,
			);
		}
	});

	it("what it reads and we refuse is one of the known kinds", () => {
		for (const expression of answered("runs").filter((one) => !valid.has(one))) {
			const { reason, message } = refusalOf(expression);
			expect(
				KNOWN_REFUSALS.some((known) => known.test(reason)),
				message,
			).toBe(true);
		}
	});

	it("a canonical or short spelling runs there when the expression does", async () => {
		const spellings = [...valid].map((expression) => {
			const { canonical } = parseCron(expression);
			return { expression, canonical, short: shortCron(canonical) };
		});
		for (const form of ["canonical", "short"] as const) {
			const asked = spellings.map((spelling) => spelling[form]);
			const found = await askCroniter(python, {
				expressions: asked,
				instants: INSTANTS,
				count: COUNT,
			});
			spellings.forEach(({ expression, [form]: text }, index) => {
				expect(found[index], `${expression} as ${text}`).toEqual(
					answers.get(expression),
				);
			});
		}
	}, 900_000);

	it("two expressions are the same exactly when they run at the same times there", async () => {
		const alike = [
			...new Set([
				...fc.sample(similarCron, { seed: SEED, numRuns: SIMILAR }),
				...READ_IN_DIFFERENT_WAYS.filter(isDaily),
			]),
		].filter(isValidCron);
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
				if (sameCron(a, b) !== same)
					expect.fail(`"${a}" and "${b}" are ${same ? "" : "not "}the same there`);
			});
		});
		// Of all pairs.
		expect(equal).toBeGreaterThan(SIMILAR ** 2 / 900);
	});
});
