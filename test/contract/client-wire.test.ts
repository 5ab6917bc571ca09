import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataChainClient } from "../../src/api";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { calls, JOB_ID } from "../helpers/api-calls";
import { clientFor, json, type RawServer, startRawServer, TOKEN } from "../helpers/api-servers";

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

/**
 * Where a request goes, what sends it, and with which fields. Written out from the REST document and never from the endpoint table, or a wrong
 * table would pass. The fields travel with the team in the query of a GET and in the body of a POST; an id in the path only there.
 */
type Case = readonly [
	where: string,
	method: (client: DataChainClient) => (input: never) => Promise<unknown>,
	input: Readonly<Record<string, unknown>>,
];

const cases: { readonly [Name in Exclude<EndpointName, "uploadFile">]: Case } = {
	listJobs: [
		"GET /datachain/jobs/",
		(c) => c.jobs.list,
		{ status: "ACTIVE", limit: 5, job_id: JOB_ID, include_steps: true },
	],
	createJob: [
		"POST /datachain/jobs/",
		(c) => c.jobs.create,
		{
			...{ query: "print(1)", query_type: "PYTHON", query_name: "first", rerun_from_job_id: JOB_ID },
			...{ environment: "A=1\nB=two words", requirements: "numpy\npandas", python_version: "3.12" },
			...{ repository: "https://example.com/r.git@main", files: ["1", "2"], credentials_name: "aws" },
			...{ workers: 2, priority: 0, compute_cluster_id: 3, reset: false },
			...{ start_after: "2026-01-01T00:00:00Z", cron_expression: "@daily" },
		},
	],
	jobLogs: [`GET /datachain/jobs/${JOB_ID}/logs`, (c) => c.jobs.logs, { job_id: JOB_ID }],
	cancelJob: [`POST /datachain/jobs/${JOB_ID}/cancel`, (c) => c.jobs.cancel, { job_id: JOB_ID }],
	listClusters: ["GET /datachain/clusters/", (c) => c.clusters.list, {}],
	createSchedule: [
		"POST /datachain/pipeline/create-schedule",
		(c) => c.schedules.create,
		{
			...{ schedule_name: "nightly", pipeline_name: "rusty-vise" },
			...{ start_after: "2026-01-01T00:00:00", cron_expression: "0 3 * * 1-5" },
		},
	],
	updateSchedule: [
		"POST /datachain/pipeline/update-schedule",
		(c) => c.schedules.update,
		{ schedule_id: 7, pause_pipeline: false, cron_expression: undefined },
	],
	deleteSchedule: [
		"POST /datachain/pipeline/delete-schedule",
		(c) => c.schedules.delete,
		{ schedule_id: 7, team_name: "other" },
	],
	getSchedule: ["GET /datachain/pipeline/schedule", (c) => c.schedules.get, { schedule_id: 7 }],
	listSchedules: ["GET /datachain/pipeline/schedules", (c) => c.schedules.list, { team_name: "other" }],
	triggerPipeline: [
		"POST /datachain/pipeline/trigger",
		(c) => c.pipelines.trigger,
		{ datasets: ["dev.images.raw@1.0.0", "b"], review: true },
	],
	updateSettings: [
		"POST /datachain/pipeline/settings",
		(c) => c.pipelines.settings,
		{
			...{ pipeline_name: "rusty-vise", python_version: "3.12", requirements: "", repository: "r" },
			...{ workers: 0, priority: 5, environment: "", files: [], credentials_names: ["aws"] },
		},
	],
	pipelineStatus: ["GET /datachain/pipeline/status", (c) => c.pipelines.status, { name: "a&b=ü ?" }],
	pausePipeline: ["POST /datachain/pipeline/pause", (c) => c.pipelines.pause, { name: "rusty-vise" }],
	resumePipeline: ["POST /datachain/pipeline/resume", (c) => c.pipelines.resume, { pipeline_id: "a4b1" }],
	removeJob: [
		"POST /datachain/pipeline/remove-job",
		(c) => c.pipelines.removeJob,
		{ name: "rusty-vise", job_id: JOB_ID },
	],
	listPipelines: [
		"GET /datachain/pipeline/list",
		(c) => c.pipelines.list,
		{ limit: 100, status: ["PAUSED", "RUNNING"], search: "vi" },
	],
};

describe("every endpoint as the REST document has it", () => {
	test.each(Object.entries(cases))("%s", async (name, [where, method, input]) => {
		reply = calls[name as EndpointName].reply;
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
});
