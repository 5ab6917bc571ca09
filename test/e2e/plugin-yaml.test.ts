import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { testDeployment } from "../helpers/e2e-deployment";
import { pathOf } from "../helpers/plugin-languages";
import { describeLifecycle } from "../helpers/plugin-lifecycle";
import { PluginProcess } from "../helpers/plugin-process";

describe("a program in YAML", () => describeLifecycle("yaml"));

const PROJECT = `name: lifecycle
runtime: yaml
plugins:
  providers:
    - name: datachain
      path: node_modules/pulumi-datachain/dist/plugin
resources:
  nightly:
    type: datachain:PipelineSchedule
    properties: { pipelineName: rusty-vise, cronExpression: 0 3 * * * }
`;

it("a project in YAML that adds the package pins its version, and deploys", async () => {
	const test = await testDeployment({ env: { PATH: await pathOf("yaml") } });
	onTestFinished(test.dispose);
	writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
	const plugin = "./node_modules/pulumi-datachain/dist/plugin/pulumi-resource-datachain";
	const added = await test.stack.run(["package", "add", plugin]);
	expect(added.code, added.stdout + added.stderr).toBe(0);
	expect(readFileSync(join(test.folder, "Pulumi.yaml"), "utf8")).toMatch(/packages:\n\s+datachain: /);
	await test.up();
});

it("a plugin that is already running serves two runs, and says what it has to say with the resource", async () => {
	const test = await testDeployment({ env: { PATH: await pathOf("yaml") } });
	const plugin = await PluginProcess.start(test.server.environment);
	onTestFinished(test.dispose);
	onTestFinished(async () => void (await plugin.end()));
	writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT.replace("* * *", "* * *, adopt: true"));
	await test.client.schedules.create({
		schedule_name: "lifecycle-dev-nightly",
		pipeline_name: "rusty-vise",
		cron_expression: "0 9 * * *",
	});
	const env = { PULUMI_DEBUG_PROVIDERS: `datachain:${plugin.port}` };
	const printed = await test.withEnv(env, () => test.preview());
	expect(printed).toMatch(/\n {2}datachain:index:PipelineSchedule \(nightly\):\s+.*lifecycle-dev-nightly/);
	await test.withEnv(env, () => test.up());
	expect(plugin.child.exitCode).toBeNull();
});
