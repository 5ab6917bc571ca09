import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { UNKNOWN } from "../../src/provider/shared/unknown";
import type { FaultRule } from "../../src/server";
import { type Declared, Stack } from "../helpers/provider-engine";
import {
	checked,
	created,
	deleted,
	providerWorld,
	refusedBy,
	urnOf,
	type World,
} from "../helpers/provider-harness";

const HOLD = "# local-server: hold\n";
const OTHER_ID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const HOUR = 3_600_000;

const job = (inputs: object, name = "train"): Declared => ({
	kind: "Job",
	name,
	inputs: { query: "print(1)", ...inputs },
});

let world: World;
let stack: Stack;
beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
});
const jobs = () => world.colleague.jobs();
const refusals = (inputs: object) => refusedBy(world.process({ preview: true }), job({}), job(inputs).inputs);
const failuresOf = async (program: readonly Declared[]) => (await stack.up(program)).failures;
const known = (outs: object): void => {
	const entry = stack.entry("train");
	stack.entries.set("train", { ...entry, outs: { ...entry.outs, ...outs }, problem: undefined });
};
/** A file in a folder of its own. */
const file = (name: string, text: string): string => {
	const folder = mkdtempSync(join(tmpdir(), "job-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	writeFileSync(join(folder, name), text);
	return join(folder, name);
};

describe("a job that is refused", () => {
	const path = 'query: is a path, and query is the text itself. Write file: "./train.py".';
	const nothing = 'query: a Job needs a query (its text) or a file. Add file: "./train.py".';

	it.each<[object, string]>([
		[{ query: " ./jobs\\train.PY\n" }, path],
		[{ query: "run.sh" }, path],
		[{ query: "run.bash" }, path],
		[{ query: undefined }, nothing],
		[{ file: "x.py" }, "query: query and file are both given. Keep the one that holds the query."],
		[{ query: "" }, "query: must not be empty."],
		[
			{ query: undefined, file: "package.json" },
			'queryType: the name "package.json" does not say what it is. Add queryType: "PYTHON" or "SHELL".',
		],
		[
			{ query: undefined, file: "missing" },
			'queryType: the name "missing" does not say what it is. Add queryType: "PYTHON" or "SHELL".',
		],
		[{ queryType: "SQL" }, 'queryType: must be "PYTHON" or "SHELL".'],
		[
			{ clusterName: "gpu", clusterId: 2 },
			"clusterName: clusterName and clusterId are both given. Keep one of the two.",
		],
		...[{ cronExpression: "@daily" }, { startAfter: "2999-01-01T00:00:00Z" }].map(
			(later): [object, string] => [
				{ ...later, wait: true },
				"wait: a job with a cronExpression or a startAfter becomes a task that runs later, so there is nothing to wait for. Leave wait out.",
			],
		),
		[
			{ environment: { PULUMI_DATACHAIN_JOB: "x" } },
			"environment: PULUMI_DATACHAIN_JOB is set by this resource, to find its job again. Use another name.",
		],
		[{ rerunFrom: "seven" }, "rerunFrom: must be the id of a job, a UUID."],
		[{ clusterId: 1.5 }, "clusterId: must be the id of a compute cluster."],
		[{ clusterId: "" }, "clusterId: must not be empty."],
		[{ workers: 0 }, "workers: must be 1 or more."],
		[{ reset: 1 }, "reset: must be true or false."],
		[
			{ clusterName: "nope" },
			'clusterName: team "ml" has no compute cluster "nope". It has "default" (id 1), "gpu" (id 2), "old" (id 3).',
		],
		[
			{ clusterId: "9" },
			'clusterId: team "ml" has no compute cluster "9". It has "default" (id 1), "gpu" (id 2), "old" (id 3).',
		],
		[
			{ clusterName: "old" },
			'clusterName: compute cluster "old" is INACTIVE, so a job on it would not start.',
		],
		[{ clusterId: 3 }, 'clusterId: compute cluster "old" is INACTIVE, so a job on it would not start.'],
		[{ workers: 9 }, 'workers: 9 is more than compute cluster "default" has, which is 8.'],
		[{ clusterId: "2", workers: 5 }, 'workers: 5 is more than compute cluster "gpu" has, which is 4.'],
	])("%j", async (inputs, reason) => {
		expect(await refusals(inputs)).toEqual([reason]);
	});

	it("a cluster to which a job moves that is there already", async () => {
		await stack.up([job({ clusterName: "gpu" })]);
		expect((await stack.preview([job({ clusterName: "old" })])).failures).toEqual([
			expect.stringContaining('compute cluster "old" is INACTIVE'),
		]);
	});

	it.each<object>([
		{ query: "train .py" },
		{ query: "./train.pyc" },
		{ query: "import train.py" },
		{ query: "./run.sh", queryType: "SHELL" },
		{ wait: false, cronExpression: "@daily" },
		{ clusterId: 2, workers: 4 },
		{ clusterName: "default", workers: 8 },
		{ clusterName: UNKNOWN, workers: 99 },
		{ clusterId: UNKNOWN },
		{ teamName: UNKNOWN, clusterName: "nope" },
		{ workers: UNKNOWN },
		{ clusterName: "gpu", workers: UNKNOWN },
		{ query: UNKNOWN },
		{ query: undefined, file: UNKNOWN },
		{ environment: UNKNOWN },
	])("is not %j", async (inputs) => {
		expect(await refusals(inputs)).toEqual([]);
	});

	it("for an asset with nothing in it says so", async () => {
		expect(await refusals({ query: undefined, file: {} })).toContain("file: the asset has nothing in it.");
	});

	it("for a team without clusters says that there are none", async () => {
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listClusters" });
		expect(await refusals({ clusterName: "gpu" })).toEqual([
			'clusterName: team "ml" has no compute cluster "gpu". It has none.',
		]);
		expect(await refusals({ workers: 99 })).toEqual([]);
	});

	it.each<[object, string[]]>([
		[{ "*.is_active": null, "*.status": null }, []],
		[{ "*.is_active": null, "*.status": "active" }, []],
		[{ "*.is_active": null, "*.status": "STOPPED" }, ["STOPPED"]],
		[{ "*.is_active": false, "*.status": null }, ["not active"]],
		[{ "*.is_active": true, "*.status": "STOPPED" }, []],
	])("for a cluster that the service shows with %j: %j", async (set, shown) => {
		world.fault({ kind: "rewrite", endpoint: "listClusters", set: { ...set } });
		expect(await refusals({ clusterName: "gpu" })).toEqual(
			shown.map((how) => `clusterName: compute cluster "gpu" is ${how}, so a job on it would not start.`),
		);
	});

	it("for its workers is measured by the default cluster, wherever that is in the list", async () => {
		const set = { "0.default": false, "1.default": true };
		world.fault({ kind: "rewrite", endpoint: "listClusters", set });
		expect(await refusals({ workers: 5 })).toEqual([
			'workers: 5 is more than compute cluster "gpu" has, which is 4.',
		]);
	});

	it("for a cluster that does not show its size is not refused for its workers", async () => {
		world.fault({ kind: "rewrite", endpoint: "listClusters", set: { "*.max_workers": null } });
		expect(await refusals({ clusterName: "gpu", workers: 99 })).toEqual([]);
	});

	it("is asked for its cluster only where it will be run", async () => {
		const listed = () =>
			world.server.requests.entries.filter(({ endpoint }) => endpoint === "listClusters").length;
		await stack.up([job({ clusterName: "gpu" })]);
		const before = listed();
		expect((await stack.up([job({ clusterName: "gpu", wait: true })])).failures).toEqual([]);
		expect(listed()).toBe(before);
		expect(await failuresOf([job({ clusterName: "old" })])).toEqual([
			'train: clusterName: compute cluster "old" is INACTIVE, so a job on it would not start.',
		]);
		expect(await refusals({ workers: UNKNOWN, clusterName: "gpu" })).toEqual([]);
	});

	it("without a cluster or a count of workers does not ask for clusters", async () => {
		world.fault({ kind: "status", status: 403, endpoint: "listClusters" });
		expect(await refusals({})).toEqual([]);
	});
});

describe("what a job is made of", () => {
	const inputsOf = async (inputs: object) =>
		(
			await world
				.process({ preview: true })
				.serve("Job")
				.check({}, { ...job(inputs).inputs })
		).inputs;

	it.each<[string, string]>([
		["train.py", "PYTHON"],
		["TRAIN.PY", "PYTHON"],
		["run.sh", "SHELL"],
		["run.v2.bash", "SHELL"],
	])("the file %s is %s, under its own name", async (name, queryType) => {
		const source = file(name, HOLD);
		expect(await failuresOf([job({ query: undefined, file: source })])).toEqual([]);
		expect(jobs()).toMatchObject([{ name, queryType, query: HOLD }]);
	});

	it("a declared type and name win over those of the file", async () => {
		const source = file("train.txt", HOLD);
		await stack.up([job({ query: undefined, file: source, name: "mine", queryType: "SHELL" })]);
		expect(jobs()).toMatchObject([{ name: "mine", queryType: "SHELL" }]);
	});

	it("a text is Python, under the resource's name; an asset's text too", async () => {
		const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: HOLD };
		await stack.up([job({ query: HOLD }), job({ query: undefined, file: asset }, "second")]);
		expect(jobs()).toMatchObject([
			{ name: "train", queryType: "PYTHON", query: HOLD },
			{ name: "second", queryType: "PYTHON", query: HOLD },
		]);
	});

	it("what is not known yet leaves the rest open", async () => {
		expect(await inputsOf({ query: UNKNOWN })).toMatchObject({
			contentHash: UNKNOWN,
			name: UNKNOWN,
			queryType: UNKNOWN,
		});
		expect(await inputsOf({ query: UNKNOWN, name: "mine", queryType: "SHELL" })).toMatchObject({
			contentHash: UNKNOWN,
			name: "mine",
			queryType: "SHELL",
		});
	});

	it.each([
		["query", /^scrypt:/],
		["file", /^scrypt:/],
		["file.text", /^scrypt:/],
		["queryType", /^[0-9a-f]{64}$/],
		["environment.query", /^[0-9a-f]{64}$/],
	])("the hash of a secret query is salted, and no other: %s", async (path, form) => {
		const { contentHash } = await inputsOf({ __secret: [path] });
		expect(contentHash).toMatch(form);
	});

	it("a file that changes between the plan and the deployment is not run", async () => {
		const source = file("train.py", HOLD);
		const process = world.process();
		const inputs = await checked(process, job({}), { file: source });
		writeFileSync(source, "print(2)");
		await expect(created(process, job({}), inputs)).rejects.toThrow(
			'The query of job "train.py" changed while it was being deployed. Run "pulumi up" again to run what is there now.',
		);
		expect(jobs()).toEqual([]);
	});
});

describe("what a deployment does where the state and the program differ", () => {
	it.each<[string, object, object]>([
		["same", {}, {}],
		["same", { status: "FAILED" }, {}],
		["replace", { status: "FAILED" }, { wait: true }],
		["replace", { status: "canceled" }, { wait: true }],
		["same", { status: "COMPLETE" }, { wait: true }],
		["same", { status: "TASK" }, { wait: true }],
		["update", { status: "RUNNING" }, { wait: true }],
		["same", { status: "RUNNING" }, { wait: false }],
		["same", { status: "RUNNING" }, { timeout: 7 }],
		["same", {}, { reset: false }],
		["replace", {}, { reset: true }],
		["same", { reset: false }, {}],
		["replace", { contentHash: "0".repeat(64) }, {}],
		["replace", { contentHash: undefined }, {}],
		["replace", { status: "RUNNING" }, { triggers: 1 }],
		["replace", { status: "RUNNING" }, { teamName: "another" }],
	])("%s for %j and %j", async (step, state, declared) => {
		await stack.up([job({ query: HOLD })]);
		known(state);
		const { steps } = await stack.preview([job({ query: HOLD, ...declared })]);
		expect(steps).toEqual([`${step} train`]);
	});

	it("other bytes run nothing where changes of them are ignored, and are taken where something else changes", async () => {
		await stack.up([job({ query: HOLD })]);
		// The engine hands back what the state has for an input that is ignored.
		const ignored = { query: `${HOLD}#`, contentHash: stack.entry("train").inputs.contentHash };
		expect((await stack.up([job(ignored)])).steps).toEqual(["same train"]);
		expect(await stack.up([job({ ...ignored, workers: 2 })])).toMatchObject({
			steps: ["replace train"],
			failures: [],
		});
		expect(jobs().map(({ query }) => query)).toEqual([HOLD, `${HOLD}#`]);
	});

	it("a query that became secret, or was, is the same query: only the state changes", async () => {
		await stack.up([job({ query: HOLD })]);
		const secret = job({ query: HOLD, __secret: ["query"] });
		expect((await stack.up([secret])).steps).toEqual(["update train"]);
		expect(String(stack.entry("train").outs.contentHash)).toMatch(/^scrypt:/);
		expect((await stack.up([secret])).steps).toEqual(["same train"]);
		expect((await stack.up([job({ query: HOLD })])).steps).toEqual(["update train"]);
		expect((await stack.up([job({ query: `${HOLD}#`, __secret: ["query"] })])).steps).toEqual([
			"replace train",
		]);
		expect(jobs()).toHaveLength(2);
	});

	it("a storage that will not work as it looks is told of, by the job's name", async () => {
		const storage = { gs: { token: "./key.json" } };
		expect((await stack.preview([job({ storage })])).notices).toEqual([
			expect.stringMatching(/^Job "train".*storage\.gs: token is a path/),
		]);
	});

	it("a query that moved into a file is the same query", async () => {
		const source = file("train", HOLD);
		await stack.up([job({ query: HOLD, name: "mine" })]);
		const moved = job({ query: undefined, file: source, name: "mine", queryType: "PYTHON" });
		expect((await stack.up([moved])).steps).toEqual(["same train"]);
	});

	it("a default name that changes with the resource's runs nothing again; the next job has it", async () => {
		await stack.up([job({ query: HOLD })]);
		// As with `aliases`, the state goes on under the new name.
		stack.entries.set("trained", { ...stack.entry("train"), name: "trained" });
		stack.entries.delete("train");
		expect((await stack.up([job({ query: HOLD }, "trained")])).steps).toEqual(["same trained"]);
		expect(jobs()).toMatchObject([{ name: "train" }]);
		expect((await stack.up([job({ query: `${HOLD}#` }, "trained")])).steps).toEqual(["replace trained"]);
		expect(jobs().map(({ name }) => name)).toEqual(["train", "trained"]);
	});

	it("a default name that changes with the file's, or takes the place of a declared one, runs nothing again", async () => {
		await stack.up([job({ query: undefined, file: file("first.py", HOLD) })]);
		const moved = job({ query: undefined, file: file("second.py", HOLD) });
		expect((await stack.up([moved])).steps).toEqual(["same train"]);
		expect(
			(await stack.up([job({ query: undefined, file: moved.inputs.file, name: "mine" })])).steps,
		).toEqual(["replace train"]);
		expect((await stack.up([moved])).steps).toEqual(["same train"]);
		expect(jobs().map(({ name }) => name)).toEqual(["first.py", "mine"]);
	});

	it("a file that changed is another query", async () => {
		const source = file("train.py", HOLD);
		await stack.up([job({ query: undefined, file: source })]);
		writeFileSync(source, `${HOLD}#`);
		expect((await stack.preview([job({ query: undefined, file: source })])).steps).toEqual(["replace train"]);
	});

	it.each<[object, string[]]>([
		[{}, ["contentHash"]],
		[{ triggers: 1 }, ["triggers"]],
	])(
		"a job that failed is deleted before it is run again, and the reason is told: %j",
		async (more, replaces) => {
			await stack.up([job({ query: "exit(3)", wait: true })]);
			const { id, outs, inputs } = stack.entry("train");
			expect(
				await world
					.process()
					.serve("Job")
					.diff(id, outs, { ...inputs, ...more }),
			).toEqual({
				changes: true,
				replaces,
				deleteBeforeReplace: true,
			});
		},
	);
});

describe("a job's outputs", () => {
	it("are its inputs and what the service says of it", async () => {
		await stack.up([job({ wait: true })]);
		const [made] = jobs();
		const { outs } = stack.entry("train");
		expect(outs).toMatchObject({
			query: "print(1)",
			jobId: made?.id,
			status: "COMPLETE",
			url: expect.stringContaining(String(made?.id)),
			createdAt: expect.stringMatching(/^20/),
			createdBy: "developer",
			startedAt: expect.stringMatching(/^20/),
			finishedAt: expect.stringMatching(/^20/),
			exitCode: 0,
			serviceUrl: `${world.server.url}/api`,
		});
	});

	it("stay where an update does not find the job", async () => {
		await stack.up([job({ wait: true })]);
		const { id, outs } = stack.entry("train");
		world.colleague.forgetJob(id);
		known({ status: "RUNNING", wait: undefined });
		const { wait: _, ...inputs } = stack.entry("train").inputs;
		const updated = await world.process().serve("Job").update(id, stack.entry("train").outs, inputs);
		const { createdAt, url, createdBy, startedAt, finishedAt, exitCode } = outs;
		expect(updated.outs).toMatchObject({
			status: "RUNNING",
			...{ createdAt, url, createdBy, startedAt, finishedAt, exitCode },
		});
	});

	it("of a job that was never read are what is known", async () => {
		await stack.up([job({})]);
		const { id, inputs } = stack.entry("train");
		world.colleague.forgetJob(id);
		const { outs } = await world.process().serve("Job").update(id, {}, inputs);
		expect(outs).toMatchObject({ jobId: id, status: "unknown" });
		expect(outs).not.toHaveProperty("url");
	});
});

describe("a job that is read", () => {
	it("without a state is found by its id, in the connection's team", async () => {
		await stack.up([job({})]);
		const { id } = stack.entry("train");
		const read = () => world.process().serve("Job").read(id, {});
		expect(await read()).toMatchObject({
			id,
			props: { jobId: id, teamName: "ml" },
			inputs: { teamName: "ml" },
		});
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listJobs", times: 1 });
		expect(await read()).toMatchObject({ id, props: { jobId: id } });
	});

	it("with others is read by one request", async () => {
		await stack.up([job({}), job({}, "second")]);
		const before = world.server.requests.entries.length;
		await stack.refresh();
		const asked = world.server.requests.entries.slice(before).map(({ endpoint }) => endpoint);
		expect(asked).toEqual(["listJobs"]);
	});

	it("and was never there is not found", async () => {
		await expect(world.process().serve("Job").read(OTHER_ID, {})).rejects.toThrow(
			`Job.get: the service has nothing under "${OTHER_ID}".`,
		);
	});

	it("and is gone stays as it was", async () => {
		await stack.up([job({ wait: true })]);
		const { id, outs } = stack.entry("train");
		world.colleague.forgetJob(id);
		await stack.refresh();
		expect(stack.entry("train").outs).toEqual({ ...outs, __provider: undefined });
	});

	it.each(["refresh", "destroy"] as const)("from another service is named, by %s", async (how) => {
		await stack.up([job({})]);
		const { id } = stack.entry("train");
		world.colleague.forgetJob(id);
		known({ serviceUrl: "https://studio.example.com/api" });
		const message = `Job ${id} of team "ml" was not found, but it was deployed to https://studio.example.com/api and`;
		const told =
			how === "refresh" ? stack.refresh().catch(String) : stack.destroy().then(({ failures }) => failures);
		expect(String(await told)).toContain(message);
	});
});

describe("a job that is let go", () => {
	it.each<[string, FaultRule]>([
		["has ended meanwhile", { kind: "status", status: 409, endpoint: "cancelJob", afterWork: true }],
		["cannot be cancelled any more", { kind: "status", status: 400, endpoint: "cancelJob", afterWork: true }],
		["is gone meanwhile", { kind: "status", status: 404, endpoint: "cancelJob", afterWork: true }],
	])("and %s, as the service says, is done with", async (_, fault) => {
		await stack.up([job({ query: HOLD })]);
		world.fault(fault);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(stack.ids()).toEqual({});
	});

	it.each<[string, FaultRule]>([
		["may not be cancelled", { kind: "status", status: 403, endpoint: "cancelJob" }],
		["gets no answer of the service's own", { kind: "html", status: 404, endpoint: "cancelJob" }],
	])("and %s stays in the state", async (_, fault) => {
		await stack.up([job({ query: HOLD })]);
		world.fault(fault);
		expect((await stack.destroy()).failures).toEqual([
			expect.stringMatching(/^train: Could not cancel .*40[34]/),
		]);
		expect(stack.ids()).toHaveProperty("train");
	});

	it.each([400, 404, 409])(
		"and goes on although the service answers %d is told with that answer",
		async (status) => {
			await stack.up([job({ query: HOLD })]);
			world.fault({ kind: "status", status, endpoint: "cancelJob" });
			expect((await stack.destroy()).failures).toEqual([
				expect.stringMatching(`^train: Could not cancel .*: ${status}, `),
			]);
			expect(stack.ids()).toHaveProperty("train");
		},
	);

	it("and goes on although the cancellation was accepted is told with what to do", async () => {
		await stack.up([job({ query: HOLD })]);
		const { id } = stack.entry("train");
		world.fault({ kind: "rewrite", endpoint: "listJobs", set: { "*.status": "RUNNING" } });
		expect((await stack.destroy()).failures).toEqual([
			`train: The service accepted the cancellation of job "train" (id ${id}) in team "ml", but shows it as running. Run the command again; if it stays, cancel the job in the web UI.`,
		]);
	});

	it("and is being cancelled already is not cancelled again", async () => {
		await stack.up([job({ query: HOLD })]);
		world.fault({ kind: "rewrite", endpoint: "listJobs", set: { "*.status": "canceling" } });
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual([]);
	});

	it.each(["COMPLETE", "FAILED"])(
		"and has a cron expression, but is shown as %s, is not cancelled",
		async (status) => {
			await stack.up([job({ cronExpression: "0 3 * * *" })]);
			world.fault({ kind: "rewrite", endpoint: "listJobs", set: { "*.status": status } });
			world.writes();
			expect((await stack.destroy()).failures).toEqual([]);
			expect(world.writes()).toEqual([]);
		},
	);

	it("and became a task of its own start time is left to it, having run", async () => {
		const startAfter = new Date(world.time.now() + HOUR).toISOString();
		await stack.up([job({ startAfter })]);
		await world.time.sleep(2 * HOUR);
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual([]);
	});

	it("is looked for in the connection's team where the state names none", async () => {
		await stack.up([job({ query: HOLD })]);
		known({ teamName: undefined });
		expect((await stack.refresh()).steps).toEqual(["read train"]);
		known({ teamName: undefined });
		expect((await stack.destroy()).failures).toEqual([]);
		expect(jobs()[0]?.status).toMatch(/^CANCEL/);
	});
});

describe("a delete that comes although the diff kept the object", () => {
	it.each<[Declared, string]>([
		[job({ query: HOLD }), "cancelJob"],
		[
			{ kind: "Pipeline", name: "train", inputs: { datasets: ["dev.images.clean"], start: true } },
			"pausePipeline",
		],
	])("is done when its resource is made anew: %j", async (declared, write) => {
		await stack.up([declared]);
		const old = stack.entry("train");
		const process = world.process();
		const inputs = await checked(process, declared, declared.inputs, old);
		expect(await process.serve(declared.kind).diff(old.id, old.outs, inputs)).toMatchObject({
			changes: false,
		});
		world.writes();
		await deleted(process, old);
		expect(world.writes()).toEqual([]);
		const anew = await created(process, declared, inputs);
		expect(anew.id).not.toBe(old.id);
		expect(world.writes()[0]).toBe(write);
		expect(process.notices.join()).not.toContain("left alone");
	});
});

it("a diff that no check came before is a refresh's, and keeps nothing from being deleted", async () => {
	await stack.up([job({ query: HOLD })]);
	const old = stack.entry("train");
	const process = world.process();
	await process.serve("Job").diff(old.id, old.outs, old.inputs);
	await deleted(process, old);
	expect(jobs()[0]?.status).toMatch(/^CANCEL/);
});

it("a job that another resource took over in the same run is left alone, and its own is run anew", async () => {
	await stack.up([job({ query: HOLD })]);
	const old = stack.entry("train");
	stack.entries.clear();
	stack.entries.set("other", { ...old, name: "other", outs: { ...old.outs, __urn: urnOf("Job", "other") } });
	const other = { ...job({ query: HOLD, name: "train" }, "other"), dependsOn: ["train"] };
	const both = [job({ query: HOLD }), other];
	const run = await stack.up(both, { adoptEqual: true });
	expect(run.failures).toEqual([]);
	expect(run.steps).toEqual(["create train", "replace other"]);
	expect(stack.entry("train").id).toBe(old.id);
	expect(run.notices).toContain(
		`Job "train" (id ${old.id}) in team "ml" was left alone: resource "train" of this program manages it now.`,
	);
});

describe("a job that a killed deployment left", () => {
	const leave = async (inputs: object = { query: HOLD }) => {
		await stack.up([job(inputs)]);
		const { id } = stack.entry("train");
		stack.entries.clear();
		world.writes();
		return id;
	};
	const consent = async (inputs: object = { query: HOLD }) => {
		const { failures, notices } = await stack.up([job(inputs)], { adoptEqual: true });
		expect(failures).toEqual([]);
		return { id: stack.entry("train").id, notices, writes: world.writes() };
	};

	it("and that runs is refused, with what to do", async () => {
		const id = await leave();
		await world.time.sleep(60_000);
		expect(await failuresOf([job({ query: HOLD })])).toEqual([
			`train: A job that this very resource declares is RUNNING already (id ${id}, started by developer), and it is not in the state: an interrupted deployment left it. None was started beside it. Run once with DATACHAIN_ADOPT_EQUAL=true to take it over, or end it with "npx pulumi-datachain cancel ${id}".`,
		]);
		expect(world.writes()).toEqual([]);
		world.fault({ kind: "rewrite", endpoint: "listJobs", set: { "*.created_by": null } });
		expect(await failuresOf([job({ query: HOLD })])).toEqual([
			expect.stringContaining(", started by somebody), and"),
		]);
	});

	it("of another stack or project is neither refused nor taken over", async () => {
		const other = new Stack(world, "prod");
		await leave();
		const { failures, notices } = await other.up([job({ query: HOLD })], { adoptEqual: true });
		expect({ failures, notices }).toEqual({ failures: [], notices: [] });
		expect(world.writes()).toEqual(["createJob"]);
		expect(jobs()).toHaveLength(2);
	});

	it("and that ended is run again, and told of", async () => {
		const id = await leave();
		await world.process().context.client.jobs.cancel({ job_id: id });
		await world.time.sleep(60_000);
		expect(await stack.up([job({ query: HOLD })])).toMatchObject({
			failures: [],
			notices: [
				`Job "train" (id ${id}, CANCELED) is of the same declaration and not in the state; another one is started. Where an interrupted deployment left it, run with DATACHAIN_ADOPT_EQUAL=true to take it over instead.`,
			],
		});
	});

	it("is taken over with consent, and that is said", async () => {
		const id = await leave();
		expect(await consent()).toEqual({
			id,
			writes: [],
			notices: [
				`Job "train" (id ${id}, CREATED) is taken over: it is of the same declaration, and DATACHAIN_ADOPT_EQUAL is set.`,
			],
		});
	});

	it("and that runs is taken over before one that ended later", async () => {
		const hold = await leave();
		await world.time.sleep(60_000);
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listJobs", times: 1 });
		const second = await leave();
		await world.process().context.client.jobs.cancel({ job_id: second });
		await world.time.sleep(60_000);
		world.writes();
		expect(await consent()).toMatchObject({ id: hold, writes: [] });
	});

	it("is the newest of those that run", async () => {
		await leave();
		await world.time.sleep(60_000);
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listJobs", times: 1 });
		const newest = await leave();
		expect((await consent()).id).toBe(newest);
	});

	it("is not taken for that of another resource, another declaration, or a task's run", async () => {
		const id = await leave();
		expect((await consent({ query: `${HOLD}#` })).id).not.toBe(id);
		await stack.up([job({ query: HOLD }, "another")], { adoptEqual: true });
		expect(stack.entry("another").id).not.toBe(id);
		stack.entries.clear();
		world.fault({ kind: "rewrite", endpoint: "listJobs", set: { "*.parent_job_id": OTHER_ID } });
		expect((await consent()).id).not.toBe(id);
	});

	it("is the same one however it is waited for, and wherever its query comes from", async () => {
		const source = file("train", HOLD);
		const id = await leave();
		const moved = {
			query: undefined,
			file: source,
			name: "train",
			queryType: "PYTHON",
			timeout: 7,
			wait: false,
		};
		expect((await consent(moved)).id).toBe(id);
		stack.entries.clear();
		expect((await consent({ query: HOLD, __secret: ["query"] })).id).toBe(id);
	});
});

describe("a reply that does not name the job", () => {
	it.each<[string, FaultRule]>([
		["names one that is not there", { kind: "rewrite", endpoint: "createJob", set: { id: OTHER_ID } }],
		["is lost", { kind: "reset-after", endpoint: "createJob", times: 1 }],
	])("but %s leads to the one that was started", async (_, fault) => {
		world.fault(fault);
		expect(await failuresOf([job({ query: HOLD })])).toEqual([]);
		expect(jobs().map(({ id }) => id)).toEqual([stack.entry("train").id]);
	});

	it("but names somebody's leads to the one that was started", async () => {
		await stack.up([job({ query: HOLD }, "theirs")]);
		const theirs = stack.entry("theirs").id;
		world.fault({ kind: "rewrite", endpoint: "createJob", set: { id: theirs } });
		expect(await failuresOf([job({ query: HOLD }, "theirs"), job({ query: HOLD })])).toEqual([]);
		expect(stack.entry("train").id).not.toBe(theirs);
		expect(jobs()).toHaveLength(2);
	});

	it("is no matter, nor a list that lags: the job is waited for, and no longer than it takes", async () => {
		world.fault({ kind: "stale-list", ms: 3_000, endpoint: "listJobs" });
		const before = world.time.now();
		expect(await failuresOf([job({ query: HOLD })])).toEqual([]);
		expect(jobs().map(({ id }) => id)).toEqual([stack.entry("train").id]);
		expect(world.time.now() - before).toBeGreaterThanOrEqual(3_000);
		expect(world.time.now() - before).toBeLessThan(10_000);
	});

	it("is believed where the service shows no environment", async () => {
		world.fault({ kind: "rewrite", endpoint: "listJobs", remove: ["*.environment"] });
		expect(await failuresOf([job({ query: HOLD })])).toEqual([]);
		expect(jobs().map(({ id }) => id)).toEqual([stack.entry("train").id]);
	});

	it("and reads that fail meanwhile are tried again", async () => {
		world.fault({ kind: "reset-after", endpoint: "createJob", times: 1 });
		world.fault({ kind: "status", status: 403, endpoint: "listJobs", skip: 1, times: 3 });
		expect(await failuresOf([job({ query: HOLD })])).toEqual([]);
	});

	it("where the list does not show it either is told in full", async () => {
		world.fault({ kind: "rewrite", endpoint: "createJob", set: { id: OTHER_ID } });
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listJobs" });
		expect(await failuresOf([job({ query: HOLD, name: "mine" })])).toEqual([
			'train: Could not tell whether job "mine" was started in team "ml": the reply named no job that could be read. It is not in the list so far, and it was not sent again, because that could start a second one. Run once with DATACHAIN_ADOPT_EQUAL=true: if it was started, it is taken over; if not, it is started then.',
		]);
		expect(world.writes()).toEqual(["createJob"]);
	});

	it("because it was refused is told as it is", async () => {
		world.fault({ kind: "status", status: 403, endpoint: "createJob" });
		const [failure] = await failuresOf([job({ query: HOLD })]);
		expect(failure).toMatch(/^train: Could not create .*403/);
		expect(failure).not.toContain("Could not tell");
	});
});

describe("a job that is waited for", () => {
	it("and does not end in time says so, and what can be done", async () => {
		const failures = await failuresOf([job({ query: HOLD, wait: true, timeout: "20s" })]);
		const { id, outs } = stack.entry("train");
		expect(failures).toEqual([
			`train: Job "train" (id ${id}) in team "ml" is RUNNING, and it did not end within 20 s, which is its timeout. It was left as it is. Run "pulumi up" again to go on waiting for it, or cancel it with "npx pulumi-datachain cancel ${id}".`,
		]);
		expect(outs).toMatchObject({ jobId: id, status: "RUNNING" });
	});

	it("and fails says how it ended, and no more", async () => {
		const failures = await failuresOf([job({ query: "exit(3)", wait: true })]);
		const { id, outs } = stack.entry("train");
		expect(failures[0]?.split("\n")).toEqual([
			`train: Job "train" (id ${id}) in team "ml" ended as FAILED with exit code 3: The query ended with exit code 3`,
			"The last lines of its log:",
			"  Preparing a Python 3.12 environment",
			"  Running train",
			"  SystemExit: 3",
		]);
		expect(outs).toMatchObject({ status: "FAILED", exitCode: 3 });
	});

	it("and is no longer shown is told with what was known of it", async () => {
		world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listJobs", skip: 2 });
		world.fault({ kind: "status", status: 404, endpoint: "followLogs" });
		const failures = await failuresOf([job({ query: HOLD, wait: true })]);
		expect(failures).toEqual([
			expect.stringMatching(
				/^train: Job "train" \(id .*\) in team "ml" is CREATED, and the service does not show it\. It was left as it is\. Run/,
			),
		]);
	});

	it.each<[Declared, RegExp]>([
		[job({ wait: true }), /^job \| Finished$/],
		[
			{ kind: "Pipeline", name: "p", inputs: { datasets: ["dev.images.raw"], start: true, wait: true } },
			/^pipeline: pipeline \S+ is COMPLETED, 1 of 1 jobs done$/,
		],
	])("without a name of its resource has that of its kind: %j", async (declared, line) => {
		const process = world.process();
		const { __urn: _, ...inputs } = await checked(process, declared, declared.inputs);
		await process.serve(declared.kind).create(inputs);
		expect(process.notices).toContainEqual(expect.stringMatching(line));
	});
});
