import { Cron } from "croner";
import { analyse } from "../../src/commands/forecast-analyse";
import { windowOf } from "../../src/commands/forecast-runs";

const SCHEDULES = 1_000;
const DAYS = 365;
const FROM = Date.parse("2027-01-01T00:00:00Z");
const ROUNDS = 3;

/** What large teams have: most once a day or less, some by the hour, a few by the minute. */
const cronOf = (index: number): string => {
	if (index % 200 === 0) return "*/15 * * * *";
	if (index % 50 === 0) return `${index % 60} * * * *`;
	return `${index % 60} ${index % 24} * * ${index % 3 === 0 ? "1-5" : "*"}`;
};

const crons = Array.from({ length: SCHEDULES }, (_, index) => cronOf(index));

/** Every run of the year, with croner and nothing else. */
function withCroner(): number {
	const to = FROM + DAYS * 86_400_000;
	let count = 0;
	for (const expression of crons) {
		// An offset is what croner is quickest with; a named zone costs it several times as much.
		const cron = new Cron(expression, { utcOffset: 0, paused: true });
		let at = cron.nextRun(new Date(FROM - 1_000));
		while (at !== null && at.getTime() < to) {
			count += 1;
			at = cron.nextRun(at);
		}
	}
	return count;
}

/** The whole forecast: runs, heat map, busiest hours, workers, overlaps. */
function withForecast(): number {
	const schedules = crons.map((cron, index) => ({
		team: "ml",
		name: `schedule-${index}`,
		pipeline: `pipeline-${index}`,
		id: undefined,
		resource: undefined,
		cron,
		startAfter: undefined,
	}));
	const facts = { paused: false, workers: 2, lengths: [600_000], cluster: undefined };
	const report = analyse({
		schedules,
		pipelines: new Map(schedules.map(({ team, pipeline }) => [`${team}\0${pipeline}`, facts])),
		clusters: [{ team: "ml", name: "default", default: true, max_workers: 100 }],
		window: windowOf(FROM, DAYS),
		timeZone: "Europe/Berlin",
		source: "live",
		stack: null,
		notes: [],
		mostListed: 0,
	});
	return report.summary.runs;
}

function timed(work: () => number): { runs: number; millis: number } {
	const times: number[] = [];
	let runs = 0;
	for (let round = 0; round < ROUNDS; round += 1) {
		const start = performance.now();
		runs = work();
		times.push(performance.now() - start);
	}
	return { runs, millis: times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0 };
}

/** `npm run bench:forecast`: a year of 1,000 schedules, the forecast beside croner alone. Fails beyond twice its time. */
const [ours, croner] = [timed(withForecast), timed(withCroner)];
const ratio = ours.millis / croner.millis;
console.log(
	`${SCHEDULES} schedules, ${DAYS} days, ${ours.runs.toLocaleString("en-US")} runs; medians of ${ROUNDS}`,
);
console.log(`croner, enumeration alone  ${croner.millis.toFixed(0)} ms`);
console.log(`forecast, with its report  ${ours.millis.toFixed(0)} ms  (${ratio.toFixed(2)} times)`);
if (ours.runs !== croner.runs) {
	console.error(`croner found ${croner.runs} runs, the forecast ${ours.runs}`);
	process.exitCode = 1;
}
if (ratio > 2) {
	console.error("more than twice the time of croner");
	process.exitCode = 1;
}
