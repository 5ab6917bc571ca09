import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/board/snapshot";
import { startCli } from "../helpers/drift-cli";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { eventually } from "../helpers/server-harness";

describe("pulumi-datachain board in the folder of a Pulumi project", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 50 });
		test.declare({
			kind: "PipelineSchedule",
			name: "berlin",
			args: {
				scheduleName: "berlin",
				pipelineName: "nightly-images",
				cronExpression: "0 3 * * *",
				timeZone: "Europe/Berlin",
			},
		});
		await test.up();
		test.makeOld();
	});
	afterAll(() => test?.dispose());

	it("shows who manages a schedule, its time in its own zone, drift and unmanaged objects, and ends with Ctrl-C", async () => {
		const [managed] = (await test.client.schedules.list()).filter(
			({ schedule_name }) => schedule_name === "berlin",
		);
		await test.client.schedules.update({ schedule_id: managed?.id ?? 0, cron_expression: "0 9 * * *" });
		const lines: string[] = [];
		const place = { folder: test.folder, env: test.stack.env };
		const running = startCli(place, ["board", "--stack", "dev", "--no-open"], (line) => lines.push(line));
		const address = new URL(await eventually(() => lines[0], 60_000));
		expect(address.hostname).toBe("127.0.0.1");
		const key = address.searchParams.get("key") ?? "";
		const answer = await eventually(async () => {
			const reply = await fetch(`${address.origin}/board/data`, { headers: { "x-board-key": key } });
			const found = (await reply.json()) as Answer;
			return found.stack === null ? undefined : found;
		}, 120_000);
		expect(answer.typing).toMatchObject({ stack: "dev" });
		expect(answer.rows.schedules?.find(({ name }) => name === "berlin")).toMatchObject({
			managedBy: "dev / berlin",
			zone: "Europe/Berlin",
			words: "every day at 03:00 Europe/Berlin",
		});
		const texts = answer.rows.attention?.map(({ kind, text }) => `${kind}: ${text}`).join("\n");
		expect(texts).toMatch(/drift: PipelineSchedule "berlin" differs from the stack: utcCron/);
		expect(texts).toMatch(
			/unmanaged: No stack resource manages schedule "nightly-images-by-hand", created by ops-oncall/,
		);
		expect(JSON.stringify(answer)).not.toContain(test.server.token);
		running.interrupt();
		expect((await running.finished).code).toBe(0);
	});
});
