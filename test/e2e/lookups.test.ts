import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { addPlugin } from "../helpers/engine";

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const datachain = require("pulumi-datachain");
module.exports = async () => {
	const many = await Promise.all(Array.from({ length: 200 }, () => datachain.getComputeClusters()));
	const made = new datachain.PipelineSchedule("made", { pipelineName: "quiet-harbor", cronExpression: "0 3 * * *" });
	const own = new datachain.Provider("own", { teamName: "vision" });
	const failed = (lookup) => lookup.then(() => "no error", (error) => error.message);
	return {
		many: many.length,
		active: (await datachain.getComputeClusters({ isActive: true })).computeClusters.map((c) => c.name),
		gcp: (await datachain.getComputeClusters({ cloudProvider: "gcp" })).computeClusters.map((c) => c.id),
		inactive: (await datachain.getComputeClusters({ status: "inactive", name: "legacy-gcp" })).computeClusters.length,
		byDefault: (await datachain.getComputeCluster({ default: true })).name,
		byOutput: datachain.getComputeClusterOutput({ name: pulumi.output("gpu") }).apply((c) => c.maxWorkers),
		none: await failed(datachain.getComputeCluster({ name: "nope" })),
		several: await failed(datachain.getComputeCluster({ isActive: true })),
		schedules: (await datachain.getSchedules({ createdBy: "ops-oncall" })).schedules.map((s) => s.scheduleName),
		schedule: (await datachain.getSchedule({ scheduleName: "nightly-images-by-hand" })).pipeline.name,
		latestRun: datachain.getScheduleOutput({ scheduleId: 1 }).apply((s) => s.latestRun.name),
		made: datachain.getScheduleOutput({ scheduleName: made.scheduleName }).apply((s) => s.cronExpression),
		pipelines: (await datachain.getPipelines({ status: "paused" })).pipelines.map((p) => p.name),
		pipeline: (await datachain.getPipeline({ name: "nightly-images" })).pythonVersion,
		names: datachain.getPipelineOutput({ name: "nightly-images" }).environmentNames,
		environment: (await datachain.getPipeline({ name: "nightly-images", withEnvironment: true })).environmentVariables,
		environmentOfOutput: datachain.getPipelineOutput({ name: "nightly-images", withEnvironment: true }).environmentVariables,
		missing: await failed(datachain.getPipeline({ name: "nope" })),
		byId: datachain.PipelineSchedule.get("by-hand", "1").scheduleName,
		settingsById: datachain.PipelineSettings.get("nightly", "vision/nightly-images").pipelineId.apply((id) => id.length),
		jobs: (await datachain.getJobs({ status: "active" })).jobs.length,
		byProvider: datachain
			.getPipelinesOutput({ status: ["paused"] }, { provider: own })
			.pipelines.apply((all) => all.map(({ name }) => name)),
		teamOfProvider: own.teamName,
		wrongToken: await failed(datachain.getComputeClusters({}, { connection: { token: "not-the-token" } })),
	};
};
`;

describe("lookups in a program on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ program: PROGRAM, jobStepMillis: 600_000 });
		addPlugin(test.folder);
		await test.client.pipelines.settings({
			pipeline_name: "nightly-images",
			environment: "KEY=canary-lookup",
		});
	});
	afterAll(() => test?.dispose());

	it("work in a preview, and two hundred of one kind cost one request", async () => {
		test.server.requests.clear();
		await test.preview();
		expect(test.server.requests.count({ endpoint: "listClusters", status: 200 })).toBe(
			1,
		);
	});

	it("find, filter and refuse as documented", async () => {
		await test.up();
		expect(await test.stack.outputs()).toMatchObject({
			many: 200,
			active: ["default", "gpu"],
			gcp: ["k3f9x2mq7a"],
			inactive: 1,
			byDefault: "default",
			byOutput: 4,
			none: expect.stringMatching(
				/^No compute cluster matches {"name":"nope"}\. There are "default" \(id 1, ACTIVE, default\)/,
			),
			several: expect.stringMatching(
				/^2 compute clusters match .* They are "default".*, "gpu".*Ask for exactly one/,
			),
			schedules: ["nightly-images-by-hand"],
			schedule: "nightly-images",
			made: "0 3 * * *",
			latestRun: "swift-ridge",
			pipelines: ["quiet-harbor"],
			pipeline: "3.12",
			names: ["KEY"],
			environment: { KEY: "canary-lookup" },
			environmentOfOutput: { KEY: "canary-lookup" },
			missing: expect.stringMatching(/has no pipeline "nope"\. It has .*"rusty-vise"/),
			byId: "nightly-images-by-hand",
			settingsById: 36,
			jobs: expect.any(Number),
			byProvider: ["quiet-harbor"],
			teamOfProvider: "vision",
			wrongToken: expect.stringMatching(/401/),
		});
	});

	it("keep the environment of pipelines secret", () => {
		expect(JSON.stringify(test.stack.checkpoint())).not.toMatch(/canary-lookup/);
		expect(test.printed()).not.toMatch(/canary-lookup|not-the-token/);
	});
});
