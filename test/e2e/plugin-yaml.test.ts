import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testDeployment } from "../helpers/e2e-deployment";
import { pathOf } from "../helpers/plugin-languages";
import { describeLifecycle } from "../helpers/plugin-lifecycle";

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
	try {
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
		const plugin = "./node_modules/pulumi-datachain/dist/plugin/pulumi-resource-datachain";
		const added = await test.stack.run(["package", "add", plugin]);
		expect(added.code, added.stdout + added.stderr).toBe(0);
		await test.up();
		await test.expectSettled();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
	} finally {
		await test.dispose();
	}
});
