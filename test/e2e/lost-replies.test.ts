import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

describe("when the service or the deployment fails in the middle", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const killed = async () =>
		(await test.client.schedules.list()).filter((item) => item.schedule_name === "killed");
	const creates = () => test.server.requests.count({ endpoint: "createSchedule" });

	it("a killed up that had made a schedule is carried on by the commands of the README", async () => {
		const args = { scheduleName: "killed", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" };
		test.declare({ kind: "PipelineSchedule", name: "killed", args });
		// The schedule is made, and its maker never hears of it again.
		test.server.faults.add({ endpoint: "getSchedule", kind: "delay", ms: 120_000 });
		const running = test.stack.start("up", ["--skip-preview"]);
		await expect.poll(creates, { timeout: 120_000, interval: 100 }).toBe(1);
		await expect.poll(async () => (await killed()).length).toBe(1);
		running.kill();
		expect((await running.finished).code).toBe(137);
		test.server.faults.clear();
		expect((await test.stack.run(["cancel", "--yes", "--stack", test.stack.name])).code).toBe(0);
		expect(await test.refused()).toMatch(/run once with DATACHAIN_ADOPT_EQUAL=true/);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		const refresh = await test.stack.refresh(["--skip-preview", "--clear-pending-creates"]);
		expect(refresh.code, refresh.stdout).toBe(0);
		const [only, ...others] = await killed();
		expect(others).toEqual([]);
		expect((await test.resource("killed")).id).toBe(String(only?.id));
		await test.expectSettled();
	});
});
