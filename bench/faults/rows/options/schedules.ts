import type { Declared } from "../../../../test/helpers/e2e-deployment";
import { scheduleNamed } from "./ledger";
import type { Scenario, Variant } from "./scenario";

/** A schedule of a scenario. The slots are made unique by the scenario's and the variant's name. */
interface Part {
	readonly resource?: string;
	readonly schedule?: string;
	readonly args?: object;
	readonly opts?: { readonly aliases?: readonly string[]; readonly [option: string]: unknown };
}

interface Sketch {
	readonly name: string;
	readonly stage?: Scenario["stage"];
	readonly only?: Variant;
	readonly before: readonly Part[];
	readonly after: readonly Part[];
	/** Schedule slots whose schedules the change deletes, and those that are there afterwards. */
	readonly deletes?: readonly string[];
	readonly leaves?: readonly string[];
	readonly targets?: readonly string[];
	readonly group?: string;
	readonly settled?: readonly Part[];
	readonly later?: { readonly deletes?: readonly string[]; readonly leaves?: readonly string[] };
}

const plain: Part = {};
const moved = { pipelineName: "nightly-images" };
const later = { cronExpression: "0 9 1 * *" };

const SKETCHES: readonly Sketch[] = [
	{ name: "removal", before: [plain], after: [], deletes: ["s"] },
	{ name: "replacement", before: [plain], after: [{ args: moved }], deletes: ["s"], leaves: ["s"] },
	{ name: "rename", before: [plain], after: [{ resource: "b" }], leaves: ["s"] },
	{
		name: "rename and change",
		only: "adopted",
		before: [plain],
		after: [{ resource: "b", args: later }],
		leaves: ["s"],
	},
	{
		name: "swapped names",
		before: [plain, { resource: "b", schedule: "t" }],
		after: [{ schedule: "t" }, { resource: "b", schedule: "s" }],
		leaves: ["s", "t"],
	},
	{
		name: "alias",
		before: [plain],
		after: [{ resource: "b", args: later, opts: { aliases: ["a"] } }],
		leaves: ["s"],
	},
	{
		name: "alias and replacement",
		before: [plain],
		after: [{ resource: "b", args: moved, opts: { aliases: ["a"] } }],
		deletes: ["s"],
		leaves: ["s"],
	},
	{
		name: "deleteBeforeReplace false and another name",
		before: [{ opts: { deleteBeforeReplace: false } }],
		after: [{ schedule: "t", args: moved, opts: { deleteBeforeReplace: false } }],
		deletes: ["s"],
		leaves: ["t"],
	},
	{ name: "retainOnDelete", before: [{ opts: { retainOnDelete: true } }], after: [], leaves: ["s"] },
	{
		name: "retainOnDelete and replacement",
		before: [{ opts: { retainOnDelete: true } }],
		after: [{ schedule: "t", args: moved, opts: { retainOnDelete: true } }],
		leaves: ["s", "t"],
	},
	{
		name: "protect and change",
		before: [{ opts: { protect: true } }],
		after: [{ args: later, opts: { protect: true } }],
		leaves: ["s"],
	},
	{
		name: "ignoreChanges",
		before: [plain],
		after: [{ args: { ...moved, ...later }, opts: { ignoreChanges: ["pipelineName", "cronExpression"] } }],
		leaves: ["s"],
	},
	{
		name: "replaceOnChanges",
		before: [plain],
		after: [{ args: later, opts: { replaceOnChanges: ["cronExpression"] } }],
		leaves: ["s"],
	},
	{
		name: "target",
		stage: "target",
		before: [plain, { resource: "b", schedule: "t" }, { resource: "c", schedule: "u" }],
		after: [{ args: later }, { resource: "b", schedule: "t", args: moved }],
		targets: ["a"],
		leaves: ["s", "t", "u"],
		later: { deletes: ["t", "u"], leaves: ["s", "t"] },
	},
	{
		name: "target and replacement",
		stage: "target",
		before: [plain, { resource: "b", schedule: "t" }],
		after: [{ args: moved }],
		targets: ["a"],
		deletes: ["s"],
		leaves: ["s", "t"],
		later: { deletes: ["t"], leaves: ["s"] },
	},
	{
		name: "target and rename",
		stage: "target",
		before: [plain],
		after: [{ resource: "b" }],
		targets: ["b"],
		leaves: ["s"],
		later: { leaves: ["s"] },
	},
	{
		name: "protect",
		stage: "refused",
		group: "protect",
		before: [{ opts: { protect: true } }],
		after: [],
		leaves: ["s"],
	},
	{
		name: "protect and replacement",
		stage: "refused",
		before: [{ opts: { protect: true } }],
		after: [{ args: moved, opts: { protect: true } }],
		leaves: ["s"],
	},
	{
		name: "deleteBeforeReplace false",
		stage: "refused",
		group: "create",
		before: [plain],
		after: [{ args: moved, opts: { deleteBeforeReplace: false } }],
		leaves: ["s"],
	},
	{
		name: "rename and refused change",
		stage: "refused",
		only: "made",
		before: [plain],
		after: [{ resource: "b", args: later }],
		leaves: ["s"],
	},
	{
		name: "rename and replacement",
		stage: "refused",
		before: [plain],
		after: [{ resource: "b", args: moved }],
		leaves: ["s"],
	},
	{
		name: "retainOnDelete and replacement under one name",
		stage: "refused",
		group: "retained",
		before: [{ opts: { retainOnDelete: true } }],
		after: [{ args: moved, opts: { retainOnDelete: true } }],
		// The engine has let go of the old one by then; the way on is another name, as the refusal says.
		settled: [{ schedule: "t", args: moved, opts: { retainOnDelete: true } }],
		leaves: ["s"],
	},
];

export const scheduleScenarios = (variant: Variant): Scenario[] =>
	SKETCHES.filter(({ only }) => only === undefined || only === variant).map((sketch) =>
		fill(sketch, variant),
	);

function fill(sketch: Sketch, variant: Variant): Scenario {
	const unique = (slot: string) => `${sketch.name.replaceAll(" ", "-")}-${variant}-${slot}`;
	const names = (slots: readonly string[] = []) => slots.map((slot) => scheduleNamed(unique(slot)));
	const declare = (parts: readonly Part[]) => parts.map((part) => declared(part, variant, unique));
	return {
		name: `${sketch.name} (${variant})`,
		stage: sketch.stage ?? "together",
		before: declare(sketch.before),
		after: declare(sketch.after),
		asked: { deletes: names(sketch.deletes), leaves: names(sketch.leaves) },
		targets: sketch.targets?.map(unique) ?? [],
		group: sketch.group ?? `${sketch.name} ${variant}`,
		settled: declare(sketch.settled ?? sketch.before),
		later: { deletes: names(sketch.later?.deletes), leaves: names(sketch.later?.leaves) },
	};
}

function declared(part: Part, variant: Variant, unique: (slot: string) => string): Declared {
	const { aliases, ...opts } = part.opts ?? {};
	return {
		kind: "PipelineSchedule",
		name: unique(part.resource ?? "a"),
		args: {
			scheduleName: unique(part.schedule ?? "s"),
			pipelineName: "rusty-vise",
			cronExpression: "0 3 1 * *",
			adopt: variant === "adopted",
			...part.args,
		},
		opts: { ...opts, ...(aliases && { aliases: aliases.map((slot) => ({ name: unique(slot) })) }) },
	};
}
