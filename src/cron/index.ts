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
	AmbiguousCronError,
	CRON_MACROS,
	CronError,
	isReadableCron,
	isValidCron,
	normalizeCron,
	type ParsedCron,
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
	suggestTimeZones,
	timeZoneProblem,
} from "./time-zones";
export {
	cronHint,
	cronProblem,
	declaredCron,
	describeCron,
	describeSchedule,
	nextRuns,
	type ScheduleTimes,
	suggestCron,
	tryDescribeCron,
} from "./words";
