import { PolicyPack, type ReportViolation, type ResourceValidationArgs } from "@pulumi/policy";
import { type Inputs, inBlackout, isPausedProduction, isSchedule, tooOften } from "./rules";

/** Change these to your team's rules. */
const LEAST_MINUTES = 15;
/** Hours in UTC in which nothing may start: from the first, up to the second. Over midnight: { from: 22, to: 6 }. */
const BLACKOUT = { from: 8, to: 9 };
const PRODUCTION = /^prod/;

const forSchedules =
	(violation: (inputs: Inputs) => string | undefined) =>
	({ type, props }: ResourceValidationArgs, report: ReportViolation): void => {
		const message = isSchedule(type) ? violation(props) : undefined;
		if (message !== undefined) report(message);
	};

new PolicyPack("datachain-schedules", {
	policies: [
		{
			name: "minimum-interval",
			description: `A pipeline starts at most every ${LEAST_MINUTES} minutes.`,
			enforcementLevel: "mandatory",
			validateResource: forSchedules((inputs) => tooOften(inputs, LEAST_MINUTES)),
		},
		{
			name: "blackout-hours",
			description: `Nothing starts from ${BLACKOUT.from}:00 to ${BLACKOUT.to}:00 UTC.`,
			enforcementLevel: "mandatory",
			validateResource: forSchedules((inputs) => inBlackout(inputs, BLACKOUT)),
		},
		{
			name: "no-paused-production",
			description: "A schedule of production is not paused.",
			enforcementLevel: "mandatory",
			validateResource: forSchedules((inputs) => isPausedProduction(inputs, PRODUCTION)),
		},
	],
});
