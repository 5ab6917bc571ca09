import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { addPlugin } from "../helpers/engine";
import { ids } from "../helpers/plugin-languages";

// A move alone is shown by plugin-python, for every kind, and there and back by plugin-yaml.
describe("the TypeScript classes move between the hosts under another name", () => {
	let test: TestDeployment;
	let managed: unknown;
	let pipeline: string | undefined;
	const live = () => Promise.all([test.client.schedules.list(), pipelineOf(test)]);
	beforeAll(async () => {
		test = await testDeployment({ program: RENAMED });
		addPlugin(test.folder);
		await test.withEnv({ NAME: "first" }, () => test.up());
		managed = await live();
		pipeline = ids(test)["first-pipeline"];
	});
	afterAll(() => test?.dispose());

	it.each([
		["to the plugin", "second", { ON_PLUGIN: "true" }, { ADOPT: "true" }],
		["to the dynamic host", "third", {}, {}],
	])(
		"a rename together with a move %s keeps what the old resource had, and stops nothing",
		async (_, name, host, consent) => {
			const env = { ...host, ...consent, NAME: name, DATACHAIN_ADOPT_EQUAL: "true" };
			const { stdout } = await test.withEnv(env, () => test.up());
			const taken = (what: string) =>
				new RegExp(
					`Resource "${name}".* now manages ${what} in team "\\w+", so nothing was deleted`,
				);
			expect(stdout).toMatch(taken('schedule "nightly" \\(id \\d+\\)'));
			expect(stdout).toMatch(taken('the settings of pipeline "rusty-vise"'));
			expect(await live()).toEqual(managed);
			const now = ids(test);
			expect(Object.keys(now).sort()).toEqual([
				name,
				`${name}-job`,
				`${name}-pipeline`,
			]);
			expect(now[`${name}-pipeline`]).toBe(pipeline);
			const run = (await test.client.pipelines.list()).find(
				({ pipeline_id }) => pipeline_id === pipeline,
			);
			expect(run?.status).not.toMatch(/PAUS/);
			const jobs = (await test.client.jobs.list()).filter(
				({ name: job }) => job === "held.py",
			);
			const active = jobs.filter(
				({ status }) => !/CANCEL|COMPLETE|FAILED/.test(status ?? ""),
			);
			expect(active.map(({ id }) => id)).toEqual([now[`${name}-job`]]);
		},
	);

	it("and nothing is left to do", () =>
		test.withEnv({ NAME: "third" }, () => test.expectSettled()));
});

/**
 * Resources whose names and host change, and what they manage does not: a pipeline that was started, and a job that goes
 * on until somebody cancels it, are among them.
 */
const RENAMED = `
const pulumi = require("@pulumi/pulumi");
const datachain = require("pulumi-datachain");
const { ON_PLUGIN, NAME, ADOPT } = process.env;
const opts = ON_PLUGIN ? { provider: new datachain.Provider("own", {}) } : {};
const group = new pulumi.ComponentResource("test:group", "group", {}, ON_PLUGIN ? { providers: [opts.provider] } : {});
const adopt = ADOPT ? { adopt: true } : {};
const schedule = { scheduleName: "nightly", pipelineName: "rusty-vise", cronExpression: "0 3 * * *", ...adopt };
new datachain.PipelineSchedule(NAME, schedule, { parent: group });
new datachain.PipelineSettings(NAME, { pipelineName: "rusty-vise", workers: 3, onDestroy: "reset", ...adopt }, opts);
new datachain.Pipeline(NAME + "-pipeline", { datasets: ["dev.images.clean"], start: true, onDestroy: "pause" }, opts);
new datachain.Job(NAME + "-job", { query: "# local-server: hold\\nprint(1)", name: "held.py" }, opts);
`;

const pipelineOf = async ({ client }: TestDeployment) => {
	const { name, workers } = await client.pipelines.status({ name: "rusty-vise" });
	return { name, workers };
};
