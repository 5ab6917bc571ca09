import { describe, expect, it } from "vitest";
import { pipelineSchema } from "../../src/schemas/pipeline";
import { type Api, testServer } from "../helpers/server-harness";

const STEP = 1_000;
const FINAL = "dev.images.final_result";

interface Run {
	name: string;
	status: string;
	job_id: string;
	created_job_id: string;
	parent_job_ids: string[];
}

async function trigger(api: Api, datasets: string[], review = false) {
	const made = await api.post("/pipeline/trigger", { datasets, review });
	expect(made.status, made.text).toBe(200);
	return { name: made.textAt("pipeline.name"), runs: made.at("pipeline.job_runs") as Run[], made };
}

const statusOf = async (api: Api, name: string) => {
	const reply = await api.get(`/pipeline/status?name=${name}`);
	return {
		status: reply.at("status"),
		runs: (reply.at("job_runs") as Run[]).map((run) => run.status),
		reply,
	};
};

describe("a triggered pipeline", () => {
	it("has a job for the dataset and for all it is made from, dependencies first", async () => {
		const { api } = await testServer();
		const { runs, made } = await trigger(api, [FINAL]);
		expect(runs.map((run) => run.name)).toEqual(["dev.images.raw", "dev.images.clean", FINAL]);
		expect(runs.map((run) => run.parent_job_ids)).toEqual([[], [runs[0]?.job_id], [runs[1]?.job_id]]);
		expect(made.at("pipeline.triggered_from")).toBe(`${FINAL}@1.0.2`);
		expect(made.textAt("pipeline.name")).toMatch(/^[a-z]+-[a-z]+$/);
		expect(pipelineSchema.parse(made.at("pipeline"))).toMatchObject({
			status: "RUNNING",
			completed: 0,
			total: 3,
		});
	});

	it("is one for all datasets listed, each job once", async () => {
		const { api } = await testServer();
		const { runs, made } = await trigger(api, [
			"final_result",
			"@data-eng.default.scratch@1.0.9",
			"dev.images.clean@v1.0.0",
		]);
		expect(runs.map((run) => run.name)).toEqual([
			"dev.images.raw",
			"dev.images.clean",
			FINAL,
			"@data-eng.default.scratch",
		]);
		expect(made.at("pipeline.triggered_from")).toBe(
			`${FINAL}@1.0.2, @data-eng.default.scratch@1.0.9, dev.images.clean@1.0.0`,
		);
	});

	it("runs each job when its dependencies are done, and leaves new versions", async () => {
		const { api, clock, url, token } = await testServer();
		const { name, runs } = await trigger(api, [FINAL]);
		clock.advance(STEP);
		expect((await statusOf(api, name)).runs).toEqual(["QUEUED", "PENDING", "PENDING"]);
		clock.advance(5 * STEP);
		expect((await statusOf(api, name)).runs).toEqual(["COMPLETE", "CREATED", "PENDING"]);
		clock.advance(60 * STEP);
		const ended = await statusOf(api, name);
		expect(ended.reply.json).toMatchObject({
			status: "COMPLETED",
			completed: 3,
			total: 3,
			error_message: null,
		});
		const query = `job_id=${runs[2]?.created_job_id}&team_name=vision`;
		const versions = await fetch(`${url}/api/datachain/datasets/dataset_job_versions?${query}`, {
			headers: { Authorization: `token ${token}` },
		});
		expect(await versions.json()).toEqual({ dataset_versions: [{ dataset_name: FINAL, version: "1.0.3" }] });
		expect((await trigger(api, [FINAL])).made.at("pipeline.triggered_from")).toBe(`${FINAL}@1.0.3`);
	});

	it("fails with the job that failed, and what depends on it never starts", async () => {
		const { api, clock } = await testServer();
		const { name } = await trigger(api, ["dev.images.thumbnails", "dev.images.clean"]);
		clock.advance(60 * STEP);
		const ended = await statusOf(api, name);
		expect(ended.status).toBe("FAILED");
		expect(ended.runs).toEqual(["COMPLETE", "FAILED", "COMPLETE"]);
		expect(ended.reply.textAt("error_message")).toContain("dev.images.thumbnails");
	});

	it("is canceled with the job that was canceled", async () => {
		const { api, clock } = await testServer();
		const { name, runs } = await trigger(api, [FINAL]);
		await api.post(`/jobs/${runs[0]?.created_job_id}/cancel`, {});
		clock.advance(5 * STEP);
		expect(await statusOf(api, name)).toMatchObject({
			status: "CANCELED",
			runs: ["CANCELED", "CANCELED", "CANCELED"],
		});
	});

	it("waits PAUSED for review, its jobs made but not begun, until it is resumed", async () => {
		const { api, clock } = await testServer();
		const { name, runs } = await trigger(api, [FINAL], true);
		clock.advance(60 * STEP);
		expect(await statusOf(api, name)).toMatchObject({
			status: "PAUSED",
			runs: ["PENDING", "PENDING", "PENDING"],
		});
		expect((await api.get(`/jobs/?job_id=${runs[0]?.created_job_id}`)).at("0.status")).toBe("PENDING");
		const resumed = await api.post("/pipeline/resume", { name });
		expect(resumed.at("pipeline.status")).toBe("RUNNING");
		clock.advance(60 * STEP);
		expect((await statusOf(api, name)).status).toBe("COMPLETED");
	});
});

describe("pausing", () => {
	it("lets running jobs end and starts no new ones, and repeating it changes nothing", async () => {
		const { api, clock } = await testServer();
		const { name } = await trigger(api, [FINAL]);
		clock.advance(2 * STEP);
		const first = await api.post("/pipeline/pause", { name });
		clock.advance(60 * STEP);
		expect(await statusOf(api, name)).toMatchObject({
			status: "PAUSED",
			runs: ["COMPLETE", "PENDING", "PENDING"],
		});
		const again = await api.post("/pipeline/pause", { name });
		expect(again.at("ok")).toBe(true);
		expect(first.at("pipeline.status")).toBe("PAUSED");
		await api.post("/pipeline/resume", { pipeline_id: again.at("pipeline.pipeline_id") });
		clock.advance(60 * STEP);
		expect((await statusOf(api, name)).status).toBe("COMPLETED");
	});

	it("of a finished pipeline shows until it is resumed, and then it is finished again", async () => {
		const { api } = await testServer();
		const pause = await api.post("/pipeline/pause", { name: "nightly-images" });
		expect(pause.at("pipeline.status")).toBe("PAUSED");
		const resume = await api.post("/pipeline/resume", { name: "nightly-images" });
		expect(resume.at("pipeline.status")).toBe("COMPLETED");
	});
});

describe("removing a job", () => {
	it("takes either of its ids, and what depended on it runs without it", async () => {
		const { api, clock } = await testServer();
		const { name, runs } = await trigger(api, [FINAL], true);
		const removed = await api.post("/pipeline/remove-job", { name, job_id: runs[1]?.created_job_id });
		expect(removed.at("pipeline")).toMatchObject({ total: 2 });
		expect(removed.at("pipeline.job_runs.1.parent_job_ids")).toEqual([]);
		await api.post("/pipeline/remove-job", { name, job_id: runs[0]?.job_id });
		await api.post("/pipeline/resume", { name });
		clock.advance(60 * STEP);
		expect(await statusOf(api, name)).toMatchObject({ status: "COMPLETED", runs: ["COMPLETE"] });
	});

	it("is refused unless the pipeline is paused and the job pending", async () => {
		const { api, clock } = await testServer();
		const { name, runs } = await trigger(api, [FINAL]);
		const remove = (job_id: string | undefined) => api.post("/pipeline/remove-job", { name, job_id });
		expect(await remove(runs[2]?.created_job_id)).toMatchObject({
			status: 409,
			json: { message: expect.stringMatching(/not paused/) },
		});
		clock.advance(2 * STEP);
		await api.post("/pipeline/pause", { name });
		expect(await remove(runs[0]?.created_job_id)).toMatchObject({
			status: 409,
			json: { message: expect.stringMatching(/PENDING/) },
		});
		expect(await remove("nope")).toMatchObject({ status: 404 });
	});
});

describe("the pipeline list", () => {
	it("is newest first, and filters by statuses and by name or source", async () => {
		const { api } = await testServer();
		const names = async (query: string) =>
			((await api.get(`/pipeline/list${query}`)).json as { name: string }[]).map((one) => one.name);
		expect(await names("")).toEqual(["swift-ridge", "quiet-harbor", "rusty-vise", "nightly-images"]);
		expect(await names("?status=PAUSED&status=failed")).toEqual(["quiet-harbor", "rusty-vise"]);
		expect(await names("?search=THUMB")).toEqual(["rusty-vise"]);
		expect(await names("?search=nightly&limit=1")).toEqual(["nightly-images"]);
		expect(await names("?limit=2")).toHaveLength(2);
	});

	it("has what status answers, which takes a name or an id", async () => {
		const { api } = await testServer();
		const [first] = (await api.get("/pipeline/list?search=rusty-vise")).json as { pipeline_id: string }[];
		expect((await api.get("/pipeline/status?name=rusty-vise")).json).toEqual(first);
		expect((await api.get(`/pipeline/status?pipeline_id=${first?.pipeline_id}`)).json).toEqual(first);
		expect((await api.get("/pipeline/status")).status).toBe(400);
	});
});
