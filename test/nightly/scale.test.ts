import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const COUNT = 40;

describe("many schedules on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const declared: Declared[] = Array.from({ length: COUNT }, (_, i) => ({
		kind: "PipelineSchedule",
		name: `s${i}`,
		args: { pipelineName: "rusty-vise", cronExpression: `${i} 3 * * *` },
	}));

	it("are made with two requests each, under a stable name of project, stack and resource", async () => {
		test.declare(...declared);
		test.server.requests.clear();
		await test.up();
		// Two requests each, and a list for each few seconds that the deployment takes.
		expect(test.server.requests.count({ endpoint: "createSchedule" })).toBe(COUNT);
		expect(test.server.requests.count({ endpoint: "getSchedule" })).toBe(COUNT);
		expect(test.server.requests.count({ endpoint: "listSchedules" })).toBeLessThan(COUNT / 2);
		const names = (await test.client.schedules.list()).map((item) => item.schedule_name);
		expect(names).toContain("lifecycle-dev-s0");
		expect(new Set(names).size).toBe(COUNT + 1);
	});

	it("are refreshed with one list of schedules and one of pipelines", async () => {
		test.server.requests.clear();
		expect(await test.drift()).toBe("");
		expect(test.server.requests.entries.map(({ endpoint }) => endpoint).sort()).toEqual([
			"listPipelines",
			"listSchedules",
		]);
	});

	it("one that is missing from the list is confirmed by a direct read", async () => {
		const [victim] = (await test.client.schedules.list()).filter(
			(item) => item.schedule_name === "lifecycle-dev-s7",
		);
		await test.client.schedules.delete({ schedule_id: victim?.id ?? 0 });
		test.makeOld();
		test.server.requests.clear();
		expect(await test.drift()).toMatch(/PipelineSchedule: \(delete\)/);
		expect(test.server.requests.count({ endpoint: "getSchedule" })).toBe(1);
		await test.up(["--refresh"]);
		expect((await test.client.schedules.list()).length).toBe(COUNT + 1);
	});

	it("are updated with two requests each, and deleted with two", async () => {
		test.declare(...declared.map((one) => ({ ...one, args: { ...one.args, cronExpression: "0 4 * * *" } })));
		test.server.requests.clear();
		await test.up();
		expect(test.server.requests.count({ endpoint: "updateSchedule" })).toBe(COUNT);
		expect(test.server.requests.count({ endpoint: "getSchedule" })).toBe(COUNT);
		test.declare(...declared.slice(0, 1));
		test.server.requests.clear();
		await test.up();
		expect(test.server.requests.count({ endpoint: "deleteSchedule" })).toBe(COUNT - 1);
		// Each is read once afterwards: the one that stays to see its change, the others to see that they are gone.
		expect(test.server.requests.count({ endpoint: "getSchedule" })).toBe(COUNT);
	});

	it("know the line of the program that declares them, and nothing of the machine's folders", async () => {
		const found = await test.resource("s0");
		expect(found.sourcePosition).toMatch(/^project:\/\/\/index\.js#\d+,\d+$/);
		expect(found.stackTrace).toEqual([{ sourcePosition: found.sourcePosition }]);
	});

	it("cost few bytes of state each, none of them code", async () => {
		const { inputs, outputs } = await test.resource("s0");
		expect(String(outputs?.__provider)).toMatch(/^exports\.handler=.*pulumi-datachain\/provider/);
		expect(String(inputs?.__provider).length).toBeLessThan(200);
	});
});
