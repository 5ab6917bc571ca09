import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { succeeded } from "../../tools/process/must";
import {
	type Declared,
	resource,
	type TestDeployment,
	testDeployment,
} from "../helpers/e2e-deployment";
import { ids, pathOf, types, writeProgram, writes } from "../helpers/plugin-languages";

const CANARY = "canary-never-in-clear";
const PIPELINE = "rusty-vise";

const schedule = (name: string, args: object = {}): Declared =>
	resource("PipelineSchedule", name, {
		pipelineName: PIPELINE,
		cronExpression: "0 3 * * *",
		...args,
	});

/** A pipeline from a dataset, and what uses its name. */
const pipeline: readonly Declared[] = [
	resource("Pipeline", "whole", { datasets: ["dev.images.clean"] }),
	resource("PipelineSettings", "tuning", {
		pipelineName: { $from: "whole.name" },
		workers: 2,
		environment: { API_KEY: { $secret: `${CANARY}-whole` } },
		files: [{ $from: "script.id" }],
	}),
	schedule("daily", { pipelineName: { $from: "tuning.pipelineName" }, paused: false }),
];

const REST: readonly Declared[] = [
	resource("JobFile", "script", { text: "print(1)", name: "prepare.py" }),
	resource("PipelineSettings", "images", {
		pipelineName: PIPELINE,
		repository: `https://bot:${CANARY}-url@git.example.com/team/repo`,
		environment: { MODEL: "clip", API_KEY: { $secret: `${CANARY}-env` } },
		storage: { s3: { key: `${CANARY}-key`, secret: `${CANARY}-s3` } },
		files: [{ $from: "script.id" }],
	}),
	schedule("nightly"),
	...pipeline,
];

/** The plugin does the same whatever the language, so that one of them is enough. */
describe("the life of a stack whose program is in YAML", () => {
	let test: TestDeployment;
	let typescript: string;
	beforeAll(async () => {
		test = await testDeployment({ env: { PATH: await pathOf("yaml") } });
		typescript = readFileSync(join(test.folder, "Pulumi.yaml"), "utf8");
	});
	afterAll(() => test?.dispose());

	const declare = (...resources: Declared[]) =>
		writeProgram("yaml", test.folder, resources);

	it("a preview sends no write, and says what it will do", async () => {
		declare(...REST);
		const said = await test.preview(["--diff"]);
		for (const kind of ["PipelineSchedule", "Pipeline"])
			expect(said).toMatch(new RegExp(`\\+ datachain:index:${kind}: \\(create\\)`));
		expect(said).toMatch(/scheduleName\s*: "lifecycle-dev-nightly"/);
		expect(writes(test.server)).toBe(0);
	});

	it("a first up makes everything, and a second one and a refresh change nothing", async () => {
		await test.up();
		expect(await test.named("lifecycle-dev-nightly")).toHaveLength(1);
		const live = await test.client.pipelines.status({ name: PIPELINE });
		expect(live.environment_variables).toMatchObject({
			MODEL: "clip",
			API_KEY: `${CANARY}-env`,
		});
		expect(JSON.parse(live.environment_variables?.FSSPEC_S3 ?? "")).toMatchObject({
			key: `${CANARY}-key`,
		});
		await test.expectSettled();
	});

	it("what exists is imported under its id, and shown in the words of the language", async () => {
		const byHand = { pipeline_name: PIPELINE, cron_expression: "5 5 * * *" };
		await test.client.schedules.create({ schedule_name: "to-import", ...byHand });
		const [imported] = await test.named("to-import");
		const result = await test.stack.run([
			...["import", "datachain:index:PipelineSchedule", "held", String(imported?.id)],
			...["--yes", "--skip-preview", "--protect=false", "--non-interactive"],
			...["--stack", test.stack.name, "--config-file", test.stack.configFile],
		]);
		expect(result.stderr + result.stdout).toMatch(/1 imported/);
		expect(result.stdout).toMatch(/held:\s+type: datachain:PipelineSchedule/);
		const held = {
			scheduleName: "to-import",
			cronExpression: "5 5 * * *",
			teamName: "vision",
		};
		declare(...REST, schedule("held", held));
		expect((await test.resource("held")).id).toBe(String(imported?.id));
		await test.expectSettled();
	});

	it("a killed up is carried on by the commands of the README, without a second schedule", async () => {
		declare(...REST, schedule("killed", { scheduleName: "killed" }));
		test.server.faults.add({ endpoint: "getSchedule", kind: "delay", ms: 120_000 });
		const running = test.stack.start("up", ["--skip-preview"]);
		await expect
			.poll(async () => (await test.named("killed")).length, { timeout: 120_000 })
			.toBe(1);
		running.kill();
		await running.finished;
		test.server.faults.clear();
		await test.stack.run(["cancel", "--yes", "--stack", test.stack.name]);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		await test.stack.refresh(["--skip-preview", "--clear-pending-creates"]);
		expect(await test.named("killed")).toHaveLength(1);
		await test.expectSettled();
	});

	it("it moves to a TypeScript program and back without a request that writes", async () => {
		declare(...REST);
		await test.up();
		const before = ids(test);
		test.server.requests.clear();
		writeFileSync(join(test.folder, "Pulumi.yaml"), typescript);
		test.declare(...REST);
		await test.up();
		expect(types(test)).toEqual(["pulumi-nodejs:dynamic/datachain"]);
		declare(...REST);
		await test.up();
		expect(types(test)).toEqual(["datachain:index"]);
		expect([ids(test), writes(test.server)]).toEqual([before, 0]);
	});

	it("destroy leaves nothing of ours, and no secret was in the state or in anything printed", async () => {
		const state = JSON.stringify(test.stack.checkpoint());
		expect(state).not.toContain(CANARY);
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		// The seeded team has one of its own.
		expect(await test.client.schedules.list()).toHaveLength(1);
		expect(test.printed()).not.toContain(CANARY);
	});
});

it("a project in YAML that adds the package pins its version, and deploys", async () => {
	const test = await testDeployment({ env: { PATH: await pathOf("yaml") } });
	onTestFinished(test.dispose);
	writeProgram("yaml", test.folder, [schedule("nightly")]);
	const plugin =
		"./node_modules/pulumi-datachain/dist/plugin/pulumi-resource-datachain";
	succeeded("pulumi package add", await test.stack.run(["package", "add", plugin]));
	expect(readFileSync(join(test.folder, "Pulumi.yaml"), "utf8")).toMatch(
		/packages:\n\s+datachain: /,
	);
	await test.up();
});
