import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const COUNT = 12;

describe("a deployment killed with SIGKILL", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const declared = (cronExpression: string): Declared[] =>
		Array.from({ length: COUNT }, (_, i) => ({
			kind: "PipelineSchedule",
			name: `s${i}`,
			args: { scheduleName: `killed-${i}`, pipelineName: "rusty-vise", cronExpression },
		}));

	const ours = async () =>
		(await test.client.schedules.list()).filter((item) => item.schedule_name?.startsWith("killed-"));

	/** The documented way back, nothing else. */
	const recover = async () => {
		await test.stack.run(["cancel", "--yes", "--stack", test.stack.name]);
		await test.up();
		expect((await test.stack.refresh(["--skip-preview", "--clear-pending-creates"])).code).toBe(0);
	};

	it.each([4, 9])("after %i creates had reached the service leaves no duplicate behind", async (reached) => {
		test.declare();
		await test.up();
		test.declare(...declared("0 3 * * *"));
		test.server.requests.clear();
		const slow = test.server.faults.add({ endpoint: "createSchedule", kind: "delay", ms: 60 });
		const running = test.stack.start("up", ["--skip-preview"]);
		const deadline = Date.now() + 60_000;
		while (test.server.requests.count({ endpoint: "createSchedule" }) < reached && Date.now() < deadline)
			await sleep(10);
		running.kill();
		await running.finished;
		slow();
		const left = (await ours()).length;
		expect(left).toBeGreaterThan(0);
		expect(left).toBeLessThan(COUNT);
		await recover();
		const names = (await ours()).map((item) => item.schedule_name).sort();
		expect(names).toEqual(
			declared("")
				.map(({ args }) => args.scheduleName as string)
				.sort(),
		);
		await test.expectSettled();
	});

	it("in the middle of updates and deletes recovers as well", async () => {
		test.declare(...declared("0 5 * * *").slice(0, COUNT / 2));
		test.server.requests.clear();
		const running = test.stack.start("up", ["--skip-preview"]);
		const deadline = Date.now() + 60_000;
		while (test.server.requests.count({ endpoint: "updateSchedule" }) < 3 && Date.now() < deadline)
			await sleep(5);
		running.kill();
		await running.finished;
		await recover();
		const left = await ours();
		expect(left).toHaveLength(COUNT / 2);
		expect(left.every((item) => item.cron_expression === "0 5 * * *")).toBe(true);
		await test.expectSettled();
	});
});
