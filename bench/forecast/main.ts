import { Cron } from "croner";
import { windowOf } from "../../src/team/forecast-runs";
import {
	factsFor,
	factsOf,
	forecastOf,
	scheduleOf,
} from "../../test/helpers/forecast-team";

const SCHEDULES = 1_000;
const DAYS = 365;
const FROM = Date.parse("2027-01-01T00:00:00Z");
const ROUNDS = 3;

/** What large teams have: most once a day or less, some by the hour, a few by the minute. */
const crons = Array.from({ length: SCHEDULES }, (_, index) => {
	if (index % 200 === 0) return "*/15 * * * *";
	if (index % 50 === 0) return `${index % 60} * * * *`;
	return `${index % 60} ${index % 24} * * ${index % 3 === 0 ? "1-5" : "*"}`;
});

/** Every run of the year, with croner and nothing else. */
function withCroner(): number {
	const to = FROM + DAYS * 86_400_000;
	let count = 0;
	for (const expression of crons) {
		// An offset is what croner is quickest with; a named zone costs it several times as much.
		const cron = new Cron(expression, { utcOffset: 0, paused: true });
		let at = cron.nextRun(new Date(FROM - 1_000));
		for (; at !== null && at.getTime() < to; at = cron.nextRun(at)) count += 1;
	}
	return count;
}

/** The whole forecast: runs, heat map, busiest hours, workers, overlaps. */
function withForecast(): number {
	const names = crons.map((_, index) => `schedule-${index}`);
	const facts = names.map((name) => [
		`pipeline-of-${name}`,
		factsOf({ workers: 2, lengths: [600_000] }),
	]);
	const report = forecastOf(
		names.map((name, index) =>
			scheduleOf(name, { resource: null, cron: crons[index] }),
		),
		{
			pipelines: factsFor(Object.fromEntries(facts)),
			clusters: [{ team: "ml", name: "default", default: true, max_workers: 100 }],
			window: windowOf(FROM, DAYS),
			timeZone: "Europe/Berlin",
			source: "live",
			stack: null,
			mostListed: 0,
		},
	);
	return report.summary.runs;
}

function timed(work: () => number): { runs: number; millis: number } {
	const rounds = Array.from({ length: ROUNDS }, () => {
		const start = performance.now();
		return { runs: work(), millis: performance.now() - start };
	});
	return rounds.sort((a, b) => a.millis - b.millis)[1] ?? { runs: 0, millis: 0 };
}

/** `npm run bench:forecast`: a year of 1,000 schedules, the forecast beside croner alone. Fails beyond twice its time. */
const [ours, croner] = [timed(withForecast), timed(withCroner)];
console.log(`${SCHEDULES} schedules, ${DAYS} days, medians of ${ROUNDS}`);
console.log(
	`croner, enumeration alone  ${croner.millis.toFixed(0)} ms, ${croner.runs} runs`,
);
console.log(
	`forecast, with its report  ${ours.millis.toFixed(0)} ms, ${ours.runs} runs`,
);
process.exitCode =
	ours.runs === croner.runs && ours.millis <= 2 * croner.millis ? 0 : 1;
