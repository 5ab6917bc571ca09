import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { pythonClient, runClient } from "../helpers/python-client";

const problem = pythonClient.problem();
if (problem !== undefined) {
	if (process.env.CI === "true") throw new Error(`The Python client cannot be asked: ${problem}.`);
	console.warn(`SKIPPED: what the service's own Python client sees of runs, because ${problem}.`);
}

describe.skipIf(problem !== undefined)("the service's own Python client sees what was made", () => {
	let test: TestDeployment;
	let datachain: (...args: string[]) => Promise<string>;
	beforeAll(async () => {
		const python = await pythonClient.python();
		test = await testDeployment({ jobStepMillis: 100 });
		const config = join(test.folder, "config");
		mkdirSync(config);
		// `job logs` looks for the token here only.
		const { token, url } = test.server;
		writeFileSync(join(config, "config"), `[studio]\ntoken = "${token}"\nurl = "${url}"\n`);
		const env = {
			PATH: process.env.PATH,
			HOME: test.folder,
			DATACHAIN_GLOBAL_CONFIG_DIR: config,
			DATACHAIN_SYSTEM_CONFIG_DIR: join(test.folder, "system"),
			DATACHAIN_NO_ANALYTICS: "1",
			...test.server.environment,
		};
		datachain = async (...args) => {
			const { stdout, stderr, code } = await runClient(python, args, { cwd: test.folder, env });
			return `${code}\n${stdout}${stderr}`;
		};
	});
	afterAll(() => test?.dispose());

	it("the job with its log, and the pipelines with their state and their jobs", async () => {
		test.declare(
			{
				kind: "Job",
				name: "hello",
				args: { query: 'print("hello from the deployment")', name: "hello.py", wait: true },
			},
			{ kind: "Pipeline", name: "images", args: { datasets: ["dev.images.clean"] } },
			{ kind: "Pipeline", name: "raw", args: { datasets: ["dev.images.raw"], start: true, wait: true } },
		);
		await test.up();
		const [job, images, raw] = await Promise.all(
			["hello", "images", "raw"].map((name) => test.resource(name)),
		);
		const listed = await datachain("job", "ls", "--limit", "20");
		expect(listed).toMatch(/^0\n/);
		expect(listed).toContain("hello.py");
		const log = await datachain("job", "logs", String(job?.id));
		expect(log).toContain("hello from the deployment");
		expect(log).toContain("Job is now in COMPLETE status");
		const paused = await datachain("pipeline", "status", String(images?.outputs?.name));
		expect(paused).toContain("Status: PAUSED");
		expect(paused).toContain("Progress: 0/2 jobs completed");
		expect(await datachain("pipeline", "status", String(raw?.outputs?.name))).toContain("Status: COMPLETED");
	});
});
