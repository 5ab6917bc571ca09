import { armJob } from "./domain/job-run";
import { armSchedule } from "./domain/schedules";
import type { PipelineRecord, TeamState } from "./state";
import type { World } from "./world";

/** What one write does to a team. */
type Effect = (team: TeamState) => void;
type Write = (world: World, team: TeamState) => unknown;

/** Effects that have been promised and cannot be seen yet, in the order in which they were promised. */
const promised = new WeakMap<TeamState, Effect[]>();

/**
 * Answers a write at once and lets its effect be seen later. It is tried out on a copy of the team that has the
 * effects promised before; only the fields it changes there are written later, so that changes in between stay.
 */
export function writeLate(world: World, team: TeamState, millis: number, write: Write): unknown {
	const waiting = promised.get(team) ?? [];
	promised.set(team, waiting);
	const before = copyOf(team);
	for (const effect of waiting) effect(before);
	const after = copyOf(before);
	const reply = write(world.draft(), after);
	const schedules = changeOf(before.schedules, after.schedules);
	const pipelines = changeOf(before.pipelines, after.pipelines, pipelineFields);
	const jobs = changeOf(before.jobs, after.jobs);
	const files = changeOf(before.files, after.files);
	const effect: Effect = (target) => {
		target.schedules = schedules.apply(target.schedules);
		target.pipelines = pipelines.apply(target.pipelines);
		target.jobs = jobs.apply(target.jobs);
		target.files = files.apply(target.files);
	};
	waiting.push(effect);
	world.after(millis, team, () => {
		waiting.splice(waiting.indexOf(effect), 1);
		for (const schedule of team.schedules) {
			if (schedules.gone.has(schedule.id)) armSchedule(world, team, schedule, null);
		}
		effect(team);
		for (const schedule of team.schedules) {
			if (schedules.touched.has(schedule.id)) armSchedule(world, team, schedule, schedule.nextRun);
		}
		for (const job of team.jobs) {
			if (!jobs.touched.has(job.id)) continue;
			armJob(world, team, job, job.due);
			world.jobChanged(team, job);
		}
		world.changed(team);
	});
	return reply;
}

function copyOf(team: TeamState): TeamState {
	return {
		...team,
		files: team.files.map((file) => ({ ...file })),
		jobs: team.jobs.map((job) => ({ ...job })),
		pipelines: team.pipelines.map((pipeline) => ({ ...pipeline })),
		schedules: team.schedules.map((schedule) => ({ ...schedule })),
	};
}

/** What makes `after` of `before`, with the ids of records that are new or differ, and of those that are gone. */
function changeOf<R extends { id: number | string }>(
	before: readonly R[],
	after: readonly R[],
	fieldsOf: (before: R, after: R, now: R) => Partial<R> = changedFields,
) {
	const olds = new Map(before.map((record) => [record.id, record]));
	const news = new Map(after.map((record) => [record.id, record]));
	const differs = (given: R): boolean => {
		const old = olds.get(given.id);
		return old === undefined || Object.keys(changedFields(old, given)).length > 0;
	};
	const added = after.filter(({ id }) => !olds.has(id));
	const gone = new Set(before.flatMap(({ id }) => (news.has(id) ? [] : [id])));
	const touched = new Set(after.filter(differs).map(({ id }) => id));
	const apply = (records: R[]): R[] => {
		for (const record of records) {
			const [old, given] = [olds.get(record.id), news.get(record.id)];
			if (old !== undefined && given !== undefined && touched.has(record.id)) {
				Object.assign(record, fieldsOf(old, given, record));
			}
		}
		const kept = gone.size === 0 ? records : records.filter(({ id }) => !gone.has(id));
		kept.push(...added.map((record) => ({ ...record })));
		return kept;
	};
	return { touched, gone, apply };
}

/** The fields that a write changed, as it left them. */
function changedFields<R extends object>(before: R, after: R): Partial<R> {
	const fields = Object.entries(after).filter(([key, value]) => value !== before[key as keyof R]);
	return Object.fromEntries(fields) as Partial<R>;
}

/** Settings are single values that a write changes one by one, though they are one field of the record. */
const pipelineFields = (before: PipelineRecord, after: PipelineRecord, now: PipelineRecord) => ({
	...changedFields(before, after),
	settings: { ...now.settings, ...changedFields(before.settings, after.settings) },
});
