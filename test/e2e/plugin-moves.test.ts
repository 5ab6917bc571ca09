import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/server";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { ids, types, writes } from "../helpers/plugin-languages";

const CANARY = "canary-never-in-clear";

/** The same classes; the environment decides which host serves them. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const datachain = require("pulumi-datachain");
const provider = process.env.ON_PLUGIN ? new datachain.Provider("own", {}) : undefined;
const opts = provider ? { provider } : {};
const script = new datachain.JobFile("script", { text: "print(1)", name: "prepare.py" }, opts);
new datachain.PipelineSettings("images", {
	pipelineName: "rusty-vise",
	pythonVersion: "3.12",
	environment: { MODEL: "clip", API_KEY: pulumi.secret("${CANARY}") },
	storage: [datachain.storage.s3({ key: "${CANARY}-key", secret: "${CANARY}-secret" })],
	files: [script],
	paused: false,
}, opts);
new datachain.Pipeline("catalog", { datasets: ["dev.images.clean"] }, opts);
new datachain.Job("smoke", { query: "print(1)", environment: { API_KEY: pulumi.secret("${CANARY}-job") }, wait: true }, opts);
const group = new pulumi.ComponentResource("test:group", "group", {}, provider ? { providers: [provider] } : {});
new datachain.PipelineSchedule("nightly", { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", paused: false }, { parent: group });
`;

const PROJECT = `name: lifecycle
runtime:
  name: nodejs
  options:
    typescript: false
plugins:
  providers:
    - name: datachain
      path: node_modules/pulumi-datachain/dist/plugin
`;

describe("the TypeScript classes move between the dynamic host and the plugin", () => {
	// From the dynamic host to the plugin is what a stack does that goes on in Python: plugin-python shows it for every kind.
	it("to the dynamic host and back, without touching the service", async () => {
		const test = await testDeployment({ program: PROGRAM });
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
		onTestFinished(test.dispose);
		await test.withEnv({ ON_PLUGIN: "true" }, () => test.up());
		const before = ids(test);
		test.server.requests.clear();
		for (const host of ["", "true"]) {
			await test.withEnv({ ON_PLUGIN: host }, async () => {
				await test.up();
				await test.expectSettled();
			});
			expect(ids(test)).toEqual(before);
			expect(types(test)).toEqual([host ? "datachain:index" : "pulumi-nodejs:dynamic/datachain"]);
		}
		expect(writes(test.server)).toBe(0);
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(CANARY);
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect((await test.client.schedules.list()).map((item) => item.schedule_name)).not.toContain(
			"lifecycle-dev-nightly",
		);
	});

	it.each([
		["to the plugin", "", "true", { ADOPT: "true" }],
		["to the dynamic host", "true", "", {}],
	])(
		"a rename together with a move %s keeps what the old resource had, and stops nothing",
		async (_, first, later, consent) => {
			const test = await testDeployment({ program: RENAMED });
			writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
			onTestFinished(test.dispose);
			await test.withEnv({ ON_PLUGIN: first, NAME: "before" }, () => test.up());
			const before = await Promise.all([test.client.schedules.list(), pipelineOf(test)]);
			const { "before-pipeline": pipeline } = ids(test);
			const after = { ON_PLUGIN: later, NAME: "after" };
			const { stdout } = await test.withEnv({ ...after, ...consent, DATACHAIN_ADOPT_EQUAL: "true" }, () =>
				test.up(),
			);
			expect(stdout).toMatch(/"nightly" \(id \d+\) in team "\w+" was not deleted: resource "after"/);
			expect(stdout).toMatch(/settings of pipeline "rusty-vise" stay as they are: resource "after"/);
			expect(await Promise.all([test.client.schedules.list(), pipelineOf(test)])).toEqual(before);
			const now = ids(test);
			expect(Object.keys(now).sort()).toEqual(["after", "after-job", "after-pipeline"]);
			expect(now["after-pipeline"]).toBe(pipeline);
			const live = (await test.client.pipelines.list()).find(({ pipeline_id }) => pipeline_id === pipeline);
			expect(live?.status).not.toMatch(/PAUS/);
			const jobs = (await test.client.jobs.list()).filter(({ name }) => name === "held.py");
			const active = jobs.filter(({ status }) => !/CANCEL|COMPLETE|FAILED/.test(status ?? ""));
			expect(active.map(({ id }) => id)).toEqual([now["after-job"]]);
			await test.withEnv(after, () => test.expectSettled());
		},
	);

	it("a program works with two services at once, and a name on both hosts is refused", async () => {
		const [test, other] = [await testDeployment({ program: TWO_SERVICES }), await startServer()];
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
		const { DATACHAIN_STUDIO_URL: url, DATACHAIN_STUDIO_TOKEN: token } = other.environment;
		onTestFinished(() => other.close());
		onTestFinished(test.dispose);
		await test.withEnv({ OTHER_URL: url, OTHER_TOKEN: token }, async () => {
			await test.up();
			const twice = await test.withEnv({ ALSO_DYNAMIC: "true" }, () => test.stack.preview());
			expect(twice.stdout).toMatch(/"here" is declared twice/);
		});
		const here = test.server.requests.count({ endpoint: "createSchedule" });
		expect([here, other.requests.count({ endpoint: "createSchedule" })]).toEqual([1, 1]);
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(token);
	});
});

/**
 * Resources whose names and host change, and what they manage does not: a pipeline that was started, and a job that goes
 * on until somebody cancels it, are among them.
 */
const RENAMED = `
const datachain = require("pulumi-datachain");
const { ON_PLUGIN, NAME, ADOPT } = process.env;
const opts = ON_PLUGIN ? { provider: new datachain.Provider("own", {}) } : {};
const adopt = ADOPT ? { adopt: true } : {};
const schedule = { scheduleName: "nightly", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" };
new datachain.PipelineSchedule(NAME, { ...schedule, ...adopt }, opts);
new datachain.PipelineSettings(NAME, { pipelineName: "rusty-vise", workers: 3, onDestroy: "reset", ...adopt }, opts);
new datachain.Pipeline(NAME + "-pipeline", { datasets: ["dev.images.clean"], start: true, onDestroy: "pause" }, opts);
new datachain.Job(NAME + "-job", { query: "# local-server: hold\\nprint(1)", name: "held.py" }, opts);
`;

const pipelineOf = async ({ client }: TestDeployment) => {
	const { name, workers } = await client.pipelines.status({ name: "rusty-vise" });
	return { name, workers };
};

const TWO_SERVICES = `
const datachain = require("pulumi-datachain");
const { OTHER_URL: baseUrl, OTHER_TOKEN: token, ALSO_DYNAMIC } = process.env;
const args = { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" };
new datachain.PipelineSchedule("here", args, { provider: new datachain.Provider("here") });
const other = new datachain.Provider("there", { baseUrl, token, teamName: "vision", maxConcurrentWrites: 4 });
new datachain.PipelineSchedule("there", args, { provider: other });
if (ALSO_DYNAMIC) new datachain.PipelineSchedule("here", args);
`;
