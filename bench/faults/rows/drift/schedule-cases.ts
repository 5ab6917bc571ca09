import type { Random } from "../../random";
import { type DriftCase, inScheduleCase as of, type There } from "./case";

type Update = Omit<Parameters<There["client"]["schedules"]["update"]>[0], "schedule_id">;

const update =
	(changes: Update): DriftCase["change"] =>
	({ client, id }) =>
		client.schedules.update({ schedule_id: id, ...changes });

const pause: DriftCase["change"] = ({ client, pipeline }) => client.pipelines.pause({ name: pipeline });
const resume: DriftCase["change"] = ({ client, pipeline }) => client.pipelines.resume({ name: pipeline });

const START = "2030-01-01T00:00:00Z";
const daily = { cronExpression: "0 3 * * *" };
const started = { ...daily, startAfter: START };

/** Each field that a request can change, in each way it can. */
export function scheduleChanges(random: Random): DriftCase[] {
	const cron = `${random.integer(0, 59)} ${random.integer(4, 23)} * * *`;
	const start = new Date(Date.UTC(2031, random.integer(0, 11), random.integer(1, 28))).toISOString();
	return [
		of("scheduleName", "renamed", daily, update({ schedule_name: `renamed-${random.integer(0, 1e9)}` })),
		of("cronExpression", "another cron", daily, update({ cron_expression: cron })),
		of("cronExpression", "another day only", daily, update({ cron_expression: "0 3 * * 1-6" })),
		of("cronExpression", "a cron where none was", { startAfter: START }, update({ cron_expression: cron })),
		of("startAfter", "another start", started, update({ start_after: start })),
		of("startAfter", "a millisecond later", started, update({ start_after: "2030-01-01T00:00:00.001Z" })),
		of("paused", "paused", { ...daily, paused: false }, pause),
		of("paused", "paused through the schedule", daily, update({ pause_pipeline: true })),
		of("paused", "resumed", { ...daily, paused: true }, resume),
	];
}

/** Pairs of spellings with one meaning. */
const CRONS: readonly (readonly [string, string])[] = [
	["0 3 * * *", "0  3 * * 0-6"],
	["@daily", "0 0 * * *"],
	["0 0 * * 7", "@weekly"],
	["0 9 * * MON-FRI", "0 9 * * 1,2,3,4,5"],
	["*/15 * 1 jan,dec *", "0,15,30,45 0-23 1 1,12 *"],
	["@yearly", "0 0 1 1 *"],
];

const STARTS: readonly (readonly [string, string])[] = [
	["2030-01-01T05:30:00+05:30", START],
	["2030-01-01T00:00", "2030-01-01T00:00:00.000000+00:00"],
	["2030-01-01", "2029-12-31T19:00:00-0500"],
	[START, "2030-01-01 01:00:00.000000+01"],
];

/** What is no drift: other spellings, the service's own values, time that passes. */
export function scheduleSpellings(): DriftCase[] {
	const same = (covers: string, what: string, declared: object, change: DriftCase["change"]) =>
		of(covers, what, { ...declared }, change, []);
	return [
		...CRONS.map(([ours, theirs]) =>
			same(
				"cronExpression",
				`${ours} as ${theirs}`,
				{ cronExpression: ours },
				update({ cron_expression: theirs }),
			),
		),
		...STARTS.map(([ours, theirs]) =>
			same(
				"startAfter",
				`${ours} as ${theirs}`,
				{ ...daily, startAfter: ours },
				update({ start_after: theirs }),
			),
		),
		same("startAfter", "a start that nobody declared", daily, update({ start_after: START })),
		same("paused", "paused and resumed", daily, async (there) => {
			await pause(there);
			await resume(there);
		}),
		same("scheduleName", "everything sent again", daily, update({ cron_expression: daily.cronExpression })),
	];
}
