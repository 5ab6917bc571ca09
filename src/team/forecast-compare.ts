import { z } from "zod";
import { DAY_MS } from "../cron";
import { showInstant } from "../text/instant";
import {
	type Cell,
	many,
	moment,
	name,
	type Report,
	type Section,
	sectionOf,
	words,
} from "../text/report";
import { cronCell, scheduleSchema } from "./forecast-report";
import { eachRunOf, type ForecastWindow } from "./forecast-runs";
import {
	type ForecastSchedule,
	type PipelineFacts,
	pipelineKey,
	timeWords,
	whyUnknown,
} from "./forecast-schedules";

const timeSchema = scheduleSchema
	.pick({ cron: true, declared: true, timeZone: true, meaning: true })
	.nullable();

const changeSchema = z.object({
	...scheduleSchema.pick({ name: true, team: true, pipeline: true, resource: true })
		.shape,
	how: z.enum(["added", "removed", "changed"]),
	before: timeSchema,
	after: timeSchema,
	/** Numbers of runs in the window. One that moves by less than a day counts as moved only. */
	added: z.int(),
	removed: z.int(),
	moved: z.int(),
	kept: z.int(),
	/** The first of them: `from` alone goes, `to` alone comes, both is moved. */
	examples: z.array(
		z.object({ from: z.string().nullable(), to: z.string().nullable() }),
	),
});

/** What `pulumi-datachain forecast --compare --json` prints. Documented in docs/cli.md. */
export const comparisonSchema = z.object({
	schemaVersion: z.literal(1),
	madeAt: z.string(),
	from: z.string(),
	to: z.string(),
	stack: z.string().nullable(),
	summary: z.object({
		added: z.int(),
		removed: z.int(),
		moved: z.int(),
		kept: z.int(),
	}),
	/** Only those that change. */
	schedules: z.array(changeSchema),
	notes: z.array(z.string()),
});

export type Comparison = z.infer<typeof comparisonSchema>;
export type ScheduleChange = z.infer<typeof changeSchema>;

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
	const { deployed, declared, pipelines, window } = input;
	const notes = [...input.notes];
	const livePause = ({ team, pipeline }: ForecastSchedule) =>
		pipelines.get(pipelineKey(team, pipeline ?? ""))?.paused;
	const runsOf = (
		schedule: ForecastSchedule,
		isPaused: boolean | undefined,
	): number[] => {
		const runs: number[] = [];
		if (!isPaused) eachRunOf(schedule, window, (at) => runs.push(at));
		return runs;
	};
	const runsBefore = (before: ForecastSchedule) =>
		runsOf(before, livePause(before) ?? before.paused);
	// A deployment pauses or resumes a pipeline only where the program says something else than it did.
	const runsAfter = (before: ForecastSchedule | undefined, after: ForecastSchedule) =>
		after.paused === before?.paused
			? runsOf(after, livePause(after) ?? after.paused)
			: runsOf(after, after.paused ?? livePause(after));
	const schedules: ScheduleChange[] = [];
	const all = [...new Map([...deployed, ...declared])].sort(([a], [b]) =>
		a < b ? -1 : 1,
	);
	for (const [urn, schedule] of all) {
		const [before, after] = [deployed.get(urn), declared.get(urn)];
		const [hidden] = [before, after].flatMap(
			(each) => (each && whyUnknown(each)) ?? [],
		);
		if (hidden !== undefined) {
			notes.push(`${schedule.name}: ${hidden}, so its runs are not compared.`);
			continue;
		}
		const runs = runChanges(
			before ? runsBefore(before) : [],
			after ? runsAfter(before, after) : [],
		);
		const change = changeOf(schedule, before, after, runs);
		if (change !== undefined) schedules.push(change);
	}
	const sum = (field: keyof Comparison["summary"]) =>
		schedules.reduce((runs, each) => runs + each[field], 0);
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

/** Undefined if nothing changes for the schedule. */
function changeOf(
	schedule: ForecastSchedule,
	before: ForecastSchedule | undefined,
	after: ForecastSchedule | undefined,
	{ added, removed, moved, kept: unchanged }: ReturnType<typeof runChanges>,
): ScheduleChange | undefined {
	const how =
		before === undefined ? "added" : after === undefined ? "removed" : "changed";
	const isSame =
		how === "changed" && added.length + removed.length + moved.length === 0;
	if (isSame && before?.name === after?.name && timeOf(before) === timeOf(after))
		return undefined;
	return {
		name: schedule.name,
		team: schedule.team,
		pipeline: schedule.pipeline,
		resource: schedule.resource,
		how,
		before: before === undefined ? null : timeWords(before),
		after: after === undefined ? null : timeWords(after),
		added: added.length,
		removed: removed.length,
		moved: moved.length,
		kept: unchanged,
		examples: [
			...moved.map(([from, to]) => ({ from: showInstant(from), to: showInstant(to) })),
			...removed.map((from) => ({ from: showInstant(from), to: null })),
			...added.map((to) => ({ from: null, to: showInstant(to) })),
		].slice(0, MOST_EXAMPLES),
	};
}

const timeOf = (schedule: ForecastSchedule | undefined): string =>
	JSON.stringify([
		schedule?.cron,
		schedule?.declared,
		schedule?.timeZone,
		schedule?.startAfter,
	]);

/** A run that goes and one that comes less than a day apart are one that moves; of several, the nearest two. */
export function runChanges(
	old: readonly number[],
	now: readonly number[],
): { added: number[]; removed: number[]; moved: [number, number][]; kept: number } {
	const [before, after] = [new Set(old), new Set(now)];
	let removed = old.filter((at) => !after.has(at));
	let added = now.filter((at) => !before.has(at));
	const unchanged = old.length - removed.length;
	let moved: [number, number][] = [];
	for (;;) {
		// Each pass pairs those that are nearest to each other, so those left over may pair in the next one.
		const [nearestNew, nearestOld] = [nearestIn(added), nearestIn(removed)];
		const pairs = removed.flatMap((from): [number, number][] => {
			const to = nearestNew(from);
			return to !== undefined && nearestOld(to) === from && Math.abs(to - from) < DAY_MS
				? [[from, to]]
				: [];
		});
		if (pairs.length === 0)
			return {
				added,
				removed,
				moved: moved.sort(([a], [b]) => a - b),
				kept: unchanged,
			};
		moved = moved.concat(pairs);
		const paired = new Set(pairs.flat());
		removed = removed.filter((at) => !paired.has(at));
		added = added.filter((at) => !paired.has(at));
	}
}

/** Finds the nearest of some instants in ascending order, for instants that are asked for in that order, too. */
function nearestIn(instants: readonly number[]): (at: number) => number | undefined {
	let index = 0;
	const distance = (to: number, at: number) =>
		Math.abs((instants[to] ?? Number.POSITIVE_INFINITY) - at);
	return (at) => {
		while (distance(index + 1, at) < distance(index, at)) index += 1;
		return instants[index];
	};
}

/** Runs that the deployment changes, for every rendering. */
export function describeComparison({ schedules, ...comparison }: Comparison): Report {
	const section = (
		how: ScheduleChange["how"],
		title: string,
		description: string,
	): Section =>
		sectionOf(
			{ id: how, title, severity: "odd", spare: 1 },
			description,
			schedules.filter((change) => change.how === how),
			{
				Schedule: (change) => name(change.name),
				Pipeline: ({ pipeline }) => name(pipeline ?? "unknown"),
				Deployed: ({ before }) => timeCell(before),
				Declared: ({ after }) => timeCell(after),
				Runs: (change) => words(runWords(change)),
			},
		);
	return {
		heading: { page: "Runs that the deployment changes", comment: "Upcoming runs" },
		headline: changesWords(comparison),
		footnotes: [],
		sections: [
			section(
				"changed",
				"Changed schedules",
				"They run at other times once this is deployed.",
			),
			section("added", "New schedules", "They are not deployed yet."),
			section(
				"removed",
				"Removed schedules",
				"They are deployed, but no longer in the program.",
			),
		].filter(({ rows }) => rows.length > 0),
		notes: comparison.notes,
	};
}

const timeCell = (time: ScheduleChange["before"]): Cell =>
	time === null ? words("none") : cronCell(time);

function runWords({
	added,
	removed,
	moved,
	kept: unchanged,
	examples,
}: ScheduleChange): string {
	const counts = Object.entries({ moved, added, removed, "as before": unchanged })
		.filter(([, runs]) => runs > 0)
		.map(([change, runs]) => `${runs} ${change}`);
	const moves = examples.map(({ from, to }) => {
		if (from === null) return `+ ${moment(to)}`;
		if (to === null) return `- ${moment(from)}`;
		const isSameDay = from.slice(0, 10) === to.slice(0, 10);
		return `${moment(from)} becomes ${isSameDay ? to.slice(11, 16) : moment(to)}`;
	});
	const more = added + removed + moved > examples.length ? ["…"] : [];
	return counts.length === 0
		? "none in this time"
		: `${counts.join(", ")}: ${[...moves, ...more].join("; ")}`;
}

function changesWords({
	summary: { added, removed, moved },
	stack,
	from,
	to,
}: Omit<Comparison, "schedules">): string {
	const where = stack === null ? "this stack" : `stack "${stack}"`;
	const when = `${moment(from)} to ${moment(to)}`;
	if (added + removed + moved === 0) return `No run of ${where} changes, ${when}`;
	return `${many(moved, "run")} moved, ${added.toLocaleString("en-US")} added, ${removed.toLocaleString("en-US")} removed in ${where}, ${when}`;
}
