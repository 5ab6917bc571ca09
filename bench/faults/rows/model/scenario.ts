import fc from "fast-check";
import type { FaultRule } from "../../../../src/server";
import { Random } from "../../random";
import {
	CRONS,
	type Drawn,
	type Edit,
	editOf,
	maybe,
	mostly,
	pipelinesOf,
	place,
	rarely,
	weighed,
} from "./edits";
import { DATASETS_OF } from "./pipeline-book";
import { FOLDS, THEIR_NAMES } from "./spelling";
import type { StackName } from "./story";

const WRITES = [
	"createSchedule",
	"updateSchedule",
	"deleteSchedule",
	"updateSettings",
	"pausePipeline",
	"resumePipeline",
	"triggerPipeline",
] as const;
const READS = ["getSchedule", "listSchedules", "pipelineStatus", "listPipelines"] as const;

/** What a colleague does between two commands. */
const acts = fc.oneof(
	fc.record({
		act: fc.constant("make"),
		schedule_name: fc.constantFrom(...THEIR_NAMES),
		pipeline_name: pipelinesOf("one"),
		cron_expression: fc.constantFrom(...CRONS),
	}),
	fc.record({ act: fc.constant("unmake"), at: place }),
	// Behind the back of the stack whose turn it is: its next deployment refreshes first.
	fc.record({ act: fc.constant("drift"), at: place, deletes: fc.boolean() }),
	fc.record({
		act: fc.constant("set"),
		pipeline_name: pipelinesOf("one"),
		python_version: maybe(fc.constantFrom("3.10", "3.11")),
		priority: maybe(fc.constantFrom(2, 7)),
	}),
	fc.record({
		act: fc.constant("variable"),
		pipeline: pipelinesOf("one"),
		name: fc.constantFrom("THEIRS", "A"),
		value: maybe(fc.constantFrom("x", "1")),
	}),
	fc.record({ act: fc.constant("pause"), pipeline: pipelinesOf("one"), paused: fc.boolean() }),
	fc.record({
		act: fc.constant("trigger"),
		datasets: fc.constantFrom(...DATASETS_OF.one),
		paused: fc.boolean(),
	}),
);

export type Act = Drawn<typeof acts>;

const often = { times: fc.integer({ min: 1, max: 3 }), skip: fc.integer({ min: 0, max: 2 }) };
const onWrites = { ...often, endpoint: fc.constantFrom(...WRITES) };
const onAll = { ...often, endpoint: fc.constantFrom(...WRITES, ...READS) };

/** A row of a list that nobody can read, for a whole command: its name is there, and is taken. */
const unreadable = fc
	.record({
		row: fc.constantFrom("0", "1", "2", "3", "*"),
		spoilt: fc.constantFrom({ created_at: 7 }, { start_after: 7 }, { cron_expression: ["0 3 1 7 *"] }),
	})
	.map(({ row, spoilt }): FaultRule => {
		const set = Object.fromEntries(Object.entries(spoilt).map(([key, value]) => [`${row}.${key}`, value]));
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

const few = <T>(items: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> =>
	mostly(2, [], fc.array(items, { maxLength: 2 }));

const faults = fc.oneof(failures, unreadable);

const moveOf = (stack: StackName) =>
	fc.record({
		stack: fc.constant(stack),
		acts: few(acts),
		edits: fc.array(editOf(stack), { maxLength: 5 }),
		run: mostly(8, "up", fc.constantFrom("preview", "refresh", "destroy")),
		parallel: fc.constantFrom(1, 2, 4, 8),
		refresh: rarely(3),
		adoptEqual: rarely(6),
		// The place of a resource for `--replace`.
		replace: mostly(8, undefined, place),
		faults: few(faults),
		// Whether the service has caught up before the next move.
		settled: fc.boolean(),
	});

export type Move = Drawn<ReturnType<typeof moveOf>>;

/** Some sequences without any lag, some with up to fifteen seconds in all: the longest that is planned for. */
const plannedLag = fc.oneof(
	weighed(2, fc.constant({ staleMillis: 0, lateMillis: 0 })),
	fc.integer({ min: 100, max: 15_000 }).map((staleMillis) => ({ staleMillis, lateMillis: 0 })),
	fc.integer({ min: 100, max: 15_000 }).map((lateMillis) => ({ staleMillis: 0, lateMillis })),
	fc.integer({ min: 100, max: 7_500 }).map((millis) => ({ staleMillis: millis, lateMillis: millis })),
);

/** Longer than the provider's reads wait: a write is never seen in the command that sent it. */
const LONG = { min: 21_000, max: 60_000 };
const longLag = fc.oneof(
	fc.integer(LONG).map((staleMillis) => ({ staleMillis, lateMillis: 0 })),
	fc.integer(LONG).map((lateMillis) => ({ staleMillis: 0, lateMillis })),
);

export const scenarios = fc
	.record({
		seed: fc.nat(),
		lag: fc.oneof(weighed(4, plannedLag), weighed(1, longLag)),
		moves: fc.array(fc.oneof(weighed(4, moveOf("one")), weighed(1, moveOf("two"))), {
			minLength: 1,
			maxLength: 5,
		}),
		// Rarely: a name that the service stores in another form ends the sequence.
		fold: mostly(3, "none", fc.constantFrom(...FOLDS)),
	})
	.map(({ lag, moves, ...rest }) => {
		const isLong = lag.staleMillis + lag.lateMillis >= LONG.min;
		return { ...rest, ...lag, moves: isLong ? moves.map(withoutOnceOnly) : moves };
	});

/**
 * Where a write is never seen in its own command, a run can only say that it cannot tell what came of a trigger or a job:
 * such sequences have none. Nor have they `--replace`, which only the same command would go on with: to a plain `up` the
 * resource is as declared, and that its object is gone, or has a duplicate, shows in a refresh.
 */
function withoutOnceOnly(move: Move): Move {
	const isStart = (edit: Edit) => "content" in edit && ["Pipeline", "Job"].includes(edit.content.kind);
	return { ...move, edits: move.edits.filter((edit) => !isStart(edit)), replace: undefined };
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
		return { ...move, settled: true, faults: failing };
	}),
});
