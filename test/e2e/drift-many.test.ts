import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { driftJson } from "../helpers/drift-cli";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const MANAGED = 1_000;
const UNMANAGED = 200;
const ARGS = { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" };

describe("drift over a thousand schedules", () => {
	let test: TestDeployment;
	let place: { folder: string; env: NodeJS.ProcessEnv };
	beforeAll(async () => {
		test = await testDeployment();
		place = { folder: test.folder, env: test.stack.env };
		test.declare({ kind: "PipelineSchedule", name: "s0", args: ARGS });
		await test.up();
	});
	afterAll(() => test?.dispose());

	it("costs as many requests as over one", async () => {
		const requests = async () => {
			test.server.requests.clear();
			const { report, code } = await driftJson(place);
			expect(test.server.requests.entries.length).toBe(report.requests);
			return { requests: report.requests, code, summary: report.summary };
		};
		const one = await requests();
		await multiply(test);
		const many = await requests();
		console.log(
			`drift over 1 schedule: ${one.requests} requests; over ${MANAGED} managed and ${UNMANAGED} others: ${many.requests} requests`,
		);
		expect(one).toMatchObject({ requests: 2, code: 0, summary: { managed: 1, unchanged: 1 } });
		expect(many).toMatchObject({
			requests: 2,
			code: 0,
			summary: { managed: MANAGED, unchanged: MANAGED, unmanaged: one.summary.unmanaged + UNMANAGED },
		});
	});

	it("confirms one that is missing by asking for it directly", async () => {
		const [victim] = (await test.client.schedules.list()).filter((item) => item.schedule_name === "many-7");
		await test.client.schedules.delete({ schedule_id: victim?.id ?? 0 });
		test.server.requests.clear();
		const { report, code } = await driftJson(place);
		expect([code, report.missing.map(({ name, id }) => [name, id])]).toEqual([
			2,
			[["many-7", String(victim?.id)]],
		]);
		expect(test.server.requests.count({ endpoint: "getSchedule" })).toBe(1);
		expect(report.requests).toBe(4);
	});
});

/** Makes the other schedules, and writes them into the state as if `pulumi up` had made them. */
async function multiply(test: TestDeployment): Promise<void> {
	const make = (name: string) =>
		test.client.schedules.create({
			schedule_name: name,
			pipeline_name: ARGS.pipelineName,
			cron_expression: ARGS.cronExpression,
		});
	const numbers = Array.from({ length: MANAGED - 1 }, (_, index) => index + 1);
	const made = await Promise.all(numbers.map((number) => make(`many-${number}`)));
	await Promise.all(Array.from({ length: UNMANAGED }, (_, index) => make(`other-${index}`)));
	const state = await test.stack.export();
	const first = await test.resource("s0");
	for (const { schedule } of made) {
		if (!schedule) throw new Error("a schedule was made without a reply");
		const name = schedule.schedule_name ?? "";
		const own = { scheduleName: name, scheduleId: schedule.id, createdAt: schedule.created_at };
		state.deployment.resources?.push({
			...first,
			urn: first.urn.replace(/s0$/, name),
			id: String(schedule.id),
			inputs: { ...first.inputs, scheduleName: name },
			// An hour old: what is younger than a minute and missing is asked for with patience.
			outputs: { ...first.outputs, ...own, __made: Date.now() - 3_600_000 },
		});
	}
	const file = join(test.stack.folder, "state.json");
	writeFileSync(file, JSON.stringify(state));
	const { code, stderr } = await test.stack.run([
		"stack",
		"import",
		"--stack",
		test.stack.name,
		"--file",
		file,
	]);
	if (code !== 0) throw new Error(`pulumi stack import failed (${code}): ${stderr}`);
}
