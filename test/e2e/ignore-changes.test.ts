import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const schedule = (scheduleName: string): Declared => ({
	kind: "PipelineSchedule",
	name: "nightly",
	args: { scheduleName, pipelineName: "rusty-vise", cronExpression: "0 3 * * *", timeZone: "Asia/Tokyo" },
	opts: { ignoreChanges: ["cronExpression"] },
});

const settings = (workers: number): Declared => ({
	kind: "PipelineSettings",
	name: "settings",
	args: {
		pipelineName: "rusty-vise",
		workers,
		priority: 1,
		environment: { MODE: "fast" },
		storage: { s3: { anon: false, key: "k", secret: "s" } },
		adopt: true,
	},
	opts: { ignoreChanges: ["environment", "storage", "priority"] },
});

describe("ignoreChanges, on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		test.declare(schedule("before"), settings(1));
		await test.up();
	});
	afterAll(() => test?.dispose());

	const live = async () => {
		const [only] = (await test.client.schedules.list()).filter(
			({ created_by }) => created_by?.username === "developer",
		);
		const { environment_variables, priority, workers } = await test.client.pipelines.status({
			name: "rusty-vise",
		});
		return {
			name: only?.schedule_name,
			cron: only?.cron_expression,
			environment_variables,
			priority,
			workers,
		};
	};

	it("leaves to others what they set, whatever it is, beside changes of our own", async () => {
		const { id } = await test.resource("nightly");
		await test.client.schedules.update({ schedule_id: Number(id), cron_expression: "9 9 * * *" });
		const theirs = { MODE: "slow", "their-var": "1", FSSPEC_S3: '{"anon":true,"made_up":1}' };
		const environment = Object.entries(theirs)
			.map((pair) => pair.join("="))
			.join("\n");
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", priority: 4, environment });
		test.declare(schedule("after"), settings(2));
		await test.up(["--refresh"]);
		const expected = {
			name: "after",
			cron: "9 9 * * *",
			environment_variables: theirs,
			priority: 4,
			workers: 2,
		};
		expect(await live()).toEqual(expected);
		await test.expectSettled();
		test.declare(schedule("later"), settings(3));
		await test.up();
		expect(await live()).toEqual({ ...expected, name: "later", workers: 3 });
	});
});
