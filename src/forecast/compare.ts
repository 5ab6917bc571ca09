import type { Comparison, ScheduleChange } from "./comparison";
import { hiddenCron } from "./from-state";
import { groupBy } from "./group-by";
import { eachRunOf } from "./run-times";
import { type ForecastSchedule, type PipelineFacts, pipelineKey, timeWords } from "./subject";
import { type ForecastWindow, iso } from "./window";

const MOST_EXAMPLES = 3;

export interface CompareInput {
	/** By URN. */
	readonly deployed: ReadonlyMap<string, ForecastSchedule>;
	readonly declared: ReadonlyMap<string, ForecastSchedule>;
	readonly pipelines: ReadonlyMap<string, PipelineFacts>;
	readonly window: ForecastWindow;
	readonly stack: string | null;
	readonly notes: readonly string[];
}

/** What a deployment of the program would do to the runs in the window. */
export function compareRuns(input: CompareInput): Comparison {
	const { deployed, declared, window } = input;
	const notes = [...input.notes];
	const schedules: ScheduleChange[] = [];
	const all = [...new Map([...deployed, ...declared])].sort(([a], [b]) => (a < b ? -1 : 1));
	for (const [urn, shown] of all) {
		const [before, after] = [deployed.get(urn), declared.get(urn)];
		const hidden = [before, after].flatMap((each) => hiddenCron(each?.cron) ?? [])[0];
		if (hidden !== undefined) {
			notes.push(`${shown.name}: ${hidden}, so its runs are not compared.`);
			continue;
		}
		const change = changeOf(shown, before, after, input);
		if (change !== undefined) schedules.push(change);
	}
	const sum = (what: keyof Comparison["summary"]) => schedules.reduce((runs, each) => runs + each[what], 0);
	return {
		schemaVersion: 1,
		madeAt: new Date().toISOString(),
		from: iso(window.from),
		to: iso(window.to),
		stack: input.stack,
		summary: {
			added: sum("added"),
			removed: sum("removed"),
			moved: sum("moved"),
			kept: sum("kept"),
		},
		schedules,
		notes,
	};
}

function changeOf(
	shown: ForecastSchedule,
	before: ForecastSchedule | undefined,
	after: ForecastSchedule | undefined,
	{ window, pipelines }: CompareInput,
): ScheduleChange | undefined {
	const [old, now] = [runsOf(before, window, pipelines), runsOf(after, window, pipelines)];
	const how = before === undefined ? "added" : after === undefined ? "removed" : "changed";
	const { added, removed, moved, kept } = runChanges(old, now);
	const isSame = how === "changed" && added.length + removed.length + moved.length === 0;
	if (isSame && before?.name === after?.name && timeOf(before) === timeOf(after)) return undefined;
	return {
		name: shown.name,
		team: shown.team,
		pipeline: shown.pipeline ?? null,
		resource: shown.resource ?? null,
		how,
		before: before === undefined ? null : timeWords(before),
		after: after === undefined ? null : timeWords(after),
		added: added.length,
		removed: removed.length,
		moved: moved.length,
		kept,
		examples: [
			...moved.map(([from, to]) => ({ from: iso(from), to: iso(to) })),
			...removed.map((from) => ({ from: iso(from), to: null })),
			...added.map((to) => ({ from: null, to: iso(to) })),
		].slice(0, MOST_EXAMPLES),
	};
}

const timeOf = (schedule: ForecastSchedule | undefined): string =>
	JSON.stringify([schedule?.cron, schedule?.declared, schedule?.timeZone, schedule?.startAfter]);

function runsOf(
	schedule: ForecastSchedule | undefined,
	window: ForecastWindow,
	pipelines: ReadonlyMap<string, PipelineFacts>,
): number[] {
	if (schedule === undefined) return [];
	const { team, pipeline, paused } = schedule;
	if (paused ?? pipelines.get(pipelineKey(team, pipeline ?? ""))?.paused) return [];
	const runs: number[] = [];
	eachRunOf(schedule, window, (at) => runs.push(at));
	return runs;
}

/** A run that goes and one that comes on the same day, in UTC, are one that moves. */
export function runChanges(
	old: readonly number[],
	now: readonly number[],
): { added: number[]; removed: number[]; moved: [number, number][]; kept: number } {
	const [before, after] = [new Set(old), new Set(now)];
	const gone = old.filter((at) => !after.has(at));
	const fresh = now.filter((at) => !before.has(at));
	const come = groupBy(fresh, dayOf);
	const moved: [number, number][] = [];
	const removed: number[] = [];
	for (const at of gone) {
		const to = come.get(dayOf(at))?.shift();
		if (to === undefined) removed.push(at);
		else moved.push([at, to]);
	}
	return { added: [...come.values()].flat(), removed, moved, kept: old.length - gone.length };
}

const dayOf = (at: number): string => iso(at).slice(0, 10);
