import { beforeEach, expect } from "vitest";
import type { Props } from "../../src/provider/model/props";
import type { Kind } from "../../src/schemas/kinds";
import type { Entry, Program, Resource } from "../model/stack";
import { providerWorld, Stack, type World } from "./provider-harness";

/** The service that the test has for itself, and an empty stack on it. */
export let world: World;
export let stack: Stack;

/** Gives each test of the file a service and a stack of its own; `prepare` comes before the test. */
export function freshStack(prepare: () => void | Promise<void> = () => {}): void {
	beforeEach(async () => {
		world = await providerWorld();
		stack = new Stack(world);
		await prepare();
	});
}

/** Declares a resource of the kind, with these inputs unless given. */
const declaring =
	(kind: Kind, usual: Props = {}) =>
	(name: string, args: Props, more: Partial<Resource> = {}): Resource => ({
		kind,
		name,
		args: { ...usual, ...args },
		...more,
	});
export const schedule = declaring("PipelineSchedule", { cronExpression: "0 3 * * *" });
export const jobFile = declaring("JobFile");
const anyPipeline = declaring("Pipeline", { datasets: ["dev.images.clean"] });
export const pipeline = (args: object, name = "images") =>
	anyPipeline(name, { ...args });
const anyJob = declaring("Job", { query: "print(1)" });
export const job = (args: object, name = "train") => anyJob(name, { ...args });

/** A schedule of ours on the pipeline p1, and one that a colleague made there. */
export const named = (
	name: string,
	scheduleName: string,
	inputs: object = {},
	more: Partial<Resource> = {},
) => schedule(name, { scheduleName, pipelineName: "p1", ...inputs }, more);
export const theirs = (schedule_name: string, inputs: object = {}) =>
	world.colleague.createSchedule({
		schedule_name,
		pipeline_name: "p1",
		cron_expression: "0 3 * * *",
		...inputs,
	});

/** Settings of ours, of the pipeline p1 unless given, and what a colleague sets. */
const anySettings = declaring("PipelineSettings", { pipelineName: "p1" });
export const tuned = (inputs: Props, name = "s") => anySettings(name, inputs);
export const theySet = (input: object, pipeline_name = "p1") =>
	world.colleague.setSettings({ pipeline_name, ...input });

/** Schedules, pipelines and jobs as the service has them. */
export const there = () => world.colleague.schedules();
export const placed = () =>
	there()
		.map(({ name, pipelineName }) => `${name} on ${pipelineName}`)
		.sort();
export const pipelineThere = (name = "p1") => {
	const found = world.colleague.pipelines().find((one) => one.name === name);
	if (found === undefined) throw new Error(`There is no pipeline ${name}.`);
	return found;
};
export const triggered = () =>
	world.colleague.pipelines().filter(({ createdBy }) => createdBy === "developer");
export const jobs = () => world.colleague.jobs();

/** What the engine is told of a resource whose inputs change. */
export const diffOf = (name: string, inputs: object) => {
	const old = stack.entry(name);
	return world
		.process()
		.serve(old.kind)
		.diff(old.id, old.outs, { ...old.inputs, ...inputs });
};

export const failuresOf = async (program: Program) =>
	(await stack.up(program)).failures;

/** Leaves it as a run that was killed before the state had it. */
export async function leave(resource: Resource): Promise<Entry> {
	await stack.up([resource]);
	const entry = stack.entry(resource.name);
	stack.entries = [];
	world.writes();
	return entry;
}

/** What a run with consent, which must succeed, makes of such a one. */
export async function consent(resource: Resource) {
	const { failures, notices } = await stack.up([resource], { adoptEqual: true });
	expect(failures).toEqual([]);
	return { id: stack.entry(resource.name).id, notices, writes: world.writes() };
}
