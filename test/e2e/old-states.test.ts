import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { managedResources } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { DECLARED, importOldState, keptStates, PASSPHRASE } from "../helpers/state-fixture";

/** The state holds the program's secrets, encrypted with the passphrase of the fixtures. */
const oldDeployment = () => testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });

describe.each(keptStates())("a state of version %s", (version) => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await oldDeployment();
		await importOldState(test, version);
	});
	afterAll(() => test?.dispose());

	const kept = async () =>
		(await test.client.schedules.list()).filter(({ schedule_name }) => schedule_name === "kept");

	it("has no drift and nothing to do after the upgrade, and no write is sent", async () => {
		test.server.requests.clear();
		expect(await test.drift()).toBe("");
		await test.up(["--expect-no-changes"]);
		expect(await test.drift()).toBe("");
		expect(test.server.requests.count({ method: "POST" })).toBe(0);
	});

	it("does not resume a pipeline that somebody paused: the stored paused was no declaration", async () => {
		await test.client.pipelines.pause({ name: "rusty-vise" });
		await test.expectSettled();
		expect((await test.client.pipelines.status({ name: "rusty-vise" })).status).toBe("PAUSED");
	});

	it("can be destroyed: the schedule is deleted, the settings are cleared", async () => {
		expect(await kept()).toHaveLength(1);
		const destroy = await test.stack.destroy(["--skip-preview"]);
		expect(destroy.code, destroy.stdout).toBe(0);
		expect(await kept()).toEqual([]);
		expect(managedResources(test.stack.checkpoint())).toEqual([]);
		const { python_version, environment_variables } = await test.client.pipelines.status({
			name: "rusty-vise",
		});
		expect([python_version || null, environment_variables ?? {}]).toEqual([null, {}]);
	});
});

describe("a state of version 0.1.0 that is changed later", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await oldDeployment();
		await importOldState(test, "0.1.0");
	});
	afterAll(() => test?.dispose());

	const withModel = (MODEL: unknown): Declared[] =>
		DECLARED.map((one) =>
			one.kind === "PipelineSettings"
				? {
						...one,
						args: { ...one.args, environment: { MODEL, API_KEY: { $secret: "not-really-a-secret" } } },
					}
				: one,
		);

	it("encrypts a plain value that becomes a secret, in inputs and outputs", async () => {
		await test.up(["--expect-no-changes"]);
		test.declare(...withModel({ $secret: "clip" }));
		await test.up();
		const { inputs, outputs } = await test.resource("images");
		expect(JSON.stringify(inputs)).not.toContain("clip");
		expect(JSON.stringify(outputs)).not.toContain("clip");
	});

	it("is deleted where its resources are no longer declared", async () => {
		test.declare();
		await test.up();
		const names = (await test.client.schedules.list()).map((item) => item.schedule_name);
		expect(names).not.toContain("kept");
		expect(managedResources(test.stack.checkpoint())).toEqual([]);
	});
});
