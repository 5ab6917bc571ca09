import { armJob } from "./jobs";
import { armSchedule } from "./schedules";
import type { JobRecord, PipelineRecord, ScheduleRecord, TeamState } from "./state";
import type { World } from "./world";

// ── Reads that lag behind ──

/** How teams were some time ago, for reads that lag behind by `millis`. Knows nothing of before it was made. */
export class Past {
	/** Oldest first. What changed at one instant is one entry, so a clock that stands still keeps it short. */
	readonly #teams = new WeakMap<TeamState, { at: number; team: TeamState }[]>();

	constructor(
		private readonly millis: number,
		private readonly now: () => number,
	) {}

	/** Called with a team as it is, first when the past begins and then after every change. */
	record(team: TeamState): void {
		const history = this.#teams.get(team);
		if (history === undefined) {
			// Before this there is nothing to be told, so it was always so.
			this.#teams.set(team, [{ at: Number.NEGATIVE_INFINITY, team: snapshot(team, undefined) }]);
			return;
		}
		// Later than now only where someone has set the clock back.
		while ((history.at(-1)?.at ?? 0) >= this.now()) history.pop();
		history.push({ at: this.now(), team: snapshot(team, history.at(-1)?.team) });
		this.#forget(history);
	}

	/** The team as it was then. */
	view(team: TeamState): TeamState {
		const history = this.#teams.get(team);
		if (history === undefined) return team;
		this.#forget(history);
		return history[0]?.team ?? team;
	}

	/** Leaves what can still be asked for, so that the oldest entry is the answer. */
	#forget(history: { at: number }[]): void {
		const then = this.now() - this.millis;
		while ((history[1]?.at ?? Number.POSITIVE_INFINITY) <= then) history.shift();
	}
}

/** The copy that was last made of a record. */
const lastCopies = new WeakMap<object, object>();

/** Copies of records; those that did not change are shared, so a snapshot costs little more than a look. */
function copies<R extends object>(records: readonly R[], before: R[] | undefined): R[] {
	const copied = records.map((record) => {
		const last = lastCopies.get(record) as R | undefined;
		if (last !== undefined && sameFields(record, last)) return last;
		const copy = { ...record };
		lastCopies.set(record, copy);
		return copy;
	});
	const same = before?.length === copied.length && copied.every((record, at) => record === before[at]);
	return same ? before : copied;
}

function sameFields<R extends object>(a: R, b: R): boolean {
	for (const key in a) if (a[key] !== b[key]) return false;
	return true;
}

function snapshot(team: TeamState, before: TeamState | undefined): TeamState {
	return {
		...team,
		jobs: copies(team.jobs, before?.jobs),
		pipelines: copies(team.pipelines, before?.pipelines),
		schedules: copies(team.schedules, before?.schedules),
	};
}

// ── Writes that are seen late ──

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
	const pipelines = changeOf(before.pipelines, after.pipelines);
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
			if (schedules.touched.has(schedule.id)) armSchedule(world, team, schedule);
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

type AnyRecord = TeamState["files"][number] | JobRecord | PipelineRecord | ScheduleRecord;

const idOf = (record: AnyRecord): unknown => ("job_runs" in record ? record.pipeline_id : record.id);

/** What makes `after` of `before`, with the ids of records that are new or differ, and of those that are gone. */
function changeOf<R extends AnyRecord>(before: readonly R[], after: readonly R[]) {
	const olds = new Map(before.map((record) => [idOf(record), record]));
	const news = new Map(after.map((record) => [idOf(record), record]));
	const differs = (record: R): boolean => {
		const old = olds.get(idOf(record));
		return old === undefined || Object.keys(changedFields(old, record)).length > 0;
	};
	const added = after.filter((record) => !olds.has(idOf(record)));
	const gone = new Set(before.map(idOf).filter((id) => !news.has(id)));
	const touched = new Set(after.filter(differs).map(idOf));
	const apply = (records: R[]): R[] => {
		for (const record of records) {
			const [old, changed] = [olds.get(idOf(record)), news.get(idOf(record))];
			if (old !== undefined && changed !== undefined && touched.has(idOf(record))) {
				Object.assign(record, changedFields(old, changed));
			}
		}
		const kept = gone.size === 0 ? records : records.filter((record) => !gone.has(idOf(record)));
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
