import { randomUUID } from "node:crypto";
import {
	emptyTeam,
	newJob,
	newPipeline,
	newSchedule,
	newUser,
	type TeamState,
} from "../../src/server/state";
import { formatInstant } from "../../src/text/instant";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Size {
	readonly schedules: number;
	/** Pipelines that the schedules share; one for each unless given. */
	readonly pipelines?: number;
	readonly runsOfEach?: number;
	/** Jobs that belong to no pipeline. */
	readonly jobs?: number;
	readonly variablesOfEach?: number;
}

/** The team of an operator: each schedule runs once an hour and did so a few times; every run had one job. */
export function operatorTeam(now: number, size: Size): TeamState {
	const {
		schedules,
		pipelines = schedules,
		runsOfEach = 0,
		jobs = 0,
		variablesOfEach = 0,
	} = size;
	const team = emptyTeam("vision");
	const by = { created_by: "data-eng" };
	for (let index = 0; index < pipelines; index++) {
		const variables = Array.from({ length: variablesOfEach }, (_, at) => [
			`TOKEN_${at}`,
			`value-${index}-${at}`,
		]);
		team.pipelines.push(
			newPipeline({
				...by,
				name: `pipeline-${index}`,
				triggered_from: `dev.team.dataset-${index}@1.0.0`,
				created_at: formatInstant(now - 30 * DAY),
				environment_variables: Object.fromEntries(variables),
			}),
		);
	}
	const templates = [...team.pipelines];
	for (let index = 0; index < schedules; index++) {
		const template = templates[index % pipelines];
		if (template === undefined) throw new Error("A schedule needs a pipeline.");
		team.schedules.push(
			newSchedule({
				id: index + 1,
				schedule_name: `schedule-${index}`,
				created_at: formatInstant(now - 20 * DAY),
				created_by: newUser(index % 3 === 0 ? "ops-oncall" : "data-eng"),
				cron_expression: `${index % 60} * * * *`,
				pipeline_id: template.pipeline_id,
			}),
		);
	}
	for (let run = runsOfEach; run > 0; run--)
		for (const schedule of team.schedules)
			schedule.latest_run_id = addRun(team, schedule.schedule_name, now - run * HOUR);
	for (let index = 0; index < jobs; index++)
		team.jobs.push(
			newJob({
				...by,
				name: `job-${index}.py`,
				query: "1",
				...timesOf(now - index * 60_000),
			}),
		);
	return team;
}

const timesOf = (at: number) => ({
	status: "COMPLETE",
	created_at: formatInstant(at),
	started_at: formatInstant(at),
	finished_at: formatInstant(at + 5 * 60_000),
});

function addRun(team: TeamState, schedule: string, at: number): string {
	const id = randomUUID();
	const pipeline = newPipeline({
		name: `run-${team.pipelines.length}`,
		triggered_from: "dev.team.dataset@1.0.0",
		created_by: "data-eng",
		created_at: formatInstant(at),
		schedule_name: schedule,
		job_runs: [
			{ job_id: randomUUID(), parent_job_ids: [], name: "final", created_job_id: id },
		],
	});
	const { pipeline_id } = pipeline;
	const job = {
		id,
		name: "final",
		query: "1",
		created_by: "data-eng",
		pipeline_id,
		...timesOf(at),
	};
	team.jobs.push(newJob(job));
	team.pipelines.push(pipeline);
	return pipeline_id;
}
