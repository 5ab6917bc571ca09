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
		expect(stdout).toContain("train | epoch 1");
		expect(stdout).toContain("train | key [redacted]");
		expect((await test.resource("train")).outputs).toMatchObject({ status: "COMPLETE", queryType: "PYTHON" });
		await test.up(["--expect-no-changes"]);
		expect(await test.drift()).toBe("");
		expect(await jobs()).toHaveLength(1);
		expect(test.printed()).not.toContain("sesame-open-42");
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain("sesame-open-42");
	});

	it("a failing job fails the deployment with its error and last lines; mended, the next one runs it again", async () => {
		test.declare(job({ query: 'print("no disk")\nraise SystemExit(3)\n', wait: true }, "fails"));
		const said = await test.refused();
		expect(said).toMatch(/Job "fails" \(id .*\) in team "vision" ended as FAILED with exit code 3/);
		expect(said).toMatch(/The last lines of its log:[\s\S]* no disk/);
		test.declare(job({ query: 'print("disk")\n', wait: true }, "fails"));
		await test.up();
		await test.expectSettled();
		expect((await jobs("fails")).map(({ status }) => status)).toEqual(["COMPLETE", "FAILED"]);
	});

	it("a job that does not end in time fails the deployment, runs on, and is waited for again", async () => {
		test.declare(job({ query: HOLD, wait: true, timeout: "3s" }, "long"));
		expect(await test.refused()).toMatch(/is RUNNING, and it did not end within 3 s, which is its timeout/);
		const { id } = await test.resource("long");
		expect(await statusOf("long")).toBe("RUNNING");
		expect(await test.refused()).toMatch(/did not end within 3 s/);
		expect((await test.resource("long")).id).toBe(id);
		expect(await jobs("long")).toHaveLength(1);
		test.declare();
		await test.up();
		expect(await statusOf("long")).toMatch(/^CANCEL/);
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

	it("killed while it waits, the job is refused beside itself, and taken over with consent", async () => {
		test.declare(job({ query: HOLD, wait: true }, "killed"));
		const up = test.stack.start("up", ["--skip-preview"]);
		await eventually(async () => ((await statusOf("killed")) === "RUNNING" ? true : undefined), 60_000);
		up.kill();
		await up.finished;
		await test.stack.run(["cancel", "--yes", "--stack", test.stack.name]);
		test.declare(job({ query: HOLD }, "killed"));
		expect(await test.refused()).toMatch(/an interrupted deployment left it/);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		const [only, ...others] = await jobs("killed");
		expect(others).toEqual([]);
		expect((await test.resource("killed")).id).toBe(only?.id);
	});

	it("lost replies make no second job, and a full house of 50 jobs at once runs each of them once", async () => {
		for (const kind of ["reset-after", "truncated-json"] as const)
			test.server.faults.add({ endpoint: "createJob", kind, times: 1 });
		test.server.faults.add({ endpoint: "createJob", kind: "status", status: 429, retryAfter: 1, times: 2 });
		const names = Array.from({ length: 50 }, (_, index) => `at-once-${index}`);
		const before = test.server.requests.count({ endpoint: "createJob" });
		test.declare(...names.map((name) => job({ query: `print("${name} speaks")`, wait: true }, name)));
		const { stdout } = await test.up();
		for (const name of names) {
			expect((await jobs(name)).map(({ status }) => status)).toEqual(["COMPLETE"]);
			expect(stdout).toContain(`${name} | ${name} speaks`);
		}
		// Two were refused by the limiter before any work, and are the only ones that were sent again.
		expect(test.server.requests.count({ endpoint: "createJob" }) - before).toBe(52);
		await test.expectSettled();
	});

	it("destroy cancels what runs and leaves alone what has ended", async () => {
		test.declare(job({ query: HOLD }, "running"), job({ query: "print(1)", wait: true }, "ended"));
		await test.up();
		const result = await test.stack.destroy(["--skip-preview"]);
		expect(result.code).toBe(0);
		expect(await statusOf("running")).toMatch(/^CANCEL/);
		expect(await statusOf("ended")).toBe("COMPLETE");
	});
});
