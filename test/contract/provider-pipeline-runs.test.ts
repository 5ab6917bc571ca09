import { describe, expect, it } from "vitest";
import {
	consent,
	failuresOf,
	freshStack,
	leave,
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
const UNKNOWN_ID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

freshStack();

describe("a pipeline", () => {
	it.each([
		["is lost", { kind: "reset-after" }],
		[
			"says that there is no such job",
			{ kind: "status", status: 404, afterWork: true },
		],
	] as const)("has a job removed once although the response %s", async (_, fault) => {
		await stack.up([pipeline({})]);
		world.fault({ ...fault, endpoint: "removeJob", times: 1 });
		expect(
			(await stack.up([pipeline({ removeJobs: ["dev.images.raw"] })])).failures,
		).toEqual([]);
		expect(stack.entry("images").outs).toMatchObject({
			total: 1,
			removedJobs: ["dev.images.raw"],
		});
		expect(
			(await stack.up([pipeline({ removeJobs: ["dev.images.raw"] })])).steps,
		).toEqual(["same images"]);
	});

	it("of a part of the datasets is not taken over, with consent or without", async () => {
		const { id } = await leave(pipeline({ datasets: [CLEAN] }));
		expect((await consent(pipeline({ datasets: [RAW, CLEAN] }))).id).not.toBe(id);
		expect(made()).toHaveLength(2);
	});
});

describe("a pipeline that an earlier deployment left behind, in a run with consent", () => {
	it("is taken over where it is paused and is to be started", async () => {
		const { id, outs } = await leave(pipeline({ start: true }));
		world.colleague.pause(String(outs.name));
		expect(await consent(pipeline({ start: true }))).toMatchObject({
			id,
			writes: ["resumePipeline"],
		});
	});

	it.each<[string, object, number, object]>([
		["runs, and is to stay paused", { start: true }, 0, {}],
		["was made an hour ago", {}, 60 * MINUTE, {}],
		[
			"is a schedule's run",
			{},
			0,
			{ "0.schedule_name": "nightly", "0.is_template": false },
		],
		["has no time", {}, 0, { "0.created_at": null }],
	])("is left alone where it %s", async (_, inputs, millis, set) => {
		const { id } = await leave(pipeline(inputs));
		await world.time.sleep(millis);
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { ...set } });
		const taken = await consent(pipeline({}));
		expect(taken.id).not.toBe(id);
		expect(taken).toMatchObject({ writes: ["triggerPipeline"], notices: [] });
	});

	it("is left alone where there are two of them", async () => {
		await leave(pipeline({}));
		await leave(pipeline({}));
		expect(await consent(pipeline({}))).toMatchObject({
			writes: ["triggerPipeline"],
			notices: [],
		});
		expect(made()).toHaveLength(3);
	});
});

describe("a reply that does not name the pipeline", () => {
	const NOT_ASKED_FOR = "is not the one that was asked for";
	const OTHERS = "dev.other.raw@1.0.0";
	it.each<[string, string, object, string]>([
		["was there before", "p1", {}, NOT_ASKED_FOR],
		[
			"is a schedule's run",
			"p3",
			{ schedule_name: "nightly", is_template: false },
			NOT_ASKED_FOR,
		],
		[
			"is of other datasets",
			"p3",
			{ triggered_from: OTHERS },
			`is shown as triggered from ${OTHERS}`,
		],
	])("but one that %s leaves that alone", async (_, name, set, why) => {
		const other = world.colleague.pipelines().find((one) => one.name === name);
		const named = { "pipeline.name": name, "pipeline.pipeline_id": other?.id };
		world.fault({ kind: "rewrite", endpoint: "triggerPipeline", set: named });
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { triggered_from: CLEAN, ...set },
		});
		world.fault({
			kind: "capped-list",
			limit: 1,
			which: "oldest",
			endpoint: "listPipelines",
		});
		expect(await failuresOf([pipeline({ datasets: [CLEAN, RAW] })])).toEqual([
			expect.stringMatching(
				`a pipeline of ${CLEAN}, ${RAW} was created in team "ml": the response named pipeline "${name}", which ${why} and was not changed`,
			),
		]);
		expect(world.writes()).toEqual(["triggerPipeline"]);
	});

	it("and of two that the list shows then takes none, and names both", async () => {
		world.fault({
			kind: "rewrite",
			endpoint: "triggerPipeline",
			set: { pipeline: null },
		});
		world.fault({ kind: "stale-list", ms: 3_000 });
		void world.time.sleep(50).then(() => world.colleague.trigger([CLEAN], true));
		const failures = await failuresOf([pipeline({})]);
		const names = world.colleague
			.pipelines()
			.slice(3)
			.map(({ name }) => `pipeline "${name}"`);
		expect(failures).toEqual([
			'images: Could not tell whether a pipeline of dev.images.clean was created in team "ml": the response named no pipeline. It was ' +
				`not sent again, because that could create a second one. The list shows ${names.reverse().join("; ")}. Wait a minute, then run ` +
				'"pulumi-datachain pipelines". Keep one, and delete or pause the others. Then run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. ' +
				"It adopts an equal object, or creates one if there is none.",
		]);
	});
});

it("the id of a new pipeline is believed where the service does not show the datasets, of this pipeline or of others", async () => {
	world.fault({
		kind: "rewrite",
		endpoint: "pipelineStatus",
		set: { triggered_from: null },
	});
	world.fault({
		kind: "rewrite",
		endpoint: "listPipelines",
		set: { "*.triggered_from": null },
	});
	expect(await failuresOf([pipeline({})])).toEqual([]);
	expect(made()).toMatchObject([{ id: stack.entry("images").id }]);
	await stack.refresh();
	expect((await stack.up([pipeline({})])).steps).toEqual(["same images"]);
});

it.each<[string, object, boolean]>([
	["runs, where ours would be paused,", {}, false],
	["is paused, where ours would run,", { start: true }, true],
])(
	"a pipeline of another user that %s is not taken for one whose trigger failed",
	async (_, inputs, review) => {
		world.fault({ kind: "status", status: 502, endpoint: "triggerPipeline", times: 1 });
		void world.time.sleep(50).then(() => world.colleague.trigger([CLEAN], review));
		expect(await failuresOf([pipeline(inputs)])).toEqual([
			expect.stringMatching(
				/^images: Could not tell whether a pipeline of dev\.images\.clean was created/,
			),
		]);
		expect(world.writes()).toEqual(["triggerPipeline"]);
	},
);

it("a trigger that a redirect answers after its work is not sent again: its pipeline is found", async () => {
	world.fault({
		kind: "html",
		status: 302,
		afterWork: true,
		endpoint: "triggerPipeline",
		times: 1,
	});
	expect(await failuresOf([pipeline({})])).toEqual([]);
	expect(made()).toMatchObject([{ id: stack.entry("images").id }]);
});

it("a first look that fails sends nothing", async () => {
	world.fault({ kind: "status", status: 403, endpoint: "listPipelines" });
	expect(await failuresOf([pipeline({})])).toEqual([expect.stringMatching(/403/)]);
	expect(world.writes()).toEqual([]);
});

describe("a pipeline that is waited for", () => {
	const waiting = (inputs: object = {}) =>
		pipeline({ start: true, wait: true, ...inputs });
	const name = () => String(stack.entry("images").outs.name);

	it("shows each status once, of its jobs and of itself", async () => {
		const { failures, notices } = await stack.up([waiting()]);
		expect(failures).toEqual([]);
		expect(notices).toEqual([...new Set(notices)]);
		expect(notices.slice(0, 3)).toEqual([
			"images: job dev.images.raw is CREATED",
			"images: job dev.images.clean is PENDING",
			`images: pipeline ${name()} is RUNNING, 0 of 2 jobs done`,
		]);
		expect(notices.slice(-2)).toEqual([
			"images: job dev.images.clean is COMPLETE",
			`images: pipeline ${name()} is COMPLETED, 2 of 2 jobs done`,
		]);
	});

	it("and fails says which jobs failed, and why", async () => {
		const [failure] = await failuresOf([waiting({ datasets: [BROKEN] })]);
		const id = world.colleague.jobs().at(-1)?.id;
		expect(failure?.split("\n")).toEqual([
			`images: Pipeline "${name()}" in team "ml" ended as FAILED. Job "dev.images.broken" (id ${id}) in team "ml" ended as FAILED with exit code 3: The query ended with exit code 3`,
			"The last lines of its log:",
			"  Preparing a Python 3.12 environment",
			"  Running dev.images.broken",
			"  no disk",
			"  SystemExit: 3",
		]);
		expect(stack.entry("images").outs).toMatchObject({
			status: "FAILED",
			pending: ["wait"],
		});
	});

	it.each(["RUNNING", "COMPLETE"])(
		"and fails says so of its job where the list of jobs still has %s",
		async (status) => {
			world.fault({
				kind: "rewrite",
				endpoint: "listJobs",
				set: { "*.status": status },
			});
			expect(await failuresOf([waiting({ datasets: [BROKEN] })])).toEqual([
				expect.stringMatching(
					/^images: Pipeline .* ended as FAILED\. Job "dev\.images\.broken" .* ended as FAILED/,
				),
			]);
		},
	);

	it("and does not end in time says so, and is waited for by the next deployment", async () => {
		const slow = waiting({ timeout: "1s" });
		expect(await failuresOf([slow])).toEqual([
			`images: Pipeline "${name()}" in team "ml" is RUNNING, and it did not end within 1 s, which is its timeout. It was not stopped. Run "pulumi up" again to continue waiting for it.`,
		]);
		expect(await stack.up([waiting()])).toMatchObject({
			steps: ["update images"],
			failures: [],
		});
		expect(stack.entry("images").outs).toMatchObject({ status: "COMPLETED" });
	});

	it.each<[string, object, string]>([
		[
			"no job failed",
			{ status: "CANCELED", job_runs: [], error_message: null },
			"ended as CANCELED. None of its jobs says why.",
		],
		[
			"the service says why",
			{ status: "FAILED", job_runs: null, error_message: "no room\tleft" },
			"ended as FAILED. no room    left",
		],
	])("and fails where %s says what there is", async (_, set, message) => {
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { ...set },
			skip: 1,
		});
		expect(await failuresOf([waiting()])).toEqual([
			`images: Pipeline "${name()}" in team "ml" ${message}`,
		]);
		expect(stack.entry("images").outs.jobRuns).toEqual([]);
	});

	it("and fails with many jobs that are gone names three of them", async () => {
		const ids = [1, 2, 3, 4].map((at) => `04da6b54-80e4-46f7-96ec-b56ff0331ba${at}`);
		const job_runs = [
			{ status: "COMPLETE", job_id: "04da6b54-80e4-46f7-96ec-b56ff0331ba0" },
			...ids.map((job_id, at) => ({
				job_id,
				status: "failed",
				name: at === 0 ? null : `job ${at}`,
			})),
		];
		const set = { status: "FAILED", job_runs, completed: null, total: null };
		world.fault({ kind: "rewrite", endpoint: "pipelineStatus", set, skip: 1 });
		const failures = await failuresOf([waiting()]);
		const names = ["without a name", "job 1", "job 2"];
		const shown = names.map(
			(job, at) => `Job "${job}" (id ${ids[at]}) in team "ml" ended as FAILED`,
		);
		expect(failures).toEqual([
			`images: Pipeline "${name()}" in team "ml" ended as FAILED. ${shown.join("\n")}`,
		]);
	});

	it("in lower case is waited for in the same way", async () => {
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { status: "completed" },
			skip: 1,
		});
		expect(await failuresOf([waiting()])).toEqual([]);
	});

	it("is not taken for another one that has its name", async () => {
		const id = UNKNOWN_ID;
		world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { pipeline_id: id },
			skip: 1,
		});
		expect(await failuresOf([waiting({ timeout: "5m" })])).toEqual([
			`images: Pipeline "${name()}" in team "ml" is RUNNING, and the service does not show it. It was not stopped. Run "pulumi up" again to continue waiting for it.`,
		]);
	});
});
