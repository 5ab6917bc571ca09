import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { managedResources } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const nightly = (args: object = {}, name = "nightly", opts?: object): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: "nightly", pipelineName: "rusty-vise", cronExpression: "0 3 * * *", ...args },
	...(opts && { opts: { ...opts } }),
});

describe("a schedule that already exists", () => {
	let test: TestDeployment;
	let theirs: number;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());
	beforeEach(async () => {
		if (managedResources(await test.stack.export()).length > 0) {
			expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		}
		for (const item of await test.client.schedules.list())
			await test.client.schedules.delete({ schedule_id: item.id });
		const made = await test.client.schedules.create({
			schedule_name: "nightly",
			pipeline_name: "rusty-vise",
			cron_expression: "30 1 * * *",
		});
		theirs = made.schedule?.id ?? 0;
	});

	const ids = async () => (await test.client.schedules.list()).map((item) => item.id);

	it("is refused at preview with its id and creator, and left alone", async () => {
		test.declare(nightly());
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(
			new RegExp(`already exists in team "vision" \\(id ${theirs}, created by developer\\)`),
		);
		expect(result.stdout).toMatch(/cronExpression is 30 1 \* \* \* there and 0 3 \* \* \* here/);
		expect(await ids()).toEqual([theirs]);
	});

	it("is taken over with adopt, not recreated, and the preview says what will change", async () => {
		test.declare(nightly({ adopt: true }));
		const preview = await test.stack.preview();
		expect(preview.stdout).toMatch(
			/Adopting schedule "nightly" .* will change cronExpression: 30 1 \* \* \* => 0 3 \* \* \*/,
		);
		await test.up();
		expect(await ids()).toEqual([theirs]);
		expect((await test.client.schedules.get({ schedule_id: theirs })).cron_expression).toBe("0 3 * * *");
		expect((await test.resource("nightly")).outputs).toMatchObject({ adopted: true, scheduleId: theirs });
		await test.expectSettled();
	});

	it("is taken over without adopt where it equals the declared one in every field, and nothing is written", async () => {
		test.server.requests.clear();
		test.declare(nightly({ cronExpression: "30 1 * * *" }));
		await test.up();
		expect(await ids()).toEqual([theirs]);
		expect((await test.resource("nightly")).id).toBe(String(theirs));
		expect(test.server.requests.count({ method: "POST" })).toBe(0);
	});

	it("on another pipeline cannot be adopted, and the error says so", async () => {
		test.declare(nightly({ adopt: true, pipelineName: "nightly-images" }));
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(/runs pipeline "rusty-vise", not "nightly-images"/);
	});

	it("twice under one name is an error that lists ids, creators and pipelines", async () => {
		const twin = await test.client.schedules.create({
			schedule_name: "nightly",
			pipeline_name: "nightly-images",
			cron_expression: "@daily",
		});
		test.declare(nightly({ adopt: true }));
		const result = await test.stack.up(["--skip-preview"]);
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(
			new RegExp(
				`id ${theirs} by developer on pipeline "rusty-vise"; id ${twin.schedule?.id} by developer on pipeline "nightly-images"`,
			),
		);
		expect(await ids()).toHaveLength(2);
	});

	it("stays the same one when the resource is renamed in the program", async () => {
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare(nightly({}, "renamed"));
		await test.up();
		expect(await ids()).toEqual([theirs]);
		expect((await test.resource("renamed")).id).toBe(String(theirs));
		await test.expectSettled();
	});

	it("stays the same one when the renamed resource carries an alias", async () => {
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare(nightly({}, "renamed", { aliases: [{ name: "nightly" }] }));
		await test.up();
		expect(await ids()).toEqual([theirs]);
		await test.expectSettled();
	});

	it("is deleted by up --refresh once the program no longer has it", async () => {
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare();
		await test.up(["--refresh"]);
		expect(await ids()).toEqual([]);
	});

	it("is not lost when a replacement is told to create before it deletes", async () => {
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare(
			nightly({ adopt: true, pipelineName: "nightly-images" }, "nightly", { deleteBeforeReplace: false }),
		);
		const result = await test.stack.up(["--skip-preview"]);
		// Either order may win; what must never happen is that no schedule is left while the state says there is one.
		const state = result.code === 0 ? (await test.resource("nightly")).id : String(theirs);
		expect((await ids()).map(String)).toContain(state);
	});

	it("two resources with one name make one schedule, and the second is refused", async () => {
		await test.client.schedules.delete({ schedule_id: theirs });
		test.declare(nightly(), nightly({}, "twin"));
		const result = await test.stack.up(["--skip-preview"]);
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(/already managed by another resource of this program/);
		expect(await ids()).toHaveLength(1);
	});

	it("is left on the service with retainOnDelete, and kept by protect", async () => {
		test.declare(nightly({ adopt: true }, "nightly", { retainOnDelete: true }));
		await test.up();
		test.declare();
		await test.up();
		expect(await ids()).toEqual([theirs]);
		test.declare(nightly({ adopt: true }, "nightly", { protect: true }));
		await test.up();
		expect((await test.stack.destroy(["--skip-preview"])).code).not.toBe(0);
		expect(await ids()).toEqual([theirs]);
		test.declare(nightly({ adopt: true }, "nightly", { protect: false }));
		await test.up();
	});
});
