import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataChainClient } from "../../src/api";
import { endpoints } from "../../src/schemas/endpoints";
import { calls, JOB_ID } from "../helpers/api-calls";
import { clientFor, failureOf, json, type RawServer, startRawServer, TOKEN } from "../helpers/api-servers";

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
	readonly method: (client: DataChainClient) => (input: never) => Promise<unknown>;
	/** Written out from the REST document and never from the endpoint table, or a wrong table would pass. */
	readonly where: string;
	/** Beside the team it travels in the query of a GET and in the body of a POST; an id in the path only there. */
	readonly input: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = [
	{
		name: "listJobs",
		method: (c) => c.jobs.list,
		where: "GET /datachain/jobs/",
		input: { status: "ACTIVE", limit: 5, job_id: JOB_ID, include_steps: true },
	},
	{
		name: "createJob",
		method: (c) => c.jobs.create,
		where: "POST /datachain/jobs/",
		input: {
			query: "print(1)",
			query_type: "PYTHON",
			environment: "A=1\nB=two words",
			workers: 2,
			query_name: "first",
			rerun_from_job_id: JOB_ID,
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
		method: (c) => c.jobs.logs,
		where: `GET /datachain/jobs/${JOB_ID}/logs`,
		input: { job_id: JOB_ID },
	},
	{
		name: "cancelJob",
		method: (c) => c.jobs.cancel,
		where: `POST /datachain/jobs/${JOB_ID}/cancel`,
		input: { job_id: JOB_ID },
	},
	{
		name: "listClusters",
		method: (c) => c.clusters.list,
		where: "GET /datachain/clusters/",
		input: {},
	},
	{
		name: "createSchedule",
		method: (c) => c.schedules.create,
		where: "POST /datachain/pipeline/create-schedule",
		input: {
			schedule_name: "nightly",
			pipeline_name: "rusty-vise",
			start_after: "2026-01-01T00:00:00",
			cron_expression: "0 3 * * 1-5",
		},
	},
	{
		name: "updateSchedule",
		method: (c) => c.schedules.update,
		where: "POST /datachain/pipeline/update-schedule",
		input: { schedule_id: 7, pause_pipeline: false, cron_expression: undefined },
	},
	{
		name: "deleteSchedule",
		method: (c) => c.schedules.delete,
		where: "POST /datachain/pipeline/delete-schedule",
		input: { schedule_id: 7, team_name: "other" },
	},
	{
		name: "getSchedule",
		method: (c) => c.schedules.get,
		where: "GET /datachain/pipeline/schedule",
		input: { schedule_id: 7 },
	},
	{
		name: "listSchedules",
		method: (c) => c.schedules.list,
		where: "GET /datachain/pipeline/schedules",
		input: { team_name: "other" },
	},
	{
		name: "triggerPipeline",
		method: (c) => c.pipelines.trigger,
		where: "POST /datachain/pipeline/trigger",
		input: { datasets: ["dev.images.raw@1.0.0", "b"], review: true },
	},
	{
		name: "updateSettings",
		method: (c) => c.pipelines.settings,
		where: "POST /datachain/pipeline/settings",
		input: {
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
		method: (c) => c.pipelines.status,
		where: "GET /datachain/pipeline/status",
		input: { name: "a&b=ü ?" },
	},
	{
		name: "pausePipeline",
		method: (c) => c.pipelines.pause,
		where: "POST /datachain/pipeline/pause",
		input: { name: "rusty-vise" },
	},
	{
		name: "resumePipeline",
		method: (c) => c.pipelines.resume,
		where: "POST /datachain/pipeline/resume",
		input: { pipeline_id: "a4b1" },
	},
	{
		name: "removeJob",
		method: (c) => c.pipelines.removeJob,
		where: "POST /datachain/pipeline/remove-job",
		input: { name: "rusty-vise", job_id: JOB_ID },
	},
	{
		name: "listPipelines",
		method: (c) => c.pipelines.list,
		where: "GET /datachain/pipeline/list",
		input: { limit: 100, status: ["PAUSED", "RUNNING"], search: "vi" },
	},
];

describe("every endpoint as the REST document has it", () => {
	test.each(cases)("$name", async ({ name, method, where, input }) => {
		reply = calls[name].reply;
		server.requests.length = 0;
		expect(await method(client)(input as never)).toEqual(name === "jobLogs" ? expect.anything() : reply);
		const [request, ...more] = server.requests;
		expect(more).toEqual([]);
		expect(`${request?.method} ${request?.path}`).toBe(where.replace(" ", " /api"));
		const { job_id, ...others } = input;
		const sent = { team_name: "ml", ...(where.includes(JOB_ID) ? others : input) };
		const isRead = where.startsWith("GET");
		const query = Object.entries(sent).flatMap(([name, value]) =>
			[value].flat().map((one) => [name, String(one)]),
		);
		expect(new Set(request?.query)).toEqual(new Set(isRead ? query : []));
		expect(JSON.parse(request?.body || "null")).toEqual(isRead ? null : sent);
		expect(request?.headers["content-type"]).toBe(isRead ? undefined : "application/json");
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
			headers: {
				authorization: `Bearer ${TOKEN}`,
				"content-type": expect.stringMatching(/^multipart\/form-data; boundary=[\w-]+$/),
			},
		});
		expect(request?.body).toContain('; name="file"; filename="ü%22a.txt"\r\n');
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
});

describe("a reply", () => {
	test("may have extra fields, unknown statuses, and fields that are missing or null", async () => {
		reply = [
			{ id: JOB_ID, status: "LEVITATING", brand_new: { a: 1 }, finished_at: null, environment: null },
			{ id: "another", status: "RUNNING", compute_cluster_id: "k3f9x2mq7a", environment: { X: null } },
		];
		expect(await client.jobs.list()).toEqual(reply);
		reply = {
			id: 1,
			pipeline: { pipeline_id: "p", job_runs: [{}], status: "?", environment_variables: { X: null, Y: "1" } },
			latest_run: null,
			created_by: {},
		};
		expect(await client.schedules.get({ schedule_id: 1 })).toEqual(reply);
	});

	test("may have numbers as text, where they count something", async () => {
		const counts = { workers: 2, priority: 0, completed: 3, total: 4 };
		reply = { pipeline_id: "a", workers: "2", priority: "0", completed: "3", total: 4 };
		expect(await client.pipelines.status({ name: "p" })).toEqual({ pipeline_id: "a", ...counts });
		reply = [{ id: "j", status: "RUNNING", workers: "2" }];
		expect(await client.jobs.list()).toMatchObject([{ workers: 2 }]);
	});

	test.each(["", "two", "1.5", "0x10", "1e3", "99999999999999999999"])(
		"has no number in %j",
		async (text) => {
			reply = { pipeline_id: "a", workers: text };
			expect(await failureOf(client.pipelines.status({ name: "p" }))).toMatchObject({
				name: "UnexpectedReplyError",
			});
		},
	);
});
