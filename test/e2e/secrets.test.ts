import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const CANARY = "canary-8f1d2c";
const token = `${CANARY}-token`;

/** Everything a user could leak by sharing: the state, and whatever any command has printed. */
describe("secrets on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ token });
	});
	afterAll(() => test?.dispose());

	const nowhereInClear = () => {
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(CANARY);
		expect(test.printed()).not.toContain(CANARY);
	};
	const settings = (environment: object, more: object = {}): Declared => ({
		kind: "PipelineSettings",
		name: "settings",
		args: { pipelineName: "rusty-vise", environment, onDestroy: "restore", adopt: true, ...more },
	});
	const schedule: Declared = {
		kind: "PipelineSchedule",
		name: "schedule",
		args: { pipelineName: "rusty-vise", cronExpression: "@daily" },
	};

	it("the token, secret variables, what others had set, and a password in a repository stay encrypted", async () => {
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `THEIRS=${CANARY}-theirs`,
		});
		test.declare(
			settings(
				{ OURS: { $secret: `${CANARY}-ours` } },
				{
					repository: `https://${CANARY}-password@example.com/repo.git`,
					requirements: [`--extra-index-url https://user:${CANARY}-pip@example.com/simple`, "pillow"],
				},
			),
			schedule,
			{ kind: "JobFile", name: "file", args: { text: { $secret: `${CANARY}-text` }, name: "f.txt" } },
		);
		await test.up(["--diff"]);
		// The hash of a secret text would let a short one be guessed.
		expect((await test.resource("file")).outputs?.contentHash).toMatch(/^scrypt:/);
		nowhereInClear();
		await test.expectSettled();
	});

	it("an update, a refresh and a drifted pipeline show nothing either", async () => {
		const repository = "https://example.com/repo.git";
		test.declare(settings({ OURS: { $secret: `${CANARY}-changed` } }, { repository }), schedule);
		await test.up(["--diff"]);
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `OURS=${CANARY}-drifted\nADDED=${CANARY}-added`,
			repository: `https://someone:${CANARY}-theirs@example.com/other.git`,
		});
		expect(await test.drift()).toMatch(
			/repository *: .* => "\(set outside Pulumi\) https:\/\/\*\*\*@example\.com\/other\.git"/,
		);
		expect((await test.stack.refresh(["--skip-preview", "--diff"])).code).toBe(0);
		nowhereInClear();
	});

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

	it("bad input with a secret in it is refused without printing it", async () => {
		test.declare(
			settings({ OURS: { $secret: `${CANARY}\nEXTRA=1` }, "BAD NAME": { $secret: CANARY } }),
			schedule,
		);
		const result = await test.stack.preview(["--diff"]);
		expect(result.code).not.toBe(0);
		expect(result.stderr).toMatch(/the value of OURS has a line break/);
		expect(result.stderr).toMatch(/"BAD NAME" is not a variable name/);
		nowhereInClear();
	});

	it("errors of the service show none", async () => {
		test.declare(settings({ OURS: { $secret: `${CANARY}-again` } }), schedule);
		test.server.faults.add({
			endpoint: "updateSettings",
			kind: "status",
			status: 400,
			message: `bad value ${token}`,
		});
		const result = await test.stack.up(["--skip-preview", "--diff"]);
		test.server.faults.clear();
		expect(result.code).not.toBe(0);
		expect(result.stderr).toMatch(/400/);
		nowhereInClear();
	});

	it("a token in the config, set as a secret, works and stays encrypted; in clear it is warned of", async () => {
		const { DATACHAIN_STUDIO_TOKEN: _, ...withoutToken } = test.stack.env;
		for (const key of Object.keys(test.stack.env)) delete test.stack.env[key];
		Object.assign(test.stack.env, withoutToken);
		await test.stack.setConfig("datachain:token", token, { secret: true });
		test.declare(schedule);
		const secret = await test.up();
		expect(secret.stdout).not.toMatch(/stored in clear/);
		nowhereInClear();
		await test.stack.setConfig("datachain:token", token);
		expect((await test.stack.preview()).stdout).toMatch(/datachain:token is stored in clear/);
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
