import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataChainClient } from "../../src/api";
import { endpoints } from "../../src/schemas/endpoints";
import { clientFor, failureOf, json, type RawServer, startRawServer, TOKEN } from "../helpers/api-servers";

const JOB = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";
const job = { id: JOB, status: "CREATED" };
const pipeline = { pipeline_id: "a4b1", name: "rusty-vise" };
const schedule = { id: 7, schedule_name: "nightly" };

let server: RawServer;
let client: DataChainClient;
let reply: unknown;

beforeAll(async () => {
	server = await startRawServer(({ response }) => json(response, 200, reply));
	client = clientFor(server.url);
});
afterAll(async () => {
	await client.close();
	await server.close();
});

interface Case {
	readonly name: keyof typeof endpoints;
	readonly run: (client: DataChainClient) => Promise<unknown>;
	readonly reply: unknown;
	/** Written out from the REST document and never from the endpoint table, or a wrong table would pass. */
	readonly method: string;
	readonly path: string;
	readonly query?: readonly (readonly [string, string])[];
	readonly body?: unknown;
}

const team = [["team_name", "ml"]] as const;

const cases: readonly Case[] = [
	{
		name: "listJobs",
		run: (c) => c.jobs.list({ status: "ACTIVE", limit: 5, job_id: JOB, include_steps: true }),
		reply: [job],
		method: "GET",
		path: "/api/datachain/jobs/",
		query: [...team, ["status", "ACTIVE"], ["limit", "5"], ["job_id", JOB], ["include_steps", "true"]],
	},
	{
		name: "createJob",
		run: (c) =>
			c.jobs.create({
				query: "print(1)",
				query_type: "PYTHON",
				environment: "A=1\nB=two words",
				workers: 2,
				query_name: "first",
				rerun_from_job_id: JOB,
				files: ["1", "2"],
				python_version: "3.12",
				requirements: "numpy\npandas",
				repository: "https://example.com/r.git@main",
				priority: 0,
				compute_cluster_id: 3,
				start_after: "2026-01-01T00:00:00Z",
				cron_expression: "@daily",
				credentials_name: "aws",
				reset: false,
			}),
		reply: job,
		method: "POST",
		path: "/api/datachain/jobs/",
		body: {
			query: "print(1)",
			query_type: "PYTHON",
			team_name: "ml",
			environment: "A=1\nB=two words",
			workers: 2,
			query_name: "first",
			rerun_from_job_id: JOB,
			files: ["1", "2"],
			python_version: "3.12",
			requirements: "numpy\npandas",
			repository: "https://example.com/r.git@main",
			priority: 0,
			compute_cluster_id: 3,
			start_after: "2026-01-01T00:00:00Z",
			cron_expression: "@daily",
			credentials_name: "aws",
			reset: false,
		},
	},
	{
		name: "jobLogs",
		run: (c) => c.jobs.logs({ job_id: JOB }),
		reply: { logs: [] },
		method: "GET",
		path: `/api/datachain/jobs/${JOB}/logs`,
		query: team,
	},
	{
		name: "cancelJob",
		run: (c) => c.jobs.cancel({ job_id: JOB }),
		reply: { message: "ok" },
		method: "POST",
		path: `/api/datachain/jobs/${JOB}/cancel`,
		body: { team_name: "ml" },
	},
	{
		name: "listClusters",
		run: (c) => c.clusters.list(),
		reply: [{ id: "k3f9x2mq7a", name: "gpu" }],
		method: "GET",
		path: "/api/datachain/clusters/",
		query: team,
	},
	{
		name: "createSchedule",
		run: (c) =>
			c.schedules.create({
				schedule_name: "nightly",
				pipeline_name: "rusty-vise",
				start_after: "2026-01-01T00:00:00",
				cron_expression: "0 3 * * 1-5",
			}),
		reply: { ok: true, schedule },
		method: "POST",
		path: "/api/datachain/pipeline/create-schedule",
		body: {
			schedule_name: "nightly",
			team_name: "ml",
			pipeline_name: "rusty-vise",
			start_after: "2026-01-01T00:00:00",
			cron_expression: "0 3 * * 1-5",
		},
	},
	{
		name: "updateSchedule",
		run: (c) => c.schedules.update({ schedule_id: 7, pause_pipeline: false, cron_expression: undefined }),
		reply: { ok: true, schedule },
		method: "POST",
		path: "/api/datachain/pipeline/update-schedule",
		body: { team_name: "ml", schedule_id: 7, pause_pipeline: false },
	},
	{
		name: "deleteSchedule",
		run: (c) => c.schedules.delete({ schedule_id: 7 }),
		reply: { ok: true },
		method: "POST",
		path: "/api/datachain/pipeline/delete-schedule",
		body: { team_name: "ml", schedule_id: 7 },
	},
	{
		name: "getSchedule",
		run: (c) => c.schedules.get({ schedule_id: 7 }),
		reply: schedule,
		method: "GET",
		path: "/api/datachain/pipeline/schedule",
		query: [...team, ["schedule_id", "7"]],
	},
	{
		name: "listSchedules",
		run: (c) => c.schedules.list(),
		reply: [schedule],
		method: "GET",
		path: "/api/datachain/pipeline/schedules",
		query: team,
	},
	{
		name: "triggerPipeline",
		run: (c) => c.pipelines.trigger({ datasets: ["dev.images.raw@1.0.0", "b"], review: true }),
		reply: { ok: true, pipeline },
		method: "POST",
		path: "/api/datachain/pipeline/trigger",
		body: { datasets: ["dev.images.raw@1.0.0", "b"], team_name: "ml", review: true },
	},
	{
		name: "updateSettings",
		run: (c) =>
			c.pipelines.settings({
				pipeline_name: "rusty-vise",
				python_version: "3.12",
				requirements: "",
				repository: "r",
				workers: 0,
				priority: 5,
				environment: "",
				files: [],
				credentials_names: ["aws"],
			}),
		reply: { ok: true, pipeline },
		method: "POST",
		path: "/api/datachain/pipeline/settings",
		body: {
			team_name: "ml",
			pipeline_name: "rusty-vise",
			python_version: "3.12",
			requirements: "",
			repository: "r",
			workers: 0,
			priority: 5,
			environment: "",
			files: [],
			credentials_names: ["aws"],
		},
	},
	{
		name: "pipelineStatus",
		run: (c) => c.pipelines.status({ name: "a&b=ü ?" }),
		reply: pipeline,
		method: "GET",
		path: "/api/datachain/pipeline/status",
		query: [...team, ["name", "a&b=ü ?"]],
	},
	{
		name: "pausePipeline",
		run: (c) => c.pipelines.pause({ name: "rusty-vise" }),
		reply: { ok: true, pipeline },
		method: "POST",
		path: "/api/datachain/pipeline/pause",
		body: { team_name: "ml", name: "rusty-vise" },
	},
	{
		name: "resumePipeline",
		run: (c) => c.pipelines.resume({ pipeline_id: "a4b1" }),
		reply: { ok: true, pipeline },
		method: "POST",
		path: "/api/datachain/pipeline/resume",
		body: { team_name: "ml", pipeline_id: "a4b1" },
	},
	{
		name: "removeJob",
		run: (c) => c.pipelines.removeJob({ name: "rusty-vise", job_id: JOB }),
		reply: { ok: true, pipeline },
		method: "POST",
		path: "/api/datachain/pipeline/remove-job",
		body: { team_name: "ml", name: "rusty-vise", job_id: JOB },
	},
	{
		name: "listPipelines",
		run: (c) => c.pipelines.list({ limit: 100, status: ["PAUSED", "RUNNING"], search: "vi" }),
		reply: [pipeline],
		method: "GET",
		path: "/api/datachain/pipeline/list",
		query: [...team, ["limit", "100"], ["status", "PAUSED"], ["status", "RUNNING"], ["search", "vi"]],
	},
];

describe("every endpoint as the REST document has it", () => {
	test.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
		reply = one.reply;
		server.requests.length = 0;
		const result = await one.run(client);
		expect(server.requests).toHaveLength(1);
		const [request] = server.requests;
		expect(request?.method).toBe(one.method);
		expect(request?.path).toBe(one.path);
		expect(sorted(request?.query ?? [])).toEqual(sorted(one.query ?? []));
		expect(request?.headers.authorization).toBe(`Bearer ${TOKEN}`);
		expect(request?.headers.accept).toBe("application/json");
		if (one.body === undefined) {
			expect(request?.body).toBe("");
			expect(request?.headers).not.toHaveProperty("content-type");
		} else {
			expect(request?.headers["content-type"]).toBe("application/json");
			expect(JSON.parse(request?.body ?? "")).toEqual(one.body);
		}
		if (one.name !== "jobLogs") expect(result).toEqual(one.reply);
	});

	test("uploadFile", async () => {
		reply = { id: 4, filename: "a.txt", size: 3, state: "pending", error: null };
		server.requests.length = 0;
		const result = await client.jobs.uploadFile({ name: 'ü"a.txt', content: "abc" });
		const [request] = server.requests;
		expect(request).toMatchObject({
			method: "POST",
			path: "/api/datachain/jobs/files",
			query: [["team_name", "ml"]],
		});
		expect(request?.headers.authorization).toBe(`Bearer ${TOKEN}`);
		const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(
			request?.headers["content-type"] ?? "",
		)?.[1];
		expect(request?.body).toBe(
			`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="ü%22a.txt"\r\n` +
				`Content-Type: application/octet-stream\r\n\r\nabc\r\n--${boundary}--\r\n`,
		);
		expect(request?.headers["content-length"]).toBe(String(Buffer.byteLength(request?.body ?? "")));
		expect(result).toEqual({
			file: reply,
			sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			size: 3,
		});
	});

	test("no endpoint is left out", () => {
		const covered = [...cases.map((one) => one.name), "uploadFile"].sort();
		expect(covered).toEqual(Object.keys(endpoints).sort());
	});

	test("a call may name another team than the client's, in the query or in the body", async () => {
		reply = [];
		server.requests.length = 0;
		await client.schedules.list({ team_name: "other" });
		reply = { ok: true };
		await client.schedules.delete({ schedule_id: 1, team_name: "other" });
		expect(server.requests[0]?.query).toEqual([["team_name", "other"]]);
		expect(JSON.parse(server.requests[1]?.body ?? "")).toEqual({ schedule_id: 1, team_name: "other" });
	});
});

describe("replies are read tolerantly", () => {
	test("extra fields and unknown statuses pass, missing and null fields are fine", async () => {
		reply = [
			{ id: JOB, status: "LEVITATING", brand_new: { a: 1 }, finished_at: null, environment: null },
			{ id: "another", status: "RUNNING", compute_cluster_id: "k3f9x2mq7a" },
		];
		expect(await client.jobs.list()).toEqual(reply);
		reply = {
			id: 1,
			pipeline: { pipeline_id: "p", job_runs: [{}], status: "?" },
			latest_run: null,
			created_by: {},
		};
		expect(await client.schedules.get({ schedule_id: 1 })).toEqual(reply);
		reply = { ok: true };
		expect(await client.pipelines.pause({ name: "x" })).toEqual({ ok: true });
	});
});

describe("what can only mean one thing is read", () => {
	test("numbers as text, where they count something", async () => {
		reply = { pipeline_id: "a", workers: "2", priority: "0", completed: "3", total: 4 };
		expect(await client.pipelines.status({ name: "p" })).toEqual({
			pipeline_id: "a",
			workers: 2,
			priority: 0,
			completed: 3,
			total: 4,
		});
	});

	test.each(["", "two", "1.5", "0x10", "1e3", "99999999999999999999"])("but not %j", async (workers) => {
		reply = { pipeline_id: "a", workers };
		expect(await failureOf(client.pipelines.status({ name: "p" }))).toMatchObject({
			name: "UnexpectedReplyError",
		});
	});

	test("a variable without a value keeps its name, so that whoever writes the environment sees it", async () => {
		reply = [{ pipeline_id: "a", environment_variables: { X: null, Y: "1" } }];
		const [pipeline] = await client.pipelines.list();
		expect(pipeline?.environment_variables).toEqual({ X: null, Y: "1" });
		reply = [{ id: "j", status: "RUNNING", workers: "2", environment: { X: null } }];
		expect(await client.jobs.list()).toEqual([
			{ id: "j", status: "RUNNING", workers: 2, environment: { X: null } },
		]);
	});
});

const sorted = (pairs: readonly (readonly [string, string])[]) => pairs.map((pair) => pair.join("=")).sort();
