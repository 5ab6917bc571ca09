import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repository } from "../../tools/repository";
import { EXAMPLES, exampleProgram } from "../../tools/schema/examples";
import { schemaFile } from "../../tools/schema/main";
import { testDeployment } from "../helpers/e2e-deployment";
import { pathOf } from "../helpers/plugin-languages";

it("the examples of all resources deploy together, and a second up changes nothing", async () => {
	const test = await testDeployment({ env: { PATH: await pathOf("yaml") }, jobStepMillis: 100 });
	onTestFinished(test.dispose);
	const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
	const plugin = { providers: [{ name: "datachain", path: join(repository, "dist", "plugin") }] };
	const resources = Object.keys(EXAMPLES).map((kind) =>
		exampleProgram(kind, "yaml", schema).replace(/^resources:\n/, ""),
	);
	const head = ["name: lifecycle", "runtime: yaml", `plugins: ${JSON.stringify(plugin)}`, "resources:"];
	writeFileSync(join(test.folder, "Pulumi.yaml"), [...head, ...resources].join("\n"));
	await test.up();
	const declared = Object.values(EXAMPLES).flat();
	const found = JSON.stringify(test.stack.checkpoint());
	for (const { kind, name } of declared) expect(found).toContain(`datachain:index:${kind}::${name}"`);
	await test.expectSettled();
	expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
});
