import { chmodSync, cpSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../../tools/process/temp-folder";
import { resource, testDeployment } from "../helpers/e2e-deployment";
import { repository } from "../helpers/engine";

/**
 * The pack as it is, under the name of a runtime of its own: a language host that is older than the engine cannot start
 * packs, and for a runtime without one the engine starts an analyzer from the PATH, which is the SDK's own.
 */
function installPack(): string {
	const { path: folder } = tempFolder("policy-");
	cpSync(join(repository, "examples", "policy"), folder, { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "dir");
	writeFileSync(join(folder, "PulumiPolicy.yaml"), "runtime: nodepack\n");
	const analyzer = join(folder, "pulumi-analyzer-policy-nodepack");
	const script = join(
		repository,
		"node_modules",
		"@pulumi",
		"pulumi",
		"cmd",
		"run-policy-pack",
	);
	writeFileSync(analyzer, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
	chmodSync(analyzer, 0o755);
	return folder;
}

const schedule = (name: string, args: object) =>
	resource("PipelineSchedule", name, {
		scheduleName: name,
		pipelineName: "nightly-images",
		...args,
	});

it("the policy pack of examples/policy refuses on the real engine each schedule that breaks a rule, by what the service would get, and lets the others through", async () => {
	const pack = installPack();
	const test = await testDeployment();
	onTestFinished(test.dispose);
	test.stack.env.PATH = `${pack}${delimiter}${test.stack.env.PATH ?? ""}`;
	test.declare(
		schedule("prod-nightly", { cronExpression: "0 3 * * *" }),
		schedule("tokyo", { cronExpression: "0 8 * * *", timeZone: "Asia/Tokyo" }),
		schedule("hasty", { cronExpression: "*/5 * * * *" }),
		schedule("early", { cronExpression: "30 17 * * 1-5", timeZone: "Asia/Tokyo" }),
		schedule("prod-paused", { cronExpression: "0 3 * * *", paused: true }),
	);
	const { code, stdout, stderr } = await test.stack.preview(["--policy-pack", pack]);
	const printed = stdout + stderr;
	expect(code).not.toBe(0);
	expect(printed).toMatch(/hasty[\s\S]*It runs every 5 minutes; 15 are the least/);
	expect(printed).toMatch(/early[\s\S]*It would start at 08:30 UTC/);
	expect(printed).toMatch(
		/prod-paused[\s\S]*It is paused, and its name says production/,
	);
	const violations = printed.slice(printed.indexOf("Policies:"));
	expect(violations).toContain("datachain-schedules");
	expect(violations).not.toMatch(/prod-nightly|tokyo/);
	expect(await test.client.schedules.list()).toHaveLength(1);
});
