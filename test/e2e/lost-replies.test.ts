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

	const faults: [string, FaultRule][] = [
		["reset after the work was done", { endpoint: "createSchedule", kind: "reset-after", times: 1 }],
		["reset before it", { endpoint: "createSchedule", kind: "reset-before", times: 1 }],
		[
			"work done two seconds after the reset",
			{ endpoint: "createSchedule", kind: "late-commit", ms: 2000, times: 1 },
		],
		["broken JSON", { endpoint: "createSchedule", kind: "truncated-json", times: 1 }],
		["500", { endpoint: "createSchedule", kind: "status", status: 500, times: 1 }],
		[
			"429 with Retry-After",
			{ endpoint: "createSchedule", kind: "status", status: 429, retryAfter: 1, times: 2 },
		],
		["a proxy's 502 page", { endpoint: "createSchedule", kind: "html", status: 502, times: 1 }],
	];

	it.each(faults)(
		"a create with %s ends, at the latest with the next up, in exactly one schedule",
		async (what, rule) => {
			const name = `lost-${what.replace(/\W+/g, "-")}`;
			test.declare(schedule(name));
			const remove = test.server.faults.add(rule);
			const first = await test.stack.up(["--skip-preview"]);
			remove();
			if (first.code !== 0) {
				expect(first.stdout).toMatch(/Could not tell whether schedule .* was created/);
				await test.up();
			}
			expect(await named(name)).toHaveLength(1);
		},
	);

	it("a create that cannot be read back keeps its id, and the next up goes on with it", async () => {
		test.declare(schedule("unreadable"));
		const remove = test.server.faults.add({ endpoint: "getSchedule", kind: "status", status: 503 });
		const first = await test.stack.up(["--skip-preview"]);
		remove();
		expect(first.code).not.toBe(0);
		expect(first.stdout).toMatch(/was created in team "vision", but could not be verified/);
		const [made] = await named("unreadable");
		expect((await test.resource("unreadable")).id).toBe(String(made?.id));
		await test.up();
		expect(await named("unreadable")).toHaveLength(1);
		await test.expectSettled();
	});

	it("updates and deletes survive resets and 5xx by repeating", async () => {
		test.declare(schedule("unreadable", { cronExpression: "0 4 * * *" }));
		test.server.faults.add({ endpoint: "updateSchedule", kind: "reset-after", times: 1 });
		test.server.faults.add({ endpoint: "deleteSchedule", kind: "status", status: 500, times: 2 });
		await test.up();
		expect((await named("unreadable"))[0]?.cron_expression).toBe("0 4 * * *");
		test.declare();
		await test.up();
		expect(await named("unreadable")).toEqual([]);
		test.server.faults.clear();
	});

	it("a delete whose first reply was lost still succeeds", async () => {
		test.declare(schedule("gone"));
		await test.up();
		test.server.faults.add({ endpoint: "deleteSchedule", kind: "reset-after", times: 1 });
		test.declare();
		await test.up();
		expect(await named("gone")).toEqual([]);
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
		["an outage", [{ endpoint: "*", kind: "status", status: 500 }]],
		[
			"an empty list with a 404 for pages",
			[
				{ endpoint: "getSchedule", kind: "html", status: 404 },
				{ endpoint: "listPipelines", kind: "html", status: 502 },
			],
		],
	])("%s during refresh never drops the state", async (_what, rules) => {
		test.declare(schedule("kept"));
		await test.up();
		const { id } = await test.resource("kept");
		for (const rule of rules) test.server.faults.add(rule);
		const result = await test.stack.refresh(["--skip-preview"]);
		test.server.faults.clear();
		expect(result.code).not.toBe(0);
		expect((await test.resource("kept")).id).toBe(id);
	});

	it("a changed default team neither moves nor drops what is deployed", async () => {
		const { id } = await test.resource("kept");
		const other = { ...test.stack.env, DATACHAIN_STUDIO_TEAM: "another-team" };
		Object.assign(test.stack.env, other);
		try {
			expect((await test.stack.refresh(["--skip-preview"])).code).toBe(0);
			expect((await test.resource("kept")).id).toBe(id);
			const up = await test.stack.up(["--skip-preview"]);
			expect(up.stdout).toMatch(/is in team "vision", but the connection now names team "another-team"/);
			expect(await named("kept")).toHaveLength(1);
		} finally {
			test.stack.env.DATACHAIN_STUDIO_TEAM = "vision";
		}
	});

	it("a connection that points to another service neither drops nor deletes anything", async () => {
		const { id } = await test.resource("kept");
		const other = await startServer({ token: test.server.token });
		const { schedule: stranger } = await createClient(
			resolveConnection({ env: other.environment }),
		).schedules.create({
			schedule_name: "a stranger under some id",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		});
		test.stack.env.DATACHAIN_STUDIO_URL = other.url;
		try {
			const refresh = await test.stack.refresh(["--skip-preview"]);
			expect(refresh.code).not.toBe(0);
			expect(refresh.stdout).toMatch(/the connection now points to|another schedule under the same id/);
			expect((await test.resource("kept")).id).toBe(id);
			const destroy = await test.stack.destroy(["--skip-preview"]);
			expect(destroy.code).not.toBe(0);
			const left = await createClient(resolveConnection({ env: other.environment })).schedules.list();
			expect(left.map((item) => item.id)).toContain(stranger?.id);
		} finally {
			test.stack.env.DATACHAIN_STUDIO_URL = test.server.url;
			await other.close();
		}
		expect((await test.stack.refresh(["--preview-only", "--expect-no-changes"])).code).toBe(0);
	});
});
