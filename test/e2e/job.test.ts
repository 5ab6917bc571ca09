import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { eventually } from "../helpers/server-harness";

const HOLD = "# local-server: hold\n";
const job = (args: object, name = "train"): Declared => ({ kind: "Job", name, args: { ...args } });

describe("Job, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 100 });
	});
	afterAll(() => test?.dispose());

	const jobs = async (name = "train") =>
		(await test.client.jobs.list({ limit: 200 })).filter((each) => each.name === name);
	const statusOf = async (name?: string) => (await jobs(name))[0]?.status;

	it("runs a file, shows status and log lines without its secrets, and settles", async () => {
		writeFileSync(join(test.folder, "train.py"), 'print("epoch 1")\nprint("key sesame-open-42")\n');
		test.declare(
			job({
				file: "./train.py",
				name: "train",
				environment: { KEY: { $secret: "sesame-open-42" } },
				wait: true,
			}),
		);
		expect(await test.preview()).toMatch(/Job {1,4}train {1,4}create/);
		expect(await jobs()).toEqual([]);
		const { stdout } = await test.up();
		expect(stdout).toMatch(/train: job [0-9a-f-]{36} is RUNNING/);
		// With the job, not with the stack.
		expect(stdout).toMatch(/\n {2}\S+:Job \(train\):\s+train: job /);
		expect(stdout).toContain("train | epoch 1");
		expect(stdout).toContain("train | key [redacted]");
		expect((await test.resource("train")).outputs).toMatchObject({ status: "COMPLETE", queryType: "PYTHON" });
		await test.expectSettled();
		expect(await jobs()).toHaveLength(1);
		expect(test.printed()).not.toContain("sesame-open-42");
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain("sesame-open-42");
	});

	it("Ctrl-C ends the wait at once, leaves the job running and keeps its id; the next deployment goes on", async () => {
		test.declare(job({ query: HOLD, wait: true }, "held"));
		const up = test.stack.start("up", ["--skip-preview"]);
		await eventually(async () => ((await statusOf("held")) === "RUNNING" ? true : undefined), 60_000);
		const pressed = performance.now();
		up.interrupt();
		const { code, stdout } = await up.finished;
		expect(performance.now() - pressed).toBeLessThan(15_000);
		expect(code).not.toBe(0);
		expect(stdout).toMatch(/is RUNNING, and the deployment was interrupted/);
		const { id } = await test.resource("held");
		expect((await jobs("held")).map((each) => [each.id, each.status])).toEqual([[id, "RUNNING"]]);
		test.declare(job({ query: HOLD }, "held"));
		await test.up();
		expect((await test.resource("held")).id).toBe(id);
		expect(await jobs("held")).toHaveLength(1);
	});
});
