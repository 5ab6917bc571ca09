import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

describe("the log of a job that a deployment waits for", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 3_000 });
	});
	afterAll(() => test?.dispose());

	it("comes through 20 forced disconnects and slow handshakes with each line once and in order", async () => {
		// Before anything was said, and after some of it: none of the twenty lives to tell the end.
		const cuts = [
			{ kind: "drop-log-socket" as const, frames: 1, times: 6 },
			{ kind: "drop-log-socket" as const, frames: 0, times: 7 },
			{ kind: "drop-log-socket" as const, frames: 1, times: 7 },
		];
		for (const cut of cuts) test.server.faults.add({ ...cut, endpoint: "followLogs" });
		test.server.faults.add({ kind: "delay", ms: 400, endpoint: "followLogs", times: 21 });
		test.declare({ kind: "Job", name: "talks", args: { query: "# local-server: lines=300\n", wait: true } });
		const { stdout } = await test.up();
		const [live = "", diagnostics = ""] = stdout.split("Diagnostics:");
		const wanted = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
		for (const shown of [live, diagnostics]) {
			const lines = [...shown.matchAll(/talks \| (line \d+)/g)].map(([, line]) => line);
			expect(lines).toEqual(wanted);
		}
		const follows = test.server.requests.entries.filter(({ path }) => path === "/api/logs/follow/");
		expect(follows.length).toBeGreaterThan(20);
	});
});
