import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, resolveConnection } from "../../src/api";
import { type FaultRule, startServer } from "../../src/server";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const schedule = (name: string, args: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: name, pipelineName: "rusty-vise", cronExpression: "0 3 * * *", ...args },
});

describe("when the service or the network fails in the middle", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const named = async (name: string) =>
		(await test.client.schedules.list()).filter((item) => item.schedule_name === name);
	const creates = () => test.server.requests.count({ endpoint: "createSchedule" });

	/** One fault for each create of one deployment: each reply that may be lost is lost once. */
	const faults: FaultRule[] = [
		{ endpoint: "createSchedule", kind: "reset-after", times: 1 },
		{ endpoint: "createSchedule", kind: "late-commit", ms: 2000, times: 1 },
		{ endpoint: "createSchedule", kind: "truncated-json", times: 1 },
		{ endpoint: "createSchedule", kind: "status", status: 429, retryAfter: 1, times: 1 },
	];

	it("creates whose replies are lost end in exactly one schedule each, in the same run", async () => {
		const names = faults.map((_, index) => `lost-${index}`);
		test.declare(...names.map((name) => schedule(name)));
		for (const rule of faults) test.server.faults.add(rule);
		await test.up();
		test.server.faults.clear();
		for (const name of names) expect(await named(name)).toHaveLength(1);
		await test.expectSettled();
	});

	it("a create that cannot be read back stays out of the state, and one run with consent takes it over", async () => {
		test.declare(schedule("unreadable"));
		const remove = test.server.faults.add({ endpoint: "getSchedule", kind: "status", status: 403 });
		const said = await test.refused();
		remove();
		const [made] = await named("unreadable");
		expect(said).toMatch(
			new RegExp(
				`Could not tell whether schedule "unreadable" was created in team "vision": the reply named schedule ${made?.id}`,
			),
		);
		expect(await test.refused()).toMatch(/run once with DATACHAIN_ADOPT_EQUAL=true/);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		expect((await test.resource("unreadable")).id).toBe(String(made?.id));
		expect(await named("unreadable")).toHaveLength(1);
		await test.expectSettled();
	});

	it("a killed up that had made a schedule is carried on by the commands of the README", async () => {
		test.declare(schedule("unreadable"), schedule("killed"));
		test.server.requests.clear();
		// The schedule is made, and its maker never hears of it again.
		test.server.faults.add({ endpoint: "getSchedule", kind: "delay", ms: 120_000 });
		const running = test.stack.start("up", ["--skip-preview"]);
		await expect.poll(creates, { timeout: 120_000, interval: 100 }).toBe(1);
		await expect.poll(async () => (await named("killed")).length).toBe(1);
		running.kill();
		expect((await running.finished).code).toBe(137);
		test.server.faults.clear();
		expect((await test.stack.run(["cancel", "--yes", "--stack", test.stack.name])).code).toBe(0);
		expect(await test.refused()).toMatch(/run once with DATACHAIN_ADOPT_EQUAL=true/);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		const refresh = await test.stack.refresh(["--skip-preview", "--clear-pending-creates"]);
		expect(refresh.code, refresh.stdout).toBe(0);
		expect((await test.resource("killed")).id).toBe(String((await named("killed"))[0]?.id));
		expect(await named("killed")).toHaveLength(1);
		await test.expectSettled();
	});

	it("updates and deletes survive resets and 5xx by repeating", async () => {
		test.declare(schedule("unreadable", { cronExpression: "0 4 * * *" }), schedule("gone"));
		test.server.faults.add({ endpoint: "updateSchedule", kind: "reset-after", times: 1 });
		await test.up();
		expect((await named("unreadable"))[0]?.cron_expression).toBe("0 4 * * *");
		test.declare(schedule("kept"));
		test.server.faults.add({ endpoint: "deleteSchedule", kind: "reset-after", times: 1 });
		test.server.faults.add({ endpoint: "deleteSchedule", kind: "status", status: 500, times: 1 });
		await test.up();
		test.server.faults.clear();
		expect([...(await named("unreadable")), ...(await named("gone"))]).toEqual([]);
	});

	it.each<[string, FaultRule[]]>([
		[
			"a proxy's 404",
			[
				{ endpoint: "listSchedules", kind: "html", status: 404 },
				{ endpoint: "getSchedule", kind: "html", status: 404 },
			],
		],
		["a 403", [{ endpoint: "*", kind: "status", status: 403 }]],
	])("%s during refresh never drops the state", async (_what, rules) => {
		const { id } = await test.resource("kept");
		for (const rule of rules) test.server.faults.add(rule);
		const result = await test.stack.refresh(["--skip-preview"]);
		test.server.faults.clear();
		expect(result.code).not.toBe(0);
		expect((await test.resource("kept")).id).toBe(id);
	});

	it("a changed default team neither moves nor drops what is deployed", async () => {
		const { id } = await test.resource("kept");
		await test.withEnv({ DATACHAIN_STUDIO_TEAM: "another-team" }, async () => {
			expect((await test.stack.refresh(["--skip-preview"])).code).toBe(0);
			expect((await test.resource("kept")).id).toBe(id);
			expect(await test.refused()).toMatch(
				/is in team "vision", but the connection now names team "another-team"/,
			);
		});
		expect(await named("kept")).toHaveLength(1);
	});

	it("a connection that points to another service neither drops nor deletes anything", async () => {
		const { id } = await test.resource("kept");
		const other = await startServer({ token: test.server.token });
		const stranger = createClient(resolveConnection({ env: other.environment }));
		const made = await stranger.schedules.create({
			schedule_name: "a stranger under some id",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		});
		await test.withEnv({ DATACHAIN_STUDIO_URL: other.url }, async () => {
			const refresh = await test.stack.refresh(["--skip-preview"]);
			expect(refresh.code).not.toBe(0);
			expect(refresh.stdout).toMatch(/the connection now points to|another schedule under the same id/);
			expect((await test.resource("kept")).id).toBe(id);
			expect((await test.stack.destroy(["--skip-preview"])).code).not.toBe(0);
		});
		expect((await stranger.schedules.list()).map((item) => item.id)).toContain(made.schedule?.id);
		await stranger.close();
		await other.close();
		expect(await test.drift()).toBe("");
	});
});
