import { describe, expect, it } from "vitest";
import { type Api, send, testServer } from "../helpers/server-harness";

/** What happens by itself, and what no test of a client looks at. */
const job = { query: 'print("hello")\n', query_type: "PYTHON" };
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

const PIPELINE = "rusty-vise";

async function create(api: Api, values: object = { cron_expression: "0 3 * * *" }) {
	const made = await api.post("/pipeline/create-schedule", {
		schedule_name: "nightly",
		pipeline_name: PIPELINE,
		...values,
	});
	expect(made.status, made.text).toBe(200);
	return made;
}

const get = (api: Api, id: unknown) => api.get(`/pipeline/schedule?team_name=vision&schedule_id=${id}`);

async function runsOf(
	api: Api,
	name: string,
): Promise<{ name: string; schedule_name: string; status: string }[]> {
	const { json } = await api.get("/pipeline/list?limit=1000");
	return (json as { name: string; schedule_name: string; status: string }[]).filter(
		(one) => one.schedule_name === name,
	);
}

describe("a job", () => {
	it("moves through its states by the clock, and its log grows", async () => {
		const { api, clock } = await testServer();
		const made = await api.post("/jobs/", job);
		expect(made.at("status")).toBe("CREATED");
		const id = made.textAt("id");
		const seen: unknown[] = [];
		for (let step = 0; step < 7; step++) {
			const now = await api.get(`/jobs/?job_id=${id}`);
			if (seen.at(-1) !== now.at("0.status")) seen.push(now.at("0.status"));
			clock.advance(STEP);
		}
		expect(seen).toEqual(["CREATED", "QUEUED", "INIT", "RUNNING", "COMPLETE"]);
		const logs = await api.get(`/jobs/${id}/logs`);
		expect(logs.at("logs.2")).toEqual({ id: 3, message: "hello\n" });
		const ended = await api.get(`/jobs/?job_id=${id}`);
		expect(ended.at("0")).toMatchObject({
			exit_code: 0,
			error_message: null,
			finished_at: "2026-01-01T00:00:06.000000+00:00",
		});
	});

	it("with a cron becomes a task that makes a job each time, until it is canceled", async () => {
		const { api, clock } = await testServer();
		const task = await api.post("/jobs/", { ...job, query_name: "hourly.py", cron_expression: "@hourly" });
		expect(task.at("status")).toBe("SCHEDULED");
		const id = task.textAt("id");
		const runs = async () => {
			const { json } = await api.get("/jobs/?limit=100");
			return (json as { parent_job_id: string }[]).filter((one) => one.parent_job_id === id).length;
		};
		clock.set("2026-01-01T03:00:30Z");
		expect(await runs()).toBe(3);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("TASK");
		expect((await api.post(`/jobs/${id}/cancel`, {})).status).toBe(200);
		clock.set("2026-01-01T09:00:30Z");
		expect(await runs()).toBe(3);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("CANCELED");
	});

	it("with a start time alone runs once, then", async () => {
		const { api, clock } = await testServer();
		const task = await api.post("/jobs/", { ...job, start_after: "2026-01-01T01:00:00" });
		clock.set("2026-01-01T00:59:59Z");
		expect((await api.get(`/jobs/?job_id=${task.textAt("id")}`)).at("0.status")).toBe("SCHEDULED");
		clock.set("2026-01-03T00:00:00Z");
		const { json } = await api.get("/jobs/?limit=100");
		const runs = (json as { parent_job_id: string; status: string }[]).filter(
			(one) => one.parent_job_id === task.at("id"),
		);
		expect(runs).toMatchObject([{ status: "COMPLETE" }]);
	});
});

describe("a triggered pipeline", () => {
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
		expect(await versions.json()).toEqual({ dataset_versions: [{ dataset_name: FINAL, version: "1.0.5" }] });
		expect((await trigger(api, [FINAL])).made.at("pipeline.triggered_from")).toBe(`${FINAL}@1.0.5`);
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
});

describe("a schedule", () => {
	it("is stored in one spelling of its cron, and its missing start is filled in", async () => {
		const { api } = await testServer();
		expect((await create(api, { cron_expression: "@daily" })).at("schedule")).toMatchObject({
			cron_expression: "0 0 * * *",
			start_after: "2026-01-01T00:00:00.000000+00:00",
		});
		expect((await create(api, { cron_expression: " 0   3 * *\t1 " })).at("schedule.cron_expression")).toBe(
			"0 3 * * 1",
		);
	});

	it("keeps its cron as it was sent where normalising is off", async () => {
		const { api } = await testServer({ normalise: false });
		expect((await create(api, { cron_expression: "@daily" })).at("schedule.cron_expression")).toBe("@daily");
	});

	it("fires when it is due, each time a new pipeline, and remembers the latest", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { pipeline_name: "nightly-images", cron_expression: "0 3 * * *" });
		clock.set("2026-01-01T02:59:59Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		clock.set("2026-01-01T03:00:00Z");
		const [first] = await runsOf(api, "nightly");
		expect(first).toMatchObject({ status: "RUNNING" });
		clock.set("2026-01-03T12:00:00Z");
		const runs = await runsOf(api, "nightly");
		expect(runs).toHaveLength(3);
		expect(new Set(runs.map((run) => run.name)).size).toBe(3);
		const now = await get(api, made.at("schedule.id"));
		expect(now.json).toMatchObject({
			next_run: "2026-01-04T03:00:00.000000+00:00",
			latest_run: {
				name: runs[0]?.name,
				status: "COMPLETED",
				environment_variables: { LOG_LEVEL: "info" },
				total: 3,
			},
			pipeline: { name: "nightly-images", schedule_name: null },
		});
	});

	it("without a cron fires once, at its start", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { start_after: "2026-01-02T00:00:00Z" });
		expect(made.at("schedule.next_run")).toBe("2026-01-02T00:00:00.000000+00:00");
		clock.set("2026-01-09T00:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(1);
		expect((await get(api, made.at("schedule.id"))).at("next_run")).toBeNull();
	});

	it("does not fire before its start", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { cron_expression: "@hourly", start_after: "2026-01-01T05:00:00Z" });
		expect(made.at("schedule.next_run")).toBe("2026-01-01T05:00:00.000000+00:00");
		clock.set("2026-01-01T06:30:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(2);
	});

	it("of a paused pipeline does not fire, and goes on counting", async () => {
		const { api, clock } = await testServer();
		const made = await create(api);
		const id = made.at("schedule.id");
		const paused = await api.post("/pipeline/update-schedule", { schedule_id: id, pause_pipeline: true });
		expect(paused.at("schedule.pipeline.status")).toBe("PAUSED");
		clock.set("2026-01-02T12:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		expect((await get(api, id)).at("next_run")).toBe("2026-01-03T03:00:00.000000+00:00");
		await api.post("/pipeline/update-schedule", { schedule_id: id, pause_pipeline: false });
		expect((await get(api, id)).at("pipeline.status"), "false resumes nothing").toBe("PAUSED");
		await api.post("/pipeline/resume", { name: PIPELINE });
		clock.set("2026-01-03T12:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(1);
	});

	it("leaves a bounded history, its latest run in it", async () => {
		const { api, clock } = await testServer({ empty: false, jobStepMillis: 1 });
		const id = (await create(api, { cron_expression: "* * * * *" })).at("schedule.id");
		clock.advance(24 * 3_600_000);
		expect((await runsOf(api, "nightly")).length).toBeLessThan(400);
		expect((await get(api, id)).at("latest_run.created_at")).toBe("2026-01-02T00:00:00.000000+00:00");
		expect(((await api.get("/jobs/?limit=100000")).json as unknown[]).length).toBeLessThan(1_500);
	});
});

const settings = (api: Api, values: object) =>
	api.post("/pipeline/settings", { pipeline_name: "nightly-images", team_name: "vision", ...values });

describe("settings", () => {
	it("reach the jobs that start afterwards", async () => {
		const { api, clock } = await testServer();
		await settings(api, { environment: "STAGE=prod", workers: 5, python_version: "3.13" });
		const body = { schedule_name: "s", pipeline_name: "nightly-images", start_after: "2026-01-01T01:00:00Z" };
		await api.post("/pipeline/create-schedule", body);
		clock.set("2026-01-01T01:00:00Z");
		const { json } = await api.get("/jobs/?status=created");
		expect(json).toMatchObject([{ environment: { STAGE: "prod" }, workers: 5, python_version: "3.13" }]);
	});

	it("break lines of variables where Python does, and nowhere else", async () => {
		const { api } = await testServer();
		const ends = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"];
		for (const end of ends) {
			const split = await settings(api, { environment: `A=1${end}B=2` });
			expect(split.at("pipeline.environment_variables"), JSON.stringify(end)).toEqual({ A: "1", B: "2" });
		}
		// Not the end of a line in Python, though some would take them for blanks or breaks.
		for (const other of ["\x1f", "\u00a0", "\u200b", "\t"]) {
			const whole = await settings(api, { environment: `A=1${other}B=2` });
			expect(whole.at("pipeline.environment_variables"), JSON.stringify(other)).toEqual({
				A: `1${other}B=2`,
			});
		}
	});
});

describe("an upload", () => {
	it.each([
		["of a file named otherwise", [["other", "a.txt"]], /exactly one part/],
		["of two files", ["a.txt", "b.txt"].map((name) => ["file", name]), /exactly one part/],
		["of nothing", [], /exactly one part/],
		["of a name with a folder", [["file", "../a.txt"]], /plain file name/],
	])("%s is refused, and the server goes on", async (_what, parts, message) => {
		const { url, token, api } = await testServer();
		const form = new FormData();
		for (const [field = "", name] of parts) form.append(field, new Blob(["x"]), name);
		const headers = { Authorization: `Bearer ${token}` };
		const reply = await send(`${url}/api/datachain/jobs/files`, { method: "POST", headers, body: form });
		expect(reply).toMatchObject({ status: 400, json: { message: expect.stringMatching(message) } });
		expect((await api.get("/clusters/")).status).toBe(200);
	});
});

const grants = [
	{ token: "reader-token", user: "reader", teams: ["vision"], read: true, write: false },
	{ token: "writer-token", user: "writer", teams: ["vision"], read: false, write: true },
	{ token: "two-teams-token", user: "both", teams: ["vision", "audio"], read: true, write: true },
	{ token: "other-token", user: "other", teams: ["audio"], read: true, write: true },
];

describe("tokens", () => {
	it("are accepted as Bearer and as token, in any case", async () => {
		const server = await testServer();
		for (const scheme of ["Bearer", "token", "bearer", "Token"]) {
			const headers = { Authorization: `${scheme} ${server.token}` };
			expect((await send(`${server.url}/api/datachain/clusters/`, { headers })).status).toBe(200);
		}
	});

	it("without write access read only, and those without read access write only", async () => {
		const { api } = await testServer({ tokens: grants });
		expect((await api.get("/pipeline/schedules", "reader-token")).status).toBe(200);
		const write = await api.post("/pipeline/pause", { name: "nightly-images" }, "reader-token");
		expect(write).toMatchObject({ status: 403, json: { message: expect.stringContaining("write access") } });
		expect((await api.post("/pipeline/pause", { name: "nightly-images" }, "writer-token")).status).toBe(200);
		const read = await api.get("/pipeline/schedules", "writer-token");
		expect(read).toMatchObject({ status: 403, json: { message: expect.stringContaining("read access") } });
	});

	it("are refused for a foreign team exactly as for one that does not exist", async () => {
		const { api } = await testServer({ tokens: grants });
		const foreign = await api.get("/clusters/?team_name=audio");
		const missing = await api.get("/clusters/?team_name=nobody");
		expect(foreign.status).toBe(403);
		expect(missing.status).toBe(403);
		expect(foreign.textAt("message").replace("audio", "")).toBe(
			missing.textAt("message").replace("nobody", ""),
		);
	});
});

const daily = { pipeline_name: "p1", cron_expression: "@daily" };

describe("a team that is added", () => {
	it("cannot have the name of another, until that one is removed", async () => {
		const { addTeam, removeTeam, team } = await testServer();
		addTeam("ml", { pipelines: ["p1"] });
		expect(() => addTeam("ml")).toThrow('There is already a team "ml".');
		removeTeam("ml");
		expect(() => team("ml").schedules()).toThrow('There is no team "ml".');
		expect(addTeam("ml").pipelines()).toEqual([]);
	});

	it("is gone with everything it would have done", async () => {
		const { api, addTeam, removeTeam, clock, faults } = await testServer({ faults: true });
		const ml = addTeam("ml", { pipelines: ["p1"] });
		ml.createSchedule({ schedule_name: "a", ...daily });
		faults.add({ kind: "late-effect", ms: 1_000, times: 1 });
		faults.add({ kind: "late-commit", ms: 1_000, endpoint: "createSchedule", skip: 1, times: 1 });
		const create = () =>
			api.post("/pipeline/create-schedule", { schedule_name: "b", team_name: "ml", ...daily });
		await create();
		await expect(create()).rejects.toThrow();
		removeTeam("ml");
		expect((await api.get("/pipeline/schedules?team_name=ml")).status).toBe(403);
		const again = addTeam("ml", { pipelines: ["p1"] });
		clock.advance(3 * 86_400_000);
		expect(again.schedules()).toEqual([]);
		expect(again.pipelines()).toHaveLength(1);
	});
});
