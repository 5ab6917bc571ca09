import { beforeEach, describe, expect, it } from "vitest";
import type { FaultRule } from "../../src/server";
import { type Declared, pipeline, Stack, schedule } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

const job = (inputs: object, name = "train"): Declared => ({ kind: "Job", name, inputs: { ...inputs } });

let world: World;
let stack: Stack;
beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
});
const statuses = () => world.colleague.jobs().map(({ status }) => status);
const made = () => world.colleague.pipelines().filter(({ createdBy }) => createdBy === "developer");

describe("a job that is waited for", () => {
	it("shows its status and its log while it runs, without the secrets it was given", async () => {
		const query = 'print("hello")\nprint("the key is sesame-open-42")\n';
		const inputs = {
			query,
			wait: true,
			environment: { KEY: "sesame-open-42" },
			__secret: ["environment.KEY"],
		};
		const { failures, notices } = await stack.up([job(inputs)]);
		expect(failures).toEqual([]);
		expect(notices).toContain("train | hello");
		expect(notices).toContain("train | the key is [redacted]");
		expect(
			notices.filter((line) => line.startsWith("train: job ")).map((line) => line.split(" ").at(-1)),
		).toEqual(expect.arrayContaining(["RUNNING", "COMPLETE"]));
		expect(stack.entry("train").outs).toMatchObject({ status: "COMPLETE", exitCode: 0, name: "train" });
	});

	it("fails the deployment with its error and its last lines, and is run again by the next one", async () => {
		const query = 'print("no disk")\nraise SystemExit(3)\n';
		const { failures } = await stack.up([job({ query, wait: true })]);
		expect(failures[0]).toMatch(
			/Job "train" \(id .*\) in team "ml" ended as FAILED with exit code 3: The query ended/,
		);
		expect(failures[0]).toMatch(/The last lines of its log:[\s\S]* {2}no disk/);
		expect((await stack.preview([job({ query, wait: true })])).steps).toEqual(["replace train"]);
		await stack.up([job({ query, wait: true })]);
		expect(statuses()).toEqual(["FAILED", "FAILED"]);
	});

	it("is followed by its status alone where its log cannot be read", async () => {
		world.fault({ kind: "status", status: 404, endpoint: "followLogs" });
		const { failures, notices } = await stack.up([job({ query: 'print("hello")', wait: true })]);
		expect(failures).toEqual([]);
		expect(notices.join("\n")).toMatch(/train: its log cannot be followed/);
		expect(stack.entry("train").outs.status).toBe("COMPLETE");
	});

	it("only from the next deployment on is not waited for where it has ended, and keeps what is known of it", async () => {
		await stack.up([job({ query: 'print("hello")' })]);
		const { createdAt, url } = stack.entry("train").outs;
		await world.time.sleep(600_000);
		expect(await stack.up([job({ query: 'print("hello")', wait: true })])).toMatchObject({
			steps: ["update train"],
			failures: [],
			notices: [],
		});
		expect(stack.entry("train").outs).toMatchObject({ status: "COMPLETE", createdAt, url });
	});

	it("no longer is left running by the next deployment", async () => {
		const inputs = { query: 'print("hello")' };
		expect((await stack.up([job({ ...inputs, wait: true, timeout: 0.001 })])).failures).toHaveLength(1);
		expect(await stack.up([job(inputs)])).toMatchObject({ failures: [], notices: [] });
		expect(statuses()).toHaveLength(1);
	});

	it("is not given up where the service fails to answer for a while", async () => {
		const heal = world.fault({ kind: "status", status: 503, endpoint: "listJobs", skip: 2 });
		void world.time.sleep(60_000).then(heal);
		expect((await stack.up([job({ query: 'print("hello")', wait: true })])).failures).toEqual([]);
	});
});

describe("a job", () => {
	it("runs once, and again when triggers or an input changes", async () => {
		const inputs = { query: 'print("a")', triggers: { release: 1 } };
		await stack.up([job(inputs)]);
		expect((await stack.up([job(inputs)])).steps).toEqual(["same train"]);
		// It has not ended yet, so that a deployment which is to wait for it does.
		expect((await stack.up([job({ ...inputs, wait: true, timeout: 60 })])).steps).toEqual(["update train"]);
		expect((await stack.up([job({ ...inputs, wait: true })])).steps).toEqual(["same train"]);
		for (const change of [{ triggers: { release: 2 } }, { workers: 2 }, { environment: { A: "1" } }]) {
			expect((await stack.up([job({ ...inputs, ...change })])).steps).toEqual(["replace train"]);
		}
		expect(statuses()).toHaveLength(4);
	});

	it("sends every input, and the storage in the environment", async () => {
		const { failures } = await stack.up([
			job({
				query: "echo hi",
				queryType: "SHELL",
				name: "all.sh",
				workers: 3,
				environment: { A: "1" },
				storage: { s3: { anon: true } },
				requirements: ["numpy", "pillow"],
				repository: "https://example.com/repo.git@main",
				pythonVersion: "3.11",
				priority: 2,
				clusterName: "gpu",
				credentialsName: "prod",
				rerunFrom: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
				reset: true,
			}),
		]);
		expect(failures).toEqual([]);
		expect(world.colleague.jobs()[0]).toMatchObject({
			name: "all.sh",
			queryType: "SHELL",
			workers: 3,
			environment: { A: "1", FSSPEC_S3: '{"anon":true}', PULUMI_DATACHAIN_JOB: expect.any(String) },
			requirements: "numpy\npillow",
			repository: "https://example.com/repo.git@main",
			pythonVersion: "3.11",
			priority: 2,
			clusterId: 2,
			credentialsName: "prod",
			rerunFromJobId: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
		});
	});

	it("is cancelled on delete while it runs, and left alone once it has ended", async () => {
		await stack.up([job({ query: "# local-server: hold" }), job({ query: "print(1)", wait: true }, "done")]);
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual(["cancelJob"]);
		expect(statuses()).toEqual([expect.stringMatching(/^CANCEL/), "COMPLETE"]);
	});

	it("with a cron becomes a task, which ends with the resource", async () => {
		await stack.up([job({ query: 'print("x")', cronExpression: "0 * * * *" })]);
		await world.time.sleep(2 * 3_600_000);
		expect(statuses()).toEqual(["TASK", "COMPLETE", expect.any(String)]);
		expect((await stack.up([job({ query: 'print("x")', cronExpression: "@hourly" })])).steps).toEqual([
			"same train",
		]);
		expect((await stack.destroy()).failures).toEqual([]);
		await world.time.sleep(3 * 3_600_000);
		expect(statuses()).toEqual(["CANCELED", "COMPLETE", "COMPLETE"]);
	});

	it("that the limiter turns away is sent again, and runs once", async () => {
		world.fault({ kind: "status", status: 429, retryAfter: 1, endpoint: "createJob", times: 2 });
		expect((await stack.up([job({ query: "print(1)", wait: true })])).failures).toEqual([]);
		expect(world.writes()).toEqual(["createJob", "createJob", "createJob"]);
		expect(statuses()).toEqual(["COMPLETE"]);
	});

	it("that the service has forgotten stays in the state, is not run again, and can be deleted", async () => {
		const done = [job({ query: "print(1)", wait: true })];
		await stack.up(done);
		world.colleague.forgetJob(stack.entry("train").id);
		expect((await stack.refresh()).steps).toEqual(["read train"]);
		expect((await stack.up(done)).steps).toEqual(["same train"]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(statuses()).toEqual([]);
	});

	it("that a killed deployment left running is refused, and taken over with consent", async () => {
		const hold = [job({ query: "# local-server: hold", wait: false })];
		await stack.up(hold);
		const { id } = stack.entry("train");
		stack.entries.clear();
		expect((await stack.up(hold)).failures).toEqual([
			expect.stringMatching(/an interrupted deployment left it/),
		]);
		expect((await stack.up(hold, { adoptEqual: true })).failures).toEqual([]);
		expect(stack.entry("train").id).toBe(id);
		expect(statuses()).toHaveLength(1);
	});

	it("that a killed deployment left as a task with a cron is refused, though it has fired", async () => {
		const hourly = [job({ query: "print(1)", cronExpression: "0 * * * *" })];
		await stack.up(hourly);
		const { id } = stack.entry("train");
		stack.entries.clear();
		await world.time.sleep(2 * 3_600_000);
		expect((await stack.up(hourly)).failures).toEqual([expect.stringMatching(/is TASK already/)]);
		expect((await stack.up(hourly, { adoptEqual: true })).failures).toEqual([]);
		expect(stack.entry("train").id).toBe(id);
		expect(statuses().filter((status) => status === "TASK")).toHaveLength(1);
	});

	it.each([
		["less than an hour ago is taken over with consent", 30 * 60_000, 1],
		["long ago is run again, with consent too", 2 * 3_600_000, 2],
	])("that ended %s", async (_, millis, jobs) => {
		const once = [job({ query: "print(1)", wait: true })];
		await stack.up(once);
		stack.entries.clear();
		await world.time.sleep(millis);
		expect((await stack.up(once, { adoptEqual: true })).failures).toEqual([]);
		expect(statuses()).toHaveLength(jobs);
	});

	it.each([
		[
			{ clusterName: "nope" },
			/clusterName: team "ml" has no compute cluster "nope"\. It has "default" \(id 1\)/,
		],
		[{ clusterId: 9 }, /clusterId: team "ml" has no compute cluster 9/],
		[{ clusterName: "old" }, /compute cluster "old" is INACTIVE/],
		[{ clusterName: "gpu", workers: 5 }, /workers: 5 is more than compute cluster "gpu" has, which is 4/],
		[{ workers: 9 }, /workers: 9 is more than compute cluster "default" has, which is 8/],
		[{ clusterName: "gpu", clusterId: 2 }, /clusterName and clusterId are both given/],
		[{ cronExpression: "0 0 3 * * *" }, /cronExpression: The cron expression/],
		[{ cronExpression: "0 3 * * *", wait: true }, /wait: a job with a cronExpression/],
		[{ query: "./train.py" }, /query: is a path, .* Write file: "\.\/train\.py"/],
		[{ query: undefined }, /a Job needs a query \(its text\) or a file/],
		[{ file: "./x.py" }, /query and file are both given/],
		[
			{ query: undefined, file: "./package.json" },
			/queryType: the name "package\.json" does not say what it is/,
		],
		[{ query: undefined, file: "./missing.py" }, /file: .*missing\.py/],
		[{ rerunFrom: "seven" }, /rerunFrom: must be the id of a job/],
		[{ timeout: "soon" }, /timeout: must look like "90s"/],
		[{ environment: { PULUMI_DATACHAIN_JOB: "x" } }, /PULUMI_DATACHAIN_JOB is set by this resource/],
		[{ priority: 7 }, /priority: must be 0 to 5/],
	])("%j is refused at preview, before anything is sent", async (inputs, message) => {
		const { failures } = await stack.preview([job({ query: "print(1)", ...inputs })]);
		expect(failures.join("\n")).toMatch(message);
		expect(world.writes()).toEqual([]);
	});
});

it("a shell's query may be the path of a script that the repository brings", async () => {
	const { failures } = await stack.preview([job({ query: "./run.sh", queryType: "SHELL" })]);
	expect(failures).toEqual([]);
});

describe("a pipeline", () => {
	it("that is started and waited for ends with its deployment", async () => {
		const { failures, notices } = await stack.up([pipeline({ start: true, wait: true })]);
		expect(failures).toEqual([]);
		expect(notices.join("\n")).toMatch(/images: job dev\.images\.raw is RUNNING[\s\S]*2 of 2 jobs done/);
		expect(stack.entry("images").outs).toMatchObject({ status: "COMPLETED", completed: 2, total: 2 });
		expect((await stack.up([pipeline({ start: true, wait: true })])).steps).toEqual(["same images"]);
	});

	it("that fails fails the deployment with the failing job, its error and its last lines; the next one runs it again", async () => {
		const broken = [pipeline({ datasets: ["dev.images.broken"], start: true, wait: true })];
		const { failures } = await stack.up(broken);
		expect(failures[0]).toMatch(
			/Pipeline ".*" in team "ml" ended as FAILED\. Job "dev\.images\.broken" \(id/,
		);
		expect(failures[0]).toMatch(/exit code 3[\s\S]* {2}no disk/);
		expect(await stack.up(broken)).toMatchObject({ steps: ["replace images"] });
		expect(made()).toHaveLength(2);
	});

	it("that failed is not run again where nobody waits for it any more, or never did", async () => {
		const datasets = ["dev.images.broken"];
		await stack.up([pipeline({ datasets, start: true, wait: true })]);
		expect((await stack.preview([pipeline({ datasets, start: true })])).steps).toEqual(["update images"]);
		expect((await stack.up([pipeline({ datasets, start: true })])).failures).toEqual([]);
		await stack.refresh();
		expect(stack.entry("images").outs).toMatchObject({ status: "FAILED" });
		expect((await stack.up([pipeline({ datasets, start: true })])).steps).toEqual(["same images"]);
		expect(made()).toHaveLength(1);
	});

	it("that was waited for to its end is not run again because it is shown as failed later", async () => {
		const waited = [pipeline({ start: true, wait: true })];
		await stack.up(waited);
		const entry = stack.entry("images");
		stack.entries.set("images", { ...entry, outs: { ...entry.outs, status: "FAILED" } });
		expect((await stack.up(waited)).steps).toEqual(["same images"]);
	});

	it("is started when start becomes true, and only then", async () => {
		await stack.up([pipeline({})]);
		expect(statuses()).toEqual(["PENDING", "PENDING"]);
		expect((await stack.up([pipeline({ start: true, wait: true })])).steps).toEqual(["update images"]);
		expect(statuses()).toEqual(["COMPLETE", "COMPLETE"]);
		expect(made()).toHaveLength(1);
	});

	it("has jobs taken out while it is paused, and starts without them", async () => {
		const { failures } = await stack.up([
			pipeline({ removeJobs: ["dev.images.raw"], start: true, wait: true }),
		]);
		expect(failures).toEqual([]);
		expect(stack.entry("images").outs).toMatchObject({ total: 1, removedJobs: ["dev.images.raw"] });
		expect(statuses()).toEqual(["CANCELED", "COMPLETE"]);
	});

	it("with a job to take out that it does not have stays paused, and the next deployment mends it", async () => {
		const wrong = pipeline({ removeJobs: ["dev.images.raw", "dev.images.nope"], start: true });
		expect((await stack.up([wrong])).failures).toEqual([
			expect.stringMatching(/has no job "dev\.images\.nope"\. Its jobs are dev\.images\.clean/),
		]);
		expect((await stack.up([wrong])).failures).toHaveLength(1);
		expect(made()).toMatchObject([{ paused: true }]);
		const right = pipeline({ removeJobs: ["dev.images.raw"], start: true });
		expect(await stack.up([right])).toMatchObject({ steps: ["update images"], failures: [] });
		expect(made()).toMatchObject([{ paused: false }]);
		expect(statuses()[0]).toBe("CANCELED");
	});

	it.each<[string, FaultRule]>([
		["is lost", { kind: "reset-after", endpoint: "removeJob", times: 1 }],
		[
			"is a gateway's error",
			{ kind: "status", status: 502, afterWork: true, endpoint: "removeJob", times: 1 },
		],
		[
			"says that there is no such job",
			{ kind: "status", status: 404, afterWork: true, endpoint: "removeJob" },
		],
	])("has a job taken out once although the reply %s", async (_, fault) => {
		await stack.up([pipeline({})]);
		world.fault(fault);
		expect((await stack.up([pipeline({ removeJobs: ["dev.images.raw"] })])).failures).toEqual([]);
		expect(stack.entry("images").outs).toMatchObject({ total: 1, removedJobs: ["dev.images.raw"] });
		expect((await stack.up([pipeline({ removeJobs: ["dev.images.raw"] })])).steps).toEqual(["same images"]);
	});

	it("whose job may not be taken out says so, and tries again with the next deployment", async () => {
		await stack.up([pipeline({})]);
		const { name } = stack.entry("images").outs;
		const allow = world.fault({ kind: "status", status: 403, endpoint: "removeJob" });
		const without = [pipeline({ removeJobs: ["dev.images.raw"] })];
		expect((await stack.up(without)).failures).toEqual([
			expect.stringMatching(
				new RegExp(`^images: Pipeline "${String(name)}" in team "ml" is there, but: .*403`, "s"),
			),
		]);
		expect(await stack.up([pipeline({})])).toMatchObject({ steps: ["update images"], failures: [] });
		expect(await stack.up(without)).toMatchObject({ failures: [expect.stringContaining("403")] });
		allow();
		expect((await stack.up(without)).failures).toEqual([]);
		expect(stack.entry("images").outs).toMatchObject({ total: 1 });
		expect(made()).toHaveLength(1);
	});

	it("whose taken-out job is shown too long is done with it in the next deployment", async () => {
		await stack.up([pipeline({})]);
		await world.time.sleep(120_000);
		const without = [pipeline({ removeJobs: ["dev.images.raw"] })];
		const mend = world.fault({ kind: "stale-read", ms: 60_000, endpoint: "pipelineStatus" });
		expect((await stack.up(without)).failures).toEqual([expect.stringMatching(/still shows it/)]);
		mend();
		expect((await stack.up(without)).failures).toEqual([]);
		expect(world.writes().filter((write) => write === "removeJob")).toHaveLength(1);
	});

	it("of other datasets or triggers is another one, and the old one is paused", async () => {
		await stack.up([pipeline({ start: true })]);
		expect((await stack.up([pipeline({ start: true, triggers: 2 })])).steps).toEqual(["replace images"]);
		expect(
			(await stack.up([pipeline({ start: true, triggers: 2, datasets: ["dev.images.raw"] })])).steps,
		).toEqual(["replace images"]);
		expect(made().map(({ triggeredFrom }) => triggeredFrom)).toEqual([
			"dev.images.clean@1.0.0",
			"dev.images.clean@1.0.0",
			"dev.images.raw@1.0.0",
		]);
	});

	it.each([
		[
			"pause",
			[expect.stringMatching(/^The pipeline that "images" has now will be paused once there is another one/)],
		],
		["leave", []],
	])(
		"that is replaced is told to be paused by the preview, with onDestroy %s",
		async (onDestroy, notices) => {
			await stack.up([pipeline({ start: true, onDestroy })]);
			expect(await stack.preview([pipeline({ start: true, onDestroy, triggers: 2 })])).toMatchObject({
				steps: ["replace images"],
				notices,
			});
		},
	);

	it("is left as it is on destroy where the program says so", async () => {
		await stack.up([pipeline({ start: true, onDestroy: "leave" })]);
		world.writes();
		const { notices } = await stack.destroy();
		expect(notices).toEqual([
			expect.stringMatching(/was left as it is: the service has no request that deletes/),
		]);
		expect(world.writes()).toEqual([]);
	});

	it("that somebody else triggers at the same moment is not taken for the lost one", async () => {
		world.fault({ kind: "status", status: 502, endpoint: "triggerPipeline", times: 1, afterWork: true });
		// The list shows both at once, so that nothing tells them apart.
		world.fault({ kind: "stale-list", ms: 3_000 });
		const { pipelines } = world.process().context.client;
		void world.time.sleep(50).then(() => pipelines.trigger({ datasets: ["dev.images.clean"], review: true }));
		expect((await stack.up([pipeline({})])).failures).toEqual([
			expect.stringMatching(/More than one new pipeline of these datasets is in the list \(".*", ".*"\)/),
		]);
		expect(stack.entries.size).toBe(0);
		expect(made()).toHaveLength(2);
	});

	it("that a killed deployment left is taken over with consent", async () => {
		await stack.up([pipeline({})]);
		const { id } = stack.entry("images");
		stack.entries.clear();
		expect((await stack.up([pipeline({})], { adoptEqual: true })).notices.join()).toMatch(/is taken over/);
		expect(stack.entry("images").id).toBe(id);
		expect(made()).toHaveLength(1);
		stack.entries.clear();
		expect((await stack.up([pipeline({ start: true })], { adoptEqual: true })).failures).toEqual([]);
		expect(made()).toMatchObject([{ id, paused: false }]);
	});

	it("of a part of the datasets is not taken over, with consent or without", async () => {
		await stack.up([pipeline({ datasets: ["dev.images.clean"] })]);
		const { id } = stack.entry("images");
		stack.entries.clear();
		const both = pipeline({ datasets: ["dev.images.raw", "dev.images.clean"] });
		expect((await stack.up([both], { adoptEqual: true })).failures).toEqual([]);
		expect(stack.entry("images").id).not.toBe(id);
		expect(made()).toHaveLength(2);
	});

	it("that another resource has is not taken by a run with consent, nor is its own old one by its replacement", async () => {
		await stack.up([pipeline({ triggers: 1 })]);
		const two = [pipeline({}, "second"), pipeline({ triggers: 1 })];
		expect((await stack.up(two, { adoptEqual: true })).failures).toEqual([]);
		// The second may take the first's with consent; then the first gets one of its own, and none stands under both.
		expect(new Set(Object.values(stack.ids())).size).toBe(2);
		const replaced = await stack.up([pipeline({}, "second"), pipeline({ triggers: 2 })], {
			adoptEqual: true,
		});
		expect(replaced.failures).toEqual([]);
		expect(new Set(Object.values(stack.ids())).size).toBe(2);
		expect(made()).toHaveLength(3);
	});

	it.each([
		[{ datasets: ["final_result"] }, /"final_result" is no dataset: write namespace\.project\.name/],
		[{ datasets: ["dev.images.raw@latest"] }, /has no version that can be read/],
		[{ datasets: [] }, /datasets: must name at least one dataset/],
		[{ datasets: ["dev.images.raw", "dev.images.raw"] }, /must name each dataset once/],
		[{ wait: true }, /wait: a pipeline that is not started never ends/],
		[{ onDestroy: "delete" }, /onDestroy: must be "pause" or "leave"/],
		[{ name: "mine" }, /name: there is no such input/],
	])("%j is refused at preview, before anything is sent", async (inputs, message) => {
		const { failures } = await stack.preview([pipeline(inputs)]);
		expect(failures.join("\n")).toMatch(message);
		expect(world.writes()).toEqual([]);
	});
});

describe("a schedule on a paused pipeline", () => {
	const nightly = (inputs: object) =>
		schedule("nightly", { scheduleName: "nightly", pipelineName: "p1", ...inputs });
	const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

	it("is warned of at preview, unless its pause is declared", async () => {
		world.colleague.pause("p1");
		expect((await stack.preview([nightly({})])).notices.join()).toMatch(
			/Pipeline "p1" .* is paused, so .* never runs/,
		);
		expect((await stack.preview([nightly({ paused: true })])).notices.join()).not.toMatch(/never runs/);
		expect((await stack.preview([nightly({ paused: false })])).notices.join()).toMatch(/will be resumed/);
	});

	it("is warned of before the pipeline is made, and previews as a create", async () => {
		const preview = await stack.preview([pipeline({}), nightly({ pipelineName: UNKNOWN })]);
		expect(preview).toMatchObject({ steps: ["create images", "create nightly"], failures: [] });
		expect(preview.notices.join()).toMatch(/"nightly".*"images".*made paused/);
		const resumed = await stack.preview([pipeline({}), nightly({ pipelineName: UNKNOWN, paused: false })]);
		expect(resumed.notices.join()).toMatch(
			/If it is "images", it is made paused and then resumed, and its jobs run/,
		);
		const paused = await stack.preview([pipeline({}), nightly({ pipelineName: UNKNOWN, paused: true })]);
		expect(paused.notices).toEqual([]);
	});
});

describe("a pipeline that is read without a state, as an import does", () => {
	it.each(["its name", "team/name", "its id"])("is found by %s, with its datasets", async (by) => {
		await stack.up([pipeline({})]);
		const { id, outs } = stack.entry("images");
		const name = String(outs.name);
		const asked = { "its name": name, "team/name": `ml/${name}` }[by] ?? id;
		const found = await world.process().serve("Pipeline").read(asked, {});
		const datasets = [expect.stringMatching(/^dev\.images\.clean(@|$)/)];
		expect(found).toMatchObject({ id, inputs: { datasets, teamName: "ml" } });
	});

	it("is found by team/name where the list does not have it", async () => {
		await stack.up([pipeline({})]);
		const { id, outs } = stack.entry("images");
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listPipelines" });
		const found = await world
			.process()
			.serve("Pipeline")
			.read(`ml/${String(outs.name)}`, {});
		expect(found?.id).toBe(id);
	});

	it("has each of several datasets", async () => {
		await stack.up([pipeline({ datasets: ["dev.images.raw", "dev.images.clean"] })]);
		const found = await world.process().serve("Pipeline").read(stack.entry("images").id, {});
		expect(found?.inputs?.datasets).toEqual([
			expect.stringMatching(/^dev\.images\.raw@/),
			expect.stringMatching(/^dev\.images\.clean@/),
		]);
	});

	it("of a user's own namespace keeps its @", async () => {
		const [seeded] = (await world.process().context.client.pipelines.list()).filter(({ triggered_from }) =>
			triggered_from?.startsWith("@"),
		);
		const found = await world.process().serve("Pipeline").read(String(seeded?.pipeline_id), {});
		expect(found?.inputs?.datasets).toEqual([seeded?.triggered_from]);
	});
});
