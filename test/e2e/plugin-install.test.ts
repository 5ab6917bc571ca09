import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { ensureHost } from "../../tools/engine/hosts";
import { PLUGIN_NAME } from "../../tools/plugin/executable";
import { must } from "../../tools/process/must";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { installPlugin, pathWithoutNode } from "../helpers/plugin-languages";

const PROJECT = `name: lifecycle
runtime: yaml
resources:
  nightly:
    type: datachain:PipelineSchedule
    properties: { pipelineName: rusty-vise, cronExpression: 0 3 * * * }
    options: { version: ${version} }
outputs:
  means: \${nightly.cronDescription}
`;

describe("the plugin from its archive", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		// There is no plugin on it, either.
		test.stack.env.PATH = pathWithoutNode(test, await ensureHost("yaml"));
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
	});
	afterAll(() => test?.dispose());

	it("without it, the engine names what it looks for, and in which version", async () => {
		const said = await test.refused();
		expect(said).toContain(
			`no resource plugin 'pulumi-resource-datachain' found in the workspace at version v${version}`,
		);
	});

	it("is installed by its name, and deploys on a machine without Node", async () => {
		await installPlugin(test);
		await test.up();
		expect(await test.stack.outputs()).toEqual({ means: "every day at 03:00 UTC" });
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await test.named("lifecycle-dev-nightly")).toEqual([]);
	});

	it("has the commands in it, under its own name and under theirs", async () => {
		const installed = join(
			test.stack.env.PULUMI_HOME ?? "",
			"plugins",
			`resource-datachain-v${version}`,
		);
		const program = join(installed, PLUGIN_NAME);
		const env = { ...test.stack.env, PATH: "" };
		expect(await must(program, ["--version"], { env })).toBe(`${version}\n`);
		expect(
			JSON.parse(await must(program, ["schedules", "--json"], { env })),
		).toBeInstanceOf(Array);
		symlinkSync(program, join(test.folder, "pulumi-datachain"));
		const help = await must(join(test.folder, "pulumi-datachain"), ["--help"], { env });
		expect(help).toMatch(/^Usage: pulumi-datachain .*\n[\s\S]*\n {2}drift /);
		expect(readdirSync(installed).sort()).toEqual(
			["LICENSE", "THIRD_PARTY_NOTICES", basename(program)].sort(),
		);
	});
});
