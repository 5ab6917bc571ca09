import { armJob } from "./jobs";
import { armSchedule } from "./schedules";
import type { TeamState } from "./state";
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

const snapshot = (team: TeamState, before: TeamState | undefined): TeamState =>
	withLists(team, (records, list) => copies(records, before?.[list]));

/** What requests change of a team. */
const LISTS = ["files", "jobs", "pipelines", "schedules"] as const;
type List = (typeof LISTS)[number];
type AnyRecord = TeamState[List][number];

/** The team with other lists of records, made from those it has. */
const withLists = (
	team: TeamState,
	make: (records: readonly AnyRecord[], list: List) => AnyRecord[],
): TeamState => ({ ...team, ...Object.fromEntries(LISTS.map((list) => [list, make(team[list], list)])) });

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
	const changes = new Map(LISTS.map((list) => [list, changeOf(before[list], after[list])]));
	const effect: Effect = (target) => {
		Object.assign(
			target,
			withLists(target, (records, list) => changes.get(list)?.apply(records) ?? [...records]),
		);
	};
	const isTouched = (list: List, record: AnyRecord) => changes.get(list)?.touched.has(idOf(record));
	waiting.push(effect);
	world.after(millis, team, () => {
		waiting.splice(waiting.indexOf(effect), 1);
		effect(team);
		for (const schedule of team.schedules) {
			if (isTouched("schedules", schedule)) armSchedule(world, team, schedule);
		}
		for (const job of team.jobs) {
			if (!isTouched("jobs", job)) continue;
			armJob(world, team, job, job.due);
			world.jobChanged(team, job);
		}
		world.changed(team);
	});
	return reply;
}

const copyOf = (team: TeamState): TeamState =>
	withLists(team, (records) => records.map((record) => ({ ...record })));

const idOf = (record: AnyRecord): unknown => ("job_runs" in record ? record.pipeline_id : record.id);

/** What makes `after` of `before`, with the ids of records that are new or differ. */
function changeOf(before: readonly AnyRecord[], after: readonly AnyRecord[]) {
	const olds = new Map(before.map((record) => [idOf(record), record]));
	const kept = new Set(after.map(idOf));
	const changed = new Map<unknown, Partial<AnyRecord>>();
	for (const record of after) {
		const old: Partial<AnyRecord> = olds.get(idOf(record)) ?? {};
		const fields = Object.entries(record).filter(([key, value]) => value !== Reflect.get(old, key));
		if (fields.length > 0) changed.set(idOf(record), Object.fromEntries(fields));
	}
	const apply = (records: readonly AnyRecord[]): AnyRecord[] => [
		...records
			.filter((record) => kept.has(idOf(record)) || !olds.has(idOf(record)))
			.map((record) => Object.assign(record, changed.get(idOf(record)))),
		...after.filter((record) => !olds.has(idOf(record))).map((record) => ({ ...record })),
	];
	return { touched: new Set(changed.keys()), apply };
}
