import fc from "fast-check";
import type { FaultRule } from "../../../../src/server";
import type { Content, Edit, Options } from "./drafts";
import { DATASETS_OF } from "./pipeline-book";
import { PIPELINES, type StackName } from "./story";

/** What a colleague does between two commands. */
export type Act =
	| { readonly act: "make"; readonly schedule: string; readonly pipeline: string; readonly cron: string }
	| { readonly act: "unmake"; readonly at: number }
	/** Behind the back of the stack whose turn it is: its next deployment refreshes first. */
	| { readonly act: "drift"; readonly at: number; readonly deletes: boolean }
	| {
			readonly act: "set";
			readonly pipeline: string;
			readonly python?: string | undefined;
			readonly priority?: number | undefined;
	  }
	| {
			readonly act: "variable";
			readonly pipeline: string;
			readonly name: string;
			readonly value: string | undefined;
	  }
	| { readonly act: "pause"; readonly pipeline: string; readonly paused: boolean }
	| { readonly act: "trigger"; readonly datasets: readonly string[]; readonly paused: boolean };

export interface Move {
	readonly stack: StackName;
	readonly acts: readonly Act[];
	readonly edits: readonly Edit[];
	readonly run: "up" | "preview" | "refresh" | "destroy";
	readonly parallel: number;
	readonly refresh: boolean;
	readonly adoptEqual: boolean;
	/** The place of a resource for `--replace`. */
	readonly replace: number | undefined;
	readonly faults: readonly FaultRule[];
	/** Whether the service has caught up before the next move. */
	readonly settled: boolean;
}

export interface Scenario {
	readonly seed: number;
	readonly staleMillis: number;
	readonly lateMillis: number;
	readonly moves: readonly Move[];
}

/** Stack "two" may want a name of stack "one", and is then refused. */
export const NAMES: Readonly<Record<StackName, readonly string[]>> = {
	one: ["a", "b", "c", "d"],
	two: ["d", "e"],
};
/** Once a year, so that none fires while the clock runs on through thousands of sequences. */
const CRONS = ["0 3 1 7 *", "30 4 2 7 *"];
const STARTS = ["2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z"];
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

const rarely = (times: number) => fc.integer({ min: 0, max: times }).map((drawn) => drawn === times);
const place = fc.nat({ max: 5 });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const pipelinesOf = (stack: StackName) => fc.constantFrom(...(stack === "one" ? PIPELINES : ["p3"]));

const scheduleContent = (stack: StackName): fc.Arbitrary<Content> =>
	fc.record({
		kind: fc.constant("PipelineSchedule" as const),
		schedule: fc.constantFrom(...NAMES[stack]),
		pipeline: pipelinesOf(stack),
		cron: fc.constantFrom(...CRONS),
		start: fc.oneof(
			{ weight: 4, arbitrary: fc.constant(undefined) },
			{ weight: 1, arbitrary: fc.constantFrom(...STARTS) },
		),
		declaresPause: rarely(3),
		adopt: rarely(4),
	});

const settingsContent = (stack: StackName): fc.Arbitrary<Content> =>
	fc.record({
		kind: fc.constant("PipelineSettings" as const),
		// Each stack has pipelines of its own: two that manage one pipeline's settings cannot know of each other.
		pipeline: fc.constantFrom(...(stack === "one" ? ["p1", "p2"] : ["p3"])),
		declaresPause: rarely(3),
		adopt: rarely(2),
		onDestroy: fc.constantFrom("keep" as const, "reset" as const, "restore" as const),
		python: maybe(fc.constantFrom("3.11", "3.12")),
		priority: maybe(fc.constantFrom(2, 3)),
		environment: maybe(fc.dictionary(fc.constantFrom("A", "B"), fc.constantFrom("1", "2"))),
		anonymous: maybe(fc.boolean()),
	});

const pipelineContent = (stack: StackName): fc.Arbitrary<Content> =>
	fc.record({
		kind: fc.constant("Pipeline" as const),
		// Each stack has datasets of its own: consent for a run takes over what was triggered from the same ones.
		datasets: fc.constantFrom(...DATASETS_OF[stack]),
		triggers: fc.constantFrom(1, 2),
		start: rarely(2),
		onDestroy: fc.constantFrom("pause" as const, "leave" as const),
	});

const contentOf = (stack: StackName): fc.Arbitrary<Content> =>
	fc.oneof(
		{ weight: 3, arbitrary: scheduleContent(stack) },
		{ weight: 1, arbitrary: settingsContent(stack) },
		{ weight: 1, arbitrary: pipelineContent(stack) },
	);

const options: fc.Arbitrary<Options> = fc.record({
	chained: maybe(fc.boolean()),
	protect: rarely(5),
	deleteBeforeReplace: maybe(fc.boolean()),
});

const editOf = (stack: StackName): fc.Arbitrary<Edit> =>
	fc.oneof(
		{
			weight: 5,
			arbitrary: fc.record({ edit: fc.constant("add" as const), at: place, content: contentOf(stack) }),
		},
		fc.record({ edit: fc.constant("remove" as const), at: place }),
		{
			weight: 2,
			arbitrary: fc.record({ edit: fc.constant("change" as const), at: place, content: contentOf(stack) }),
		},
		fc.record({ edit: fc.constant("rename" as const), at: place, alias: fc.boolean() }),
		fc.record({ edit: fc.constant("options" as const), at: place, options }),
		{ weight: 2, arbitrary: fc.record({ edit: fc.constant("swap" as const), at: place, with: place }) },
		fc.record({ edit: fc.constant("shift" as const), content: contentOf(stack) }),
		fc.record({
			edit: fc.constant("unshift" as const),
			kind: fc.constantFrom("PipelineSchedule" as const, "PipelineSettings" as const, "Pipeline" as const),
		}),
		fc.record({ edit: fc.constant("pause" as const), pipeline: pipelinesOf(stack), paused: fc.boolean() }),
	);

const acts: fc.Arbitrary<Act> = fc.oneof(
	fc.record({
		act: fc.constant("make" as const),
		schedule: fc.constantFrom("a", "b", "c", "d", "e"),
		pipeline: pipelinesOf("one"),
		cron: fc.constantFrom(...CRONS),
	}),
	fc.record({ act: fc.constant("unmake" as const), at: place }),
	fc.record({ act: fc.constant("drift" as const), at: place, deletes: fc.boolean() }),
	fc.record({
		act: fc.constant("set" as const),
		pipeline: pipelinesOf("one"),
		python: maybe(fc.constantFrom("3.10", "3.11")),
		priority: maybe(fc.constantFrom(2, 7)),
	}),
	fc.record({
		act: fc.constant("variable" as const),
		pipeline: pipelinesOf("one"),
		name: fc.constantFrom("THEIRS", "A"),
		value: maybe(fc.constantFrom("x", "1")),
	}),
	fc.record({ act: fc.constant("pause" as const), pipeline: pipelinesOf("one"), paused: fc.boolean() }),
	fc.record({
		act: fc.constant("trigger" as const),
		datasets: fc.constantFrom(...DATASETS_OF.one),
		paused: fc.boolean(),
	}),
);

const often = { times: fc.integer({ min: 1, max: 3 }), skip: fc.integer({ min: 0, max: 2 }) };

/** Replies that get lost after the work, and failures before it. */
const faults: fc.Arbitrary<FaultRule> = fc.oneof(
	fc.record({
		...often,
		kind: fc.constant("reset-after" as const),
		endpoint: fc.constantFrom(...WRITES, ...READS),
	}),
	fc.record({
		...often,
		kind: fc.constant("status" as const),
		status: fc.constant(500),
		afterWork: fc.constant(true),
		endpoint: fc.constantFrom(...WRITES),
	}),
	fc.record({
		...often,
		kind: fc.constant("status" as const),
		status: fc.constant(503),
		endpoint: fc.constantFrom(...WRITES, ...READS),
	}),
	fc.record({
		...often,
		kind: fc.constant("reset-before" as const),
		endpoint: fc.constantFrom(...WRITES, ...READS),
	}),
);

const moveOf = (stack: StackName): fc.Arbitrary<Move> =>
	fc.record({
		stack: fc.constant(stack),
		acts: fc.oneof(
			{ weight: 2, arbitrary: fc.constant([]) },
			{ weight: 1, arbitrary: fc.array(acts, { maxLength: 2 }) },
		),
		edits: fc.array(editOf(stack), { maxLength: 5 }),
		run: fc.oneof(
			{ weight: 8, arbitrary: fc.constant("up" as const) },
			fc.constantFrom("preview" as const, "refresh" as const, "destroy" as const),
		),
		parallel: fc.constantFrom(1, 2, 4, 8),
		refresh: rarely(3),
		adoptEqual: rarely(6),
		replace: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: place }),
		faults: fc.oneof(
			{ weight: 2, arbitrary: fc.constant([]) },
			{ weight: 1, arbitrary: fc.array(faults, { maxLength: 2 }) },
		),
		settled: fc.boolean(),
	});

/** Some sequences without any lag, some with up to fifteen seconds in all: the longest that is planned for. */
const lag = fc.oneof(
	{ weight: 2, arbitrary: fc.constant({ staleMillis: 0, lateMillis: 0 }) },
	fc.integer({ min: 100, max: 15_000 }).map((staleMillis) => ({ staleMillis, lateMillis: 0 })),
	fc.integer({ min: 100, max: 15_000 }).map((lateMillis) => ({ staleMillis: 0, lateMillis })),
	fc.integer({ min: 100, max: 7_500 }).map((millis) => ({ staleMillis: millis, lateMillis: millis })),
);

export const scenarios: fc.Arbitrary<Scenario> = fc
	.record({
		seed: fc.nat(),
		lag,
		moves: fc.array(
			fc.oneof({ weight: 4, arbitrary: moveOf("one") }, { weight: 1, arbitrary: moveOf("two") }),
			{ minLength: 1, maxLength: 5 },
		),
	})
	.map(({ lag: millis, ...rest }) => ({ ...rest, ...millis }));
