import { PolicyPack, type ReportViolation, type ResourceValidationArgs } from "@pulumi/policy";
import { Cron } from "croner";

const SCHEDULE = "pulumi-nodejs:dynamic/datachain:PipelineSchedule";
/** Change these to your team's rules. */
const LEAST_MINUTES = 15;
/** Hours in UTC in which nothing may start: from the first, up to the second. */
const BLACKOUT = { from: 8, to: 9 };
const PRODUCTION = /^prod/;

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

/** The runs of a week, in milliseconds since 1970: by the UTC expression, which `timeZone` and H are compiled to. */
function weekOfRuns({ utcCron, cronExpression }: Record<string, unknown>): number[] {
	const expression = utcCron ?? cronExpression;
	if (typeof expression !== "string") return [];
	const cron = new Cron(expression, { utcOffset: 0, paused: true });
	const from = Date.UTC(2027, 0, 4);
	const runs: number[] = [];
	let at = cron.nextRun(new Date(from - 1));
	while (at !== null && at.getTime() < from + WEEK) {
		runs.push(at.getTime());
		at = cron.nextRun(at);
	}
	return runs;
}

const forSchedules =
	(check: (args: ResourceValidationArgs, report: ReportViolation) => void) =>
	(args: ResourceValidationArgs, report: ReportViolation): void => {
		if (args.type === SCHEDULE) check(args, report);
	};

new PolicyPack("datachain-schedules", {
	policies: [
		{
			name: "minimum-interval",
			description: `A pipeline starts at most every ${LEAST_MINUTES} minutes.`,
			enforcementLevel: "mandatory",
			validateResource: forSchedules(({ props }, report) => {
				const runs = weekOfRuns(props);
				const shortest = Math.min(...runs.slice(1).map((at, index) => (at - (runs[index] ?? 0)) / MINUTE));
				if (shortest < LEAST_MINUTES)
					report(`It runs every ${shortest} minutes; ${LEAST_MINUTES} are the least.`);
			}),
		},
		{
			name: "blackout-hours",
			description: `Nothing starts from ${BLACKOUT.from}:00 to ${BLACKOUT.to}:00 UTC.`,
			enforcementLevel: "mandatory",
			validateResource: forSchedules(({ props }, report) => {
				const inside = weekOfRuns(props).find((at) => {
					const hour = new Date(at).getUTCHours();
					return hour >= BLACKOUT.from && hour < BLACKOUT.to;
				});
				if (inside !== undefined)
					report(`It would start at ${new Date(inside).toISOString().slice(11, 16)} UTC.`);
			}),
		},
		{
			name: "no-paused-production",
			description: "A schedule of production is not paused.",
			enforcementLevel: "mandatory",
			validateResource: forSchedules(({ props }, report) => {
				const isProduction = PRODUCTION.test(String(props.scheduleName));
				if (isProduction && props.paused === true) report("It is paused, and its name says production.");
			}),
		},
	],
});
