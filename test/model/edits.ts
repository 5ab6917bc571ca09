import fc from "fast-check";
import type { Draws } from "./draws";
import { QUERIES } from "./job-book";
import { DATASETS_OF } from "./pipeline-book";
import { NAMES, SPELLINGS } from "./spelling";
import { PIPELINES, type StackName } from "./story";

/** Once a year, so that none fires while the clock runs on through thousands of sequences. */
export const CRONS = ["0 3 1 7 *", "30 4 2 7 *"];
const STARTS = ["2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z"];

export type Drawn<Drawing> = Drawing extends fc.Arbitrary<infer Value> ? Value : never;

export const rarely = (times: number) =>
	fc.integer({ min: 0, max: times }).map((drawn) => drawn === times);
export const maybe = <T>(values: fc.Arbitrary<T>) =>
	fc.option(values, { nil: undefined });
export const weighed = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({
	weight,
	arbitrary,
});
/** So many times the usual value for each other one. */
export const mostly = <const Usual, Other>(
	times: number,
	usual: Usual,
	others: fc.Arbitrary<Other>,
) => fc.oneof(weighed(times, fc.constant(usual)), weighed(1, others));

/** So often beside ten other cases. */
export const drawn = (weight: number) =>
	fc.integer({ min: 1, max: 10 + weight }).map((each) => each > 10 && weight > 0);

/** Places count round, so that every number is one. */
export const place = fc.nat({ max: 5 });
export const pipelinesOf = (stack: StackName) =>
	fc.constantFrom(...(stack === "one" ? PIPELINES : ["p3"]));

const scheduleContent = (stack: StackName, draws: Draws) =>
	fc.record({
		kind: fc.constant("PipelineSchedule"),
		// Only one of the stacks: the other's names would be its own in another spelling.
		scheduleName: fc.oneof(
			weighed(4, fc.constantFrom(...NAMES[stack])),
			weighed(
				stack === "one" && draws.spellings > 0 ? 1 : 0,
				fc.constantFrom(...SPELLINGS),
			),
		),
		pipelineName: pipelinesOf(stack),
		cronExpression: fc.constantFrom(...CRONS),
		startAfter: mostly(4, undefined, fc.constantFrom(...STARTS)),
		declaresPause: rarely(3),
		adopt: drawn(draws.adopt),
	});

const settingsContent = (stack: StackName, draws: Draws) =>
	fc.record({
		kind: fc.constant("PipelineSettings"),
		// Each stack has pipelines of its own: two that manage one pipeline's settings cannot know of each other.
		pipelineName: fc.constantFrom(...(stack === "one" ? ["p1", "p2"] : ["p3"])),
		declaresPause: rarely(3),
		adopt: drawn(2 * draws.adopt),
		onDestroy: fc.constantFrom("keep", "reset"),
		pythonVersion: maybe(fc.constantFrom("3.11", "3.12")),
		priority: maybe(fc.constantFrom(2, 3)),
		requirements: maybe(fc.constantFrom("numpy", "pandas")),
		workers: maybe(fc.constantFrom(2, 4)),
		environment: maybe(
			fc.dictionary(fc.constantFrom("A", "B"), fc.constantFrom("1", "2"), {
				noNullPrototype: true,
			}),
		),
		storage: maybe(fc.boolean().map((anon) => ({ s3: { anon } }))),
	});

const pipelineContent = (stack: StackName) =>
	fc.record({
		kind: fc.constant("Pipeline"),
		// Each stack has datasets of its own: consent for a run takes over what was triggered from the same ones.
		datasets: fc.constantFrom(...DATASETS_OF[stack]),
		triggers: fc.constantFrom(1, 2),
		start: rarely(2),
		onDestroy: fc.constantFrom("pause", "leave"),
	});

/** Jobs take half a minute here: less than one timeout, more than the other. Some never end. */
const jobContent = fc.record({
	kind: fc.constant("Job"),
	query: fc.constantFrom(...Object.values(QUERIES)),
	triggers: fc.constantFrom(1, 2),
	wait: mostly(3, true, fc.constant(undefined)),
	timeout: fc.constantFrom("20s", "1m"),
});

const contentOf = (stack: StackName, draws: Draws) =>
	fc.oneof(
		weighed(draws.schedules, scheduleContent(stack, draws)),
		weighed(draws.settings, settingsContent(stack, draws)),
		weighed(draws.pipelines, pipelineContent(stack)),
		weighed(draws.jobs, jobContent),
	);

/** What a resource declares, apart from its place in the program. */
export type Content = Drawn<ReturnType<typeof contentOf>>;

/** `chained` depends on the resource before it; `deletedWith` is that one as well. */
const optionsOf = (draws: Draws) =>
	fc.record({
		chained: drawn(draws.dependsOn),
		protect: drawn(draws.protect),
		retainOnDelete: drawn(draws.retainOnDelete),
		withBefore: drawn(draws.deletedWith),
		deleteBeforeReplace: drawn(draws.deleteBeforeReplace).chain((is) =>
			is ? fc.boolean() : fc.constant(undefined),
		),
		replaceOnChanges: drawn(draws.replaceOnChanges).map((is) => (is ? REPLACING : [])),
	});
const REPLACING = [
	"cronExpression",
	"scheduleName",
	"priority",
	"environment",
] as const;

/** What a program has from the start: with fewer resources, most edits would find none. */
export const startOf = (stack: StackName, draws: Draws) =>
	fc.array(
		fc.record({
			edit: fc.constant("add"),
			at: place,
			content: contentOf(stack, draws),
		}),
		{
			maxLength: stack === "one" ? 6 : 2,
			size: "max",
		},
	);

/** One change that a person makes to a program. */
export const editOf = (stack: StackName, draws: Draws) =>
	fc.oneof(
		weighed(
			5,
			fc.record({
				edit: fc.constant("add"),
				at: place,
				content: contentOf(stack, draws),
			}),
		),
		fc.record({ edit: fc.constant("remove"), at: place }),
		weighed(
			2,
			fc.record({
				edit: fc.constant("change"),
				at: place,
				content: contentOf(stack, draws),
			}),
		),
		// Another resource takes its place and its content.
		fc.record({ edit: fc.constant("rename"), at: place, alias: fc.boolean() }),
		weighed(
			2,
			fc.record({ edit: fc.constant("options"), at: place, options: optionsOf(draws) }),
		),
		// Two resources exchange what they declare.
		weighed(2, fc.record({ edit: fc.constant("swap"), at: place, with: place })),
		// A row comes in front of a list whose resources are numbered: each content moves to the next resource.
		fc.record({ edit: fc.constant("shift"), content: contentOf(stack, draws) }),
		// The first row of such a list goes.
		fc.record({
			edit: fc.constant("unshift"),
			kind: fc.constantFrom("PipelineSchedule", "PipelineSettings", "Pipeline"),
		}),
		fc.record({
			edit: fc.constant("pause"),
			pipeline: pipelinesOf(stack),
			paused: fc.boolean(),
		}),
		// The resource is served by the other host from now on: to the engine another one, of another type.
		weighed(
			Math.round((3 * draws.hosts) / 10),
			fc.record({ edit: fc.constant("host"), at: place, renamed: fc.boolean() }),
		),
	);

export type Edit = Drawn<ReturnType<typeof editOf>>;
