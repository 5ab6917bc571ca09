import fc from "fast-check";
import type { FaultRule } from "../../src/server";
import { DRAWS, type Draws } from "./draws";
import {
	CRONS,
	type Drawn,
	drawn,
	type Edit,
	editOf,
	maybe,
	pipelinesOf,
	place,
	startOf,
	weighed,
} from "./edits";
import { DATASETS_OF } from "./pipeline-book";
import { Random } from "./random";
import { FOLDS, THEIR_NAMES } from "./spelling";
import { PIPELINES, type StackName } from "./story";

const WRITES = [
	"createSchedule",
	"updateSchedule",
	"deleteSchedule",
	"updateSettings",
	"pausePipeline",
	"resumePipeline",
	"triggerPipeline",
] as const;
const READS = [
	"getSchedule",
	"listSchedules",
	"pipelineStatus",
	"listPipelines",
] as const;

/** What a colleague does between two commands. */
const actsOf = (draws: Draws) =>
	fc.oneof(
		weighed(
			10,
			fc.record({
				act: fc.constant("make"),
				schedule_name: fc.constantFrom(
					...THEIR_NAMES.filter((name) => draws.spellings > 0 || /^[a-e]$/.test(name)),
				),
				pipeline_name: pipelinesOf("one"),
				cron_expression: fc.constantFrom(...CRONS),
			}),
		),
		weighed(10, fc.record({ act: fc.constant("unmake"), at: place })),
		// Behind the back of the stack whose turn it is: its next deployment refreshes first.
		weighed(
			draws.drift,
			fc.record({ act: fc.constant("drift"), at: place, deletes: fc.boolean() }),
		),
		weighed(
			10,
			fc.record({
				act: fc.constant("set"),
				pipeline_name: pipelinesOf("one"),
				python_version: maybe(fc.constantFrom("3.10", "3.11")),
				priority: maybe(fc.constantFrom(2, 7)),
				requirements: maybe(fc.constantFrom("numpy", "scipy")),
				workers: maybe(fc.constantFrom(2, 8)),
			}),
		),
		weighed(
			10,
			fc.record({
				act: fc.constant("variable"),
				pipeline: pipelinesOf("one"),
				name: fc.constantFrom("THEIRS", "A"),
				value: maybe(fc.constantFrom("x", "1", "their-value")),
			}),
		),
		weighed(
			10,
			fc.record({
				act: fc.constant("pause"),
				pipeline: pipelinesOf("one"),
				paused: fc.boolean(),
			}),
		),
		weighed(
			draws.pipelines,
			fc.record({
				act: fc.constant("trigger"),
				datasets: fc.constantFrom(...DATASETS_OF.one),
				paused: fc.boolean(),
			}),
		),
		weighed(
			draws.remadePipeline,
			fc.record({ act: fc.constant("remake"), pipeline: fc.constantFrom("p1", "p2") }),
		),
	);

export type Act = Drawn<ReturnType<typeof actsOf>>;

const often = {
	times: fc.integer({ min: 1, max: 3 }),
	skip: fc.integer({ min: 0, max: 2 }),
};
const onWrites = { ...often, endpoint: fc.constantFrom(...WRITES) };
const onAll = { ...often, endpoint: fc.constantFrom(...WRITES, ...READS) };

/** A row of a list that nobody can read, for a whole command: its name is there, and is taken. */
const unreadable = fc
	.record({
		row: fc.constantFrom("0", "1", "2", "3", "*"),
		spoilt: fc.constantFrom(
			{ created_at: 7 },
			{ start_after: 7 },
			{ cron_expression: ["0 3 1 7 *"] },
		),
	})
	.map(({ row, spoilt }): FaultRule => {
		const set = Object.fromEntries(
			Object.entries(spoilt).map(([key, value]) => [`${row}.${key}`, value]),
		);
		return { kind: "rewrite", endpoint: "listSchedules", set };
	});

/** Replies that get lost after the work, and failures before it. */
const failures: fc.Arbitrary<FaultRule> = fc.oneof(
	fc.record({ ...onAll, kind: fc.constant("reset-after") }),
	fc.record({
		...onWrites,
		kind: fc.constant("status"),
		status: fc.constant(500),
		afterWork: fc.constant(true),
	}),
	fc.record({ ...onAll, kind: fc.constant("status"), status: fc.constant(503) }),
	fc.record({ ...onAll, kind: fc.constant("reset-before") }),
);

/** Replies that say less than there is, or something else, for a whole command. */
const missing = fc
	.constantFrom(
		"environment_variables",
		"requirements",
		"python_version",
		"priority",
		"workers",
		"pipeline_id",
	)
	.map(
		(field): FaultRule => ({
			kind: "rewrite",
			remove: [field, `*.${field}`, `pipeline.${field}`],
		}),
	);
const masks = fc
	.record({
		name: fc.constantFrom("THEIRS", "A", "*"),
		shown: fc.constantFrom("head", "tail", "none"),
	})
	.map(({ name, shown }): FaultRule => {
		const paths = ["", "*.", "pipeline."].map(
			(above) => `${above}environment_variables.${name}`,
		);
		return {
			kind: "rewrite",
			mask: Object.fromEntries(paths.map((path) => [path, shown])),
		};
	});
const otherPipeline = fc.constantFrom(...PIPELINES).map(
	(name): FaultRule => ({
		kind: "misread",
		endpoint: "pipelineStatus",
		set: { name },
	}),
);

/** At most two in a third of the cases; none where nothing may be drawn. */
const few = <T>(
	...choices: readonly { weight: number; arbitrary: fc.Arbitrary<T> }[]
): fc.Arbitrary<readonly T[]> => {
	const possible = choices.filter(({ weight }) => weight > 0);
	return possible.length === 0
		? fc.constant([])
		: fc.oneof(
				weighed(2, fc.constant([])),
				weighed(1, fc.array(fc.oneof(...possible), { maxLength: 2 })),
			);
};

const faultsOf = (draws: Draws) =>
	few<FaultRule>(
		weighed(draws.failures, failures),
		weighed(draws.unreadableRows, unreadable),
		weighed(draws.missingFields, missing),
		weighed(draws.partialMasks, masks),
		weighed(draws.otherPipeline, otherPipeline),
	);

/** A run with `--exclude` or `--target` before the full one; the places are those of the program and then of the state. */
const partialOf = ({ exclude, target }: Draws) =>
	fc.oneof(
		weighed(10, fc.constant(undefined)),
		weighed(
			exclude + target,
			fc.record({
				option: fc.oneof(
					weighed(exclude, fc.constant("exclude" as const)),
					weighed(target, fc.constant("target" as const)),
				),
				at: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 2 }),
			}),
		),
	);

const moveOf = (stack: StackName, draws: Draws) =>
	fc.record({
		stack: fc.constant(stack),
		acts: few(weighed(1, actsOf(draws))),
		edits: fc.array(editOf(stack, draws), { maxLength: 5, size: "max" }),
		run: fc.oneof(
			weighed(8, fc.constant("up" as const)),
			weighed(
				1,
				fc.constantFrom("preview" as const, "refresh" as const, "destroy" as const),
			),
		),
		parallel: fc.oneof(
			weighed(draws.parallelOne, fc.constant(1)),
			weighed(10, fc.constantFrom(2, 4, 8)),
		),
		refresh: drawn(draws.refresh),
		adoptEqual: drawn(draws.adoptEqual),
		// The place of a resource for `--replace`.
		replace: drawn(draws.replace).chain((is) => (is ? place : fc.constant(undefined))),
		partial:
			draws.exclude + draws.target > 0 ? partialOf(draws) : fc.constant(undefined),
		faults: faultsOf(draws),
		// Whether the service has caught up before the next move.
		settled: fc.boolean(),
	});

export type Move = Drawn<ReturnType<typeof moveOf>>;

const NO_LAG = fc.constant({ staleMillis: 0, lateMillis: 0 });
/** Up to fifteen seconds in all: the longest that is planned for. */
const plannedLag = fc.oneof(
	fc
		.integer({ min: 100, max: 15_000 })
		.map((staleMillis) => ({ staleMillis, lateMillis: 0 })),
	fc
		.integer({ min: 100, max: 15_000 })
		.map((lateMillis) => ({ staleMillis: 0, lateMillis })),
	fc
		.integer({ min: 100, max: 7_500 })
		.map((millis) => ({ staleMillis: millis, lateMillis: millis })),
);

/** Longer than the provider's reads wait: a write is never seen in the command that sent it. */
const LONG = { min: 21_000, max: 60_000 };
const longLag = fc.oneof(
	fc.integer(LONG).map((staleMillis) => ({ staleMillis, lateMillis: 0 })),
	fc.integer(LONG).map((lateMillis) => ({ staleMillis: 0, lateMillis })),
);

/** How far the service's clock may be off. */
const OFFSETS = [-7_200_000, 7_200_000];

export const scenariosOf = (draws: Draws) =>
	fc
		.record({
			seed: fc.nat(),
			lag: fc.oneof(
				weighed(10, NO_LAG),
				weighed(draws.lag, plannedLag),
				weighed(draws.longLag, longLag),
			),
			moves: fc.array(
				fc.oneof(weighed(4, moveOf("one", draws)), weighed(1, moveOf("two", draws))),
				{
					minLength: 1,
					maxLength: 5,
					size: "max",
				},
			),
			one: startOf("one", draws),
			two: startOf("two", draws),
			// Rarely: a name that the service stores in another form ends the sequence.
			fold: drawn(draws.spellings).chain((is) =>
				is ? fc.constantFrom(...FOLDS) : fc.constant("none" as const),
			),
			rounded: drawn(draws.roundedTimes),
			unique: drawn(draws.uniqueNames),
			clockAhead: drawn(draws.clockOffset).chain((is) =>
				is ? fc.constantFrom(...OFFSETS) : fc.constant(0),
			),
		})
		.map(({ lag, moves, one, two, ...rest }) => {
			const isLong = lag.staleMillis + lag.lateMillis >= LONG.min;
			const [first, second] = ["one", "two"].map((name) =>
				moves.findIndex(({ stack }) => stack === name),
			);
			const all = moves.map((move, at): Move => {
				const start = at === first ? one : at === second ? two : [];
				return { ...move, edits: [...start, ...move.edits] };
			});
			return { ...rest, ...lag, moves: isLong ? all.map(withoutOnceOnly) : all };
		});
export const scenarios = scenariosOf(DRAWS);

/**
 * Where a write is never seen in its own command, a run can only say that it cannot tell what came of a trigger or a job:
 * such sequences have none. Nor have they `--replace`, which only the same command would go on with: to a plain `up` the
 * resource is as declared, and that its object is gone, or has a duplicate, shows in a refresh.
 */
function withoutOnceOnly(move: Move): Move {
	const isStart = (edit: Edit) =>
		"content" in edit && ["Pipeline", "Job"].includes(edit.content.kind);
	return {
		...move,
		edits: move.edits.filter((edit) => !isStart(edit)),
		replace: undefined,
	};
}

export type Scenario = Drawn<typeof scenarios>;

/** How a write fails: before the work, after it, or so that the work is done later. */
const FAILURES: readonly FaultRule[] = [
	{ kind: "reset-before" },
	{ kind: "reset-after" },
	...[408, 500].flatMap((status): FaultRule[] => [
		{ kind: "status", status },
		{ kind: "status", status, afterWork: true },
	]),
	// Of rate limits only this one: they are waited for in real time, and have a suite of their own for every kind.
	{ kind: "status", status: 429, retryAfter: 0 },
	{ kind: "html", status: 502 },
	{ kind: "html", status: 502, afterWork: true },
	{ kind: "truncated-json" },
	...[300, 12_000].map((ms): FaultRule => ({ kind: "late-commit", ms })),
];

/**
 * The same sequence, where the first writes of each kind fail in each command, and what comes late is waited for. Triggers are
 * left out: where the replies to two are lost at once, the run can only say that it cannot tell what came of them.
 */
export const stormy = (scenario: Scenario): Scenario => ({
	...scenario,
	lateMillis: Math.max(1, scenario.lateMillis),
	moves: scenario.moves.map((move, at) => {
		const draws = new Random(`${scenario.seed}/${at}`);
		const writes = WRITES.filter((endpoint) => endpoint !== "triggerPipeline");
		const failing = writes.map((endpoint) => ({
			...draws.pick(FAILURES),
			endpoint,
			times: draws.integer(1, 2),
		}));
		return { ...move, settled: true, partial: undefined, faults: failing };
	}),
});
