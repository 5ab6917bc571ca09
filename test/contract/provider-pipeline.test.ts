import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../src/server";
import {
	diffOf,
	freshStack,
	triggered as made,
	pipeline,
	stack,
	world,
} from "../helpers/provider-scene";

const [RAW, CLEAN, BROKEN] = [
	"dev.images.raw",
	"dev.images.clean",
	"dev.images.broken",
];
const MINUTE = 60_000;

freshStack();

const nameNow = () => String(stack.entry("images").outs.name);
const known = (outs: object): void => stack.alter("images", outs);

describe("what a deployment does where the state and the program differ", () => {
	const waiting = { start: true, wait: true };

	it.each<[string, object, object]>([
		["same", { datasets: [RAW, CLEAN] }, { datasets: [CLEAN, RAW] }],
		["replace", { datasets: [RAW, CLEAN] }, { datasets: [RAW] }],
		["replace", { datasets: [RAW, CLEAN] }, { datasets: [RAW, BROKEN] }],
		["same", { removeJobs: ["a", "b"] }, { removeJobs: ["b", "a"] }],
		["same", {}, { removeJobs: [] }],
		["update", { removeJobs: ["b"] }, { removeJobs: ["a", "b"] }],
		[
			"replace",
			{ removeJobs: ["a", "b"], removedJobs: ["a", "b"] },
			{ removeJobs: ["a"] },
		],
		[
			"replace",
			{ removeJobs: ["a", "b"], removedJobs: ["b"] },
			{ removeJobs: ["a", "c"] },
		],
		["replace", { removeJobs: ["a"], removedJobs: ["a"] }, {}],
		["update", { removeJobs: ["a", "b"], removedJobs: ["a"] }, { removeJobs: ["a"] }],
		["update", { removeJobs: ["a"] }, {}],
		["update", { start: true }, {}],
		["update", { pending: ["start"] }, {}],
		["same", { pending: "start" }, {}],
		["replace", { ...waiting, pending: ["wait"], status: "FAILED" }, waiting],
		["replace", { ...waiting, pending: ["wait"], status: "canceled" }, waiting],
		["update", { ...waiting, pending: ["wait"], status: "RUNNING" }, waiting],
		["update", { ...waiting, pending: ["start"], status: "FAILED" }, waiting],
		["same", { ...waiting, status: "FAILED" }, waiting],
		["update", { ...waiting, pending: ["wait"], status: "FAILED" }, { start: true }],
	])("%s for %j and %j", async (step, state, declared) => {
		await stack.up([pipeline({})]);
		known(state);
		expect(await stack.preview([pipeline(declared)])).toMatchObject({
			steps: [`${step} images`],
		});
	});

	it.each<[object, string[]]>([
		[{}, ["datasets"]],
		[{ triggers: 1 }, ["triggers"]],
	])(
		"a run that failed is replaced before it is deleted: %j because of %j",
		async (more, replaces) => {
			await stack.up([pipeline({})]);
			known({ ...waiting, pending: ["wait"], status: "FAILED" });
			const why = { changes: true, replaces, deleteBeforeReplace: false };
			expect(await diffOf("images", { ...waiting, ...more })).toEqual(why);
		},
	);
});

it("a replacement tells of the old pipeline, before it and after it", async () => {
	await stack.up([pipeline({})]);
	const name = nameNow();
	const before =
		'The current pipeline of "images" will be paused after its replacement is created.';
	expect((await stack.preview([pipeline({ triggers: 1 })])).notices).toEqual([before]);
	expect((await stack.up([pipeline({ start: true, triggers: 1 })])).notices).toEqual([
		before,
		`Pipeline "${name}" in team "ml" was paused and stays on the service: the API cannot delete a pipeline.`,
	]);
	await stack.up([pipeline({ triggers: 2, onDestroy: "leave" })]);
	expect(
		(await stack.preview([pipeline({ triggers: 3, onDestroy: "leave" })])).notices,
	).toEqual([]);
});

describe("a pipeline is brought to what is declared by", () => {
	it.each<[object, string[]]>([
		[{}, ["triggerPipeline"]],
		[{ start: true }, ["triggerPipeline"]],
		[{ start: true, removeJobs: [] }, ["triggerPipeline"]],
		[{ removeJobs: [RAW] }, ["triggerPipeline", "removeJob"]],
		[
			{ start: true, removeJobs: [RAW] },
			["triggerPipeline", "removeJob", "resumePipeline"],
		],
	])("%j: %j", async (inputs, writes) => {
		expect((await stack.up([pipeline(inputs)])).failures).toEqual([]);
		expect(world.writes()).toEqual(writes);
		expect(made()).toMatchObject([{ paused: !("start" in inputs) }]);
		expect(stack.entry("images").outs).not.toHaveProperty("pending");
	});

	it("a pause, where the service started it all the same", async () => {
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { status: "RUNNING" },
			times: 1,
		});
		expect((await stack.up([pipeline({})])).failures).toEqual([]);
		expect(world.writes()).toEqual(["triggerPipeline", "pausePipeline"]);
	});
});

describe("jobs to remove", () => {
	it("that are not there are named with those that are; what is left to do stays in the state", async () => {
		const inputs = { removeJobs: ["nope"], start: true, wait: true };
		const { failures } = await stack.up([pipeline(inputs)]);
		expect(failures).toEqual([
			`images: removeJobs: pipeline "${nameNow()}" in team "ml" has no job "nope". Its jobs are dev.images.raw, dev.images.clean. The pipeline is not changed until you correct removeJobs.`,
		]);
		expect(stack.entry("images").outs).toMatchObject({
			pending: ["removeJobs", "start", "wait"],
		});
		expect(stack.entry("images").outs).not.toHaveProperty("removedJobs");
		await stack.refresh();
		expect(stack.entry("images").outs).toMatchObject({
			pending: ["removeJobs", "start", "wait"],
		});
	});

	it("that have the name of another are told apart by their ids before any is removed", async () => {
		await stack.up([pipeline({})]);
		const [raw, clean] = (
			stack.entry("images").outs.jobRuns as { jobId: string }[]
		).map(({ jobId }) => jobId);
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { "job_runs.1.name": RAW },
		});
		world.writes();
		expect((await stack.up([pipeline({ removeJobs: [clean, RAW] })])).failures).toEqual(
			[
				`images: removeJobs: pipeline "${nameNow()}" in team "ml" has 2 jobs "${RAW}", and a removed job cannot be added again: ` +
					`${raw} (PENDING), ${clean} (PENDING). Give the id of one. The pipeline is not changed until you correct removeJobs.`,
			],
		);
		expect(world.writes()).toEqual([]);
	});

	it("can be named by their id, and are removed though the state calls them gone", async () => {
		await stack.up([pipeline({})]);
		const [raw] = stack.entry("images").outs.jobRuns as { jobId: string }[];
		known({ removedJobs: [raw?.jobId] });
		world.writes();
		const removeJobs = [raw?.jobId, RAW, RAW];
		expect((await stack.up([pipeline({ removeJobs })])).failures).toEqual([]);
		expect(world.writes()).toEqual(["removeJob"]);
		expect(stack.entry("images").outs).toMatchObject({
			total: 1,
			jobRuns: [{ name: CLEAN }],
		});
	});

	it("that the service still shows are reported with what to do", async () => {
		await stack.up([pipeline({})]);
		await world.time.sleep(2 * MINUTE);
		world.fault({ kind: "stale-read", ms: MINUTE, endpoint: "pipelineStatus" });
		const from = world.time.now();
		expect((await stack.up([pipeline({ removeJobs: [RAW] })])).failures).toEqual([
			`images: Pipeline "${nameNow()}" in team "ml" is there, but: the service accepted the removal of job "dev.images.raw", but still lists it. Run "pulumi up" again.`,
		]);
		expect(world.time.now() - from).toBeGreaterThan(15_000);
	});

	it("that may not be removed are not looked for", async () => {
		await stack.up([pipeline({})]);
		world.fault({
			kind: "status",
			status: 403,
			endpoint: "removeJob",
			message: "a secret of the request",
		});
		const { failures } = await stack.up([pipeline({ removeJobs: [RAW] })]);
		expect(failures).toEqual([
			expect.stringMatching(/^images: Pipeline ".*" in team "ml" is there, but: .*403/),
		]);
		// The state keeps the message in plain text.
		expect(failures.join()).not.toContain("a secret of the request");
	});

	it("that have run already are reported with the way to a pipeline without them, which works", async () => {
		await stack.up([pipeline({ start: true, wait: true })]);
		expect(
			(await stack.up([pipeline({ start: true, wait: true, removeJobs: [RAW] })]))
				.failures,
		).toEqual([
			expect.stringMatching(
				/: 409, .* Only a job that has not started can be removed, and only while the pipeline is paused\. To create the pipeline again without the job, change triggers\. To keep it, delete its name from removeJobs\.$/,
			),
		]);
		const again = { start: true, wait: true, removeJobs: [RAW], triggers: 2 };
		expect((await stack.up([pipeline(again)])).failures).toEqual([]);
		expect(stack.entry("images").outs).toMatchObject({ total: 1, removedJobs: [RAW] });
	});
});

it.each([
	["pause", {}, { status: null }, "unknown"],
	["resume", { start: true, removeJobs: [RAW] }, { status: "PAUSED" }, "PAUSED"],
])(
	"a request to %s that has no effect is reported with the status that it left",
	async (what, inputs, set, shown) => {
		world.fault({ kind: "rewrite", endpoint: "pipelineStatus", set });
		const { failures } = await stack.up([pipeline(inputs)]);
		expect(failures).toEqual([
			`images: The service accepted the request to ${what} pipeline "${nameNow()}" in team "ml", but still returns it as ${shown}. Run the command again; if that does not help, check the pipeline in the web UI.`,
		]);
		// Sent once, and looked for with patience.
		expect(
			world.writes().filter((write) => /^(pause|resume)/.test(write)),
		).toHaveLength(1);
	},
);

describe("a pipeline whose resource is deleted", () => {
	const ends = "the API cannot delete a pipeline.";

	it("is left where the program says so, and that is said", async () => {
		await stack.up([pipeline({ start: true, onDestroy: "leave" })]);
		const what = `Pipeline "${nameNow()}" in team "ml"`;
		world.writes();
		expect((await stack.destroy()).notices).toEqual([
			`${what} was not changed: ${ends}`,
		]);
		expect(world.writes()).toEqual([]);
	});

	it.each<[string, FaultRule]>([
		["refuses with 400", { kind: "status", status: 400, endpoint: "pausePipeline" }],
		["refuses with 409", { kind: "status", status: 409, endpoint: "pausePipeline" }],
		[
			"accepts without effect",
			{ kind: "rewrite", endpoint: "pipelineStatus", set: { status: "COMPLETED" } },
		],
	])(
		"and has ended, whose pause the service %s, leaves the state with a word",
		async (_, fault) => {
			await stack.up([pipeline({ start: true, wait: true })]);
			const what = `Pipeline "${nameNow()}" in team "ml"`;
			world.fault(fault);
			expect(await stack.destroy()).toMatchObject({
				failures: [],
				notices: [
					`${what} has ended and was not paused, because the service does not pause it: ${ends}`,
				],
			});
			expect(stack.ids()).toEqual({});
		},
	);

	it("and runs, whose pause the service refuses, stays in the state", async () => {
		await stack.up([pipeline({ start: true })]);
		world.fault({ kind: "status", status: 409, endpoint: "pausePipeline" });
		expect((await stack.destroy()).failures).toEqual([
			expect.stringMatching(/^images: Could not pause .*409/),
		]);
		expect(stack.ids()).toHaveProperty("images");
	});

	it("and does not stay paused stays in the state, and fails with the reason alone, not with what the pipeline holds", async () => {
		await stack.up([pipeline({ start: true })]);
		const environment_variables = { TOKEN: "of-somebody-else" };
		const set = { status: "RUNNING", environment_variables };
		world.fault({ kind: "rewrite", endpoint: "pipelineStatus", set });
		const { id, outs } = stack.entry("images");
		const error = await world
			.process()
			.serve("Pipeline")
			.delete(id, outs)
			.catch(inspect);
		expect(error).toContain("but still returns it as RUNNING");
		expect(error).toContain(
			'To remove the resource without a pause, set onDestroy to "leave" and deploy that first.',
		);
		expect(error).not.toContain("of-somebody-else");
		expect((await stack.destroy()).failures).toHaveLength(1);
		expect(stack.ids()).toHaveProperty("images");
	});
});

describe("a pipeline that is not found", () => {
	it("because another one has its name is gone, and the other one is left alone", async () => {
		await stack.up([pipeline({ start: true })]);
		await world.time.sleep(2 * MINUTE);
		stack.entries = [
			{ ...stack.entry("images"), id: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" },
		];
		world.writes();
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(world.writes()).toEqual([]);
	});

	it("by its name is looked for in the list, by its id", async () => {
		await stack.up([pipeline({})]);
		world.fault({ kind: "status", status: 404, endpoint: "pipelineStatus", times: 1 });
		expect((await stack.up([pipeline({ start: true })])).failures).toEqual([]);
		expect(made()).toMatchObject([{ paused: false }]);
	});
});

describe("a pipeline that is imported", () => {
	const read = (id: string) => world.process().serve("Pipeline").read(id, {});

	it("has each of several datasets, and is known by its id, its name or its team and name", async () => {
		await stack.up([pipeline({ datasets: [RAW, CLEAN] })]);
		const { id } = stack.entry("images");
		for (const name of [nameNow(), `ml/${nameNow()}`, `ml/${id}`])
			expect(await read(name)).toMatchObject({ id });
		expect((await read(stack.entry("images").id)).inputs?.datasets).toEqual([
			expect.stringMatching(/^dev\.images\.raw@/),
			expect.stringMatching(/^dev\.images\.clean@/),
		]);
	});

	it("and is not there is not found", async () => {
		await expect(read("nope")).rejects.toThrow(
			'Pipeline.get: the service has nothing under "nope". Check it, and that the connection names the right service and team.',
		);
	});
});
