import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const token = "canary-8f1d2c-token";

/** What the fault bench's row of secrets does not ask: it looks for every secret after every kind of step and failure. */
describe("secrets on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ token });
	});
	afterAll(() => test?.dispose());

	const settings = (environment: object): Declared => ({
		kind: "PipelineSettings",
		name: "settings",
		args: { pipelineName: "rusty-vise", environment, onDestroy: "restore", adopt: true },
	});
	const schedule: Declared = {
		kind: "PipelineSchedule",
		name: "schedule",
		args: { pipelineName: "rusty-vise", cronExpression: "@daily" },
	};

	it("a plain value that becomes a secret is encrypted in inputs and outputs by the next up", async () => {
		const plain = "plain-until-now";
		test.declare(settings({ MODE: plain }), schedule);
		await test.up();
		expect(JSON.stringify(await test.resource("settings"))).toContain(plain);
		test.declare(settings({ MODE: { $secret: plain } }), schedule);
		await test.up();
		expect(JSON.stringify(await test.resource("settings"))).not.toContain(plain);
		await test.expectSettled();
	});

	it("a token in the config, set as a secret, works; in clear it is warned of", async () => {
		const { DATACHAIN_STUDIO_TOKEN: _, ...withoutToken } = test.stack.env;
		for (const key of Object.keys(test.stack.env)) delete test.stack.env[key];
		Object.assign(test.stack.env, withoutToken);
		await test.stack.setConfig("datachain:token", token, { secret: true });
		test.declare(schedule);
		const secret = await test.up();
		expect(secret.stdout).not.toMatch(/stored in plain text/);
		await test.stack.setConfig("datachain:token", token);
		expect((await test.stack.preview()).stdout).toMatch(/datachain:token is stored in plain text/);
		await test.stack.setConfig("datachain:token", token, { secret: true });
	});

	it("without a token the error names all three ways to give one", async () => {
		await test.stack.run([
			"config",
			"rm",
			"datachain:token",
			"--stack",
			test.stack.name,
			"--config-file",
			test.stack.configFile,
		]);
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout + result.stderr).toMatch(/DATACHAIN_STUDIO_TOKEN/);
		expect(result.stdout + result.stderr).toMatch(/datachain:token/);
		expect(result.stdout + result.stderr).not.toMatch(/\.js:\d+/);
	});
});
