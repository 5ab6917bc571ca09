import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version as present } from "../../package.json";
import { isTypeOf, KINDS } from "../../src/schemas/kinds";
import { succeeded } from "../../tools/process/must";
import { managedResources } from "../../tools/stack";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import {
	DECLARED,
	declaredIn,
	importOldState,
	keptStates,
	PASSPHRASE,
} from "../helpers/state-fixture";

it("this version has a state among those that are kept, with resources of every kind", () => {
	expect(keptStates()).toContain(present);
	expect(new Set(DECLARED.map(({ kind }) => kind))).toEqual(
		new Set(Object.keys(KINDS)),
	);
	expect(declaredIn(present)).toEqual(DECLARED);
});

describe.each(keptStates())("a state of version %s", (version) => {
	let test: TestDeployment;
	beforeAll(async () => {
		// The state holds the program's secrets, encrypted with the passphrase of the fixtures.
		test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
		await importOldState(test, version);
	});
	afterAll(() => test?.dispose());

	const names = async () =>
		(await test.client.schedules.list()).map(({ schedule_name }) => schedule_name);

	// First of all: an up may write the present stub over the old one, and the old one must still delete.
	it("can be destroyed as it is: its schedules are deleted and no other, the settings are cleared", async () => {
		const before = await names();
		const isKept = (name: unknown) => String(name).startsWith("kept");
		const declared = declaredIn(version).filter(
			({ kind }) => kind === "PipelineSchedule",
		);
		expect(before.filter(isKept)).toHaveLength(declared.length);
		const made = managedResources(test.stack.checkpoint())
			.filter(({ type }) => isTypeOf("Pipeline", type))
			.map(({ outputs }) => String(outputs?.name));
		for (const name of made) await test.client.pipelines.resume({ name });
		succeeded("pulumi destroy", await test.stack.destroy(["--skip-preview"]));
		expect(await names()).toEqual(before.filter((name) => !isKept(name)));
		expect(managedResources(test.stack.checkpoint())).toEqual([]);
		for (const name of made)
			expect((await test.client.pipelines.status({ name })).status).toBe("PAUSED");
		const { python_version, environment_variables } =
			await test.client.pipelines.status({
				name: "rusty-vise",
			});
		expect([python_version || null, environment_variables ?? {}]).toEqual([null, {}]);
	});

	it("has no drift and nothing to do after the upgrade, and no write is sent", async () => {
		await importOldState(test, version);
		test.server.requests.clear();
		await test.expectSettled();
		expect(test.server.requests.count({ method: "POST" })).toBe(0);
	});
});
