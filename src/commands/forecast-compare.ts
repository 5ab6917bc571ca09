import { DAY_MS } from "../cron";
import { showInstant } from "../schemas/instant";
import type { Comparison, ScheduleChange } from "./forecast-report";
import { eachRunOf, type ForecastWindow } from "./forecast-runs";
import { type ForecastSchedule, type PipelineFacts, pipelineKey, timeWords } from "./forecast-schedules";

const MOST_EXAMPLES = 3;

interface CompareInput {
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
		const hidden = [before, after].flatMap((each) => each?.hidden ?? [])[0];
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
		madeAt: showInstant(Date.now()),
		from: showInstant(window.from),
		to: showInstant(window.to),
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
			...moved.map(([from, to]) => ({ from: showInstant(from), to: showInstant(to) })),
			...removed.map((from) => ({ from: showInstant(from), to: null })),
			...added.map((to) => ({ from: null, to: showInstant(to) })),
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

/** A run that goes and one that comes less than a day apart are one that moves; of several, the nearest two. */
export function runChanges(
	old: readonly number[],
	now: readonly number[],
): { added: number[]; removed: number[]; moved: [number, number][]; kept: number } {
	const [before, after] = [new Set(old), new Set(now)];
	let removed = old.filter((at) => !after.has(at));
	let added = now.filter((at) => !before.has(at));
	const kept = old.length - removed.length;
	let moved: [number, number][] = [];
	for (;;) {
		// Each pass pairs those that are nearest to each other, so those left over may pair in the next one.
		const [nearestNew, nearestOld] = [nearestIn(added), nearestIn(removed)];
		const pairs = removed.flatMap((from): [number, number][] => {
			const to = nearestNew(from);
			return to !== undefined && nearestOld(to) === from && Math.abs(to - from) < DAY_MS ? [[from, to]] : [];
		});
		if (pairs.length === 0) return { added, removed, moved: moved.sort(([a], [b]) => a - b), kept };
		moved = moved.concat(pairs);
		const paired = new Set(pairs.flat());
		removed = removed.filter((at) => !paired.has(at));
		added = added.filter((at) => !paired.has(at));
	}
}

/** Finds the nearest of some instants in ascending order, for instants that are asked for in that order, too. */
function nearestIn(instants: readonly number[]): (at: number) => number | undefined {
	let index = 0;
	const distance = (to: number, at: number) => Math.abs((instants[to] ?? Number.POSITIVE_INFINITY) - at);
	return (at) => {
		while (distance(index + 1, at) < distance(index, at)) index += 1;
		return instants[index];
	};
}
