import { expect, test } from "vitest";
import type { Monitor } from "../../../src/plugin/monitor";
import { constructScheduledPipeline, type Declared } from "../../../src/plugin/scheduled-pipeline";

const monitor = { register: () => Promise.reject(new Error("registered")) } as unknown as Monitor;
const construct = (inputs: Declared["inputs"]) =>
	constructScheduledPipeline(monitor, {
		name: "a",
		parent: "",
		inputs: { datasets: ["dev.images.clean"], schedule: { cronExpression: "0 3 * * *" }, ...inputs },
		inputDependencies: {},
		dependencies: [],
		aliases: [],
		provider: "",
		preview: true,
		protect: undefined,
		retainOnDelete: undefined,
	});

test.each([
	["a pipeline", { schedule: { pipelineName: "p" } }, "schedule cannot have pipelineName", "Leave it out."],
	["Python's spelling", { schedule: { pipeline_name: "p" } }, "cannot have pipelineName", "Leave it out."],
	["a team", { settings: { team_name: "t" } }, "cannot have teamName", "Set teamName beside settings."],
	["a pause", { settings: { paused: true } }, "cannot have paused", "Set paused beside settings."],
	["nothing to schedule", { schedule: undefined }, "needs datasets and a schedule", ""],
	["no mistake", {}, "registered", ""],
])("a component with %s is told so before anything is registered", async (_, inputs, said, instead) => {
	const error = await construct(inputs).catch((reason: Error) => reason.message);
	expect(error).toContain(said);
	expect(error).toContain(instead);
});
