import type { TeamState } from "./state";

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
