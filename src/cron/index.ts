export { runsOf } from "./compare";
export {
	clockChangeAhead,
	compileCron,
	type DeclaredCron,
	holdsUntil,
	needsCompiling,
	spreadCron,
	usesSpread,
} from "./compile";
export {
	CRON_MACROS,
	CronError,
	isReadableCron,
	isValidCron,
	normalizeCron,
	parseCron,
	parseLiveCron,
	sameCron,
} from "./parse";
export {
	clockChanges,
	DAY_MS,
	isTimeZone,
	MINUTE_MS,
	offsetAt,
	timeZoneProblem,
} from "./time-zones";
export {
	cronHint,
	cronProblem,
	declaredCron,
	describeCron,
	describeSchedule,
	nextRuns,
	suggestCron,
	tryDescribeCron,
} from "./words";
