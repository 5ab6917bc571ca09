import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";
import type { Program, Resource } from "../../bench/faults/rows/model/stack";
import type { Props } from "../../src/provider/handler";
import { providerWorld, Stack, type World } from "./provider-harness";
import { testFolder } from "./test-folder";

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

export const schedule = (name: string, args: Props, more: Partial<Resource> = {}): Resource => ({
	kind: "PipelineSchedule",
	name,
	args: { cronExpression: "0 3 * * *", ...args },
	...more,
});

export const settings = (name: string, args: Props, more: Partial<Resource> = {}): Resource => ({
	kind: "PipelineSettings",
	name,
	args,
	...more,
});

export const pipeline = (args: object, name = "images"): Resource => ({
	kind: "Pipeline",
	name,
	args: { datasets: ["dev.images.clean"], ...args },
});

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
export const tuned = (inputs: Props, name = "s") => settings(name, { pipelineName: "p1", ...inputs });
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

export const failuresOf = async (program: Program) => (await stack.up(program)).failures;

export const job = (args: object, name = "train"): Resource => ({
	kind: "Job",
	name,
	args: { query: "print(1)", ...args },
});

/** A file in a folder of its own. */
export function file(name: string, text: string): string {
	const path = join(testFolder("provider-"), name);
	writeFileSync(path, text);
	return path;
}
