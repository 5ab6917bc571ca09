import { expect, test } from "vitest";
import type { Monitor, Registration } from "../../../src/plugin/monitor";
import { constructScheduledPipeline, type Declared } from "../../../src/plugin/scheduled-pipeline";
import { secretValue, UNKNOWN } from "../../../src/provider/handler";

const stops = { register: () => Promise.reject(new Error("registered")) } as unknown as Monitor;
const construct = (inputs: Declared["inputs"], monitor = stops) =>
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
	["a pipeline", { schedule: { pipeline_name: "p" } }, "schedule cannot have pipelineName", "Leave it out."],
	["a pause", { settings: { paused: true } }, "cannot have paused", "Set paused beside settings."],
	["nothing to schedule", { schedule: undefined }, "needs datasets and a schedule", ""],
	["no mistake", {}, "registered", ""],
])("a component with %s is told so before anything is registered", async (_, inputs, said, instead) => {
	const error = await construct(inputs).catch((reason: Error) => reason.message);
	expect(error).toContain(said);
	expect(error).toContain(instead);
});

/** An output of the program, as the engine hands it to a component. */
const output = (value: unknown, secret: boolean) => ({
	"4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
	...(value !== undefined && { value }),
	secret,
	dependencies: [],
});

test.each([
	["an output", (value: object) => output(value, true)],
	["a value", (value: object) => secretValue(value)],
])("the settings and the schedule of a component may be secret as a whole, as %s", async (_, secret) => {
	const registered: Registration[] = [];
	const monitor = {
		register: async (resource: Registration) => {
			registered.push(resource);
			return { urn: resource.type, outputs: {} };
		},
		registerOutputs: async () => {},
	} as unknown as Monitor;
	const settings = secret({ workers: 2, environment: secretValue({ A: "1" }) });
	await construct({ schedule: secret({ cronExpression: "0 3 * * *" }), settings }, monitor);
	const [, , second, third] = registered.map(({ inputs }) => inputs);
	expect(second).toEqual({
		workers: secretValue(2),
		environment: secretValue({ A: "1" }),
		pipelineName: UNKNOWN,
	});
	expect(third).toEqual({
		cronExpression: secretValue("0 3 * * *"),
		pipelineName: UNKNOWN,
		paused: false,
	});
});

test.each([
	["schedule", output(undefined, false)],
	["settings", output(undefined, true)],
	["settings", UNKNOWN],
])("a component whose %s is not known before the deployment says how to declare it", async (input, value) => {
	const error = await construct({ [input]: value }).catch((reason: Error) => reason.message);
	expect(error).toContain(`${input} as a whole is not known before the deployment`);
	expect(error).toContain("Declare it as an object, whose fields may be outputs");
});
