import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
	ConflictError,
	createClient,
	type DataChainClient,
	type LogEvent,
	LogStreamError,
	NotAuthenticatedError,
	NotAuthorizedError,
} from "../../src/api";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type LocalServer, manualClock, startServer } from "../../src/server";
import { calls } from "../helpers/api-calls";
import { failureOf } from "../helpers/api-servers";

let server: LocalServer;
let client: DataChainClient;
let others: DataChainClient[];

const STEP = 1000;
const NO_JOB = "00000000-0000-4000-8000-000000000000";

beforeAll(async () => {
	server = await startServer({
		clock: manualClock(),
		faults: true,
		jobStepMillis: STEP,
		tokens: [
			{ token: "reader", user: "reader", teams: ["vision"], read: true, write: false },
			{ token: "stranger", user: "stranger", teams: ["elsewhere"], read: true, write: true },
		],
	});
	client = as(server.token);
	others = [];
});
afterAll(async () => {
	await client.close();
	for (const other of others) await other.close();
	await server.close();
});
afterEach(() => server.faults.clear());

function as(token: string, teamName = server.teamName): DataChainClient {
	const made = createClient({ baseUrl: server.url, token, teamName }, { random: () => 0 });
	others?.push(made);
	return made;
}

const run = (query: string) => client.jobs.create({ query, query_type: "PYTHON", query_name: "a query" });

describe("jobs", () => {
	test("a job is created, listed, found by id and status, and completes", async () => {
		const job = await run('print("hello")');
		expect(job).toMatchObject({ status: "CREATED", name: "a query", team: server.teamName, workers: 1 });
		expect((await client.jobs.list({ limit: 1 }))[0]?.id).toBe(job.id);
		server.clock.advance(STEP * 10);
		const [done] = await client.jobs.list({ job_id: job.id, include_steps: true, status: "complete" });
		expect(done).toMatchObject({ id: job.id, status: "COMPLETE", exit_code: 0 });
		expect(done?.steps?.length).toBeGreaterThan(0);
		expect((await client.jobs.logs({ job_id: job.id })).text).toContain("hello\n");
	});

	test("a running job is cancelled, and a finished one is a conflict", async () => {
		const job = await run("# local-server: hold");
		expect((await client.jobs.cancel({ job_id: job.id })).message).toBeTruthy();
		server.clock.advance(STEP * 3);
		expect((await client.jobs.list({ job_id: job.id }))[0]?.status).toBe("CANCELED");
		expect(await failureOf(client.jobs.cancel({ job_id: job.id }))).toBeInstanceOf(ConflictError);
	});

	test.each([
		["plain.txt", "content"],
		['quo"te ü файл.bin', "\u0000\r\n--x--"],
		["empty", ""],
	])("a file called %j is stored as it was", async (name, content) => {
		const { file, sha256, size } = await client.jobs.uploadFile({ name, content });
		expect(size).toBe(Buffer.byteLength(content));
		expect(sha256).toBe(createHash("sha256").update(content).digest("hex"));
		expect(file).toMatchObject({ size, error: null });
		// Browsers escape the quote this way and form readers leave it so.
		expect(file.filename).toBe(name.replaceAll('"', "%22"));
	});

	test("clusters have integer and text ids", async () => {
		const clusters = await client.clusters.list();
		expect(clusters.map(({ id }) => typeof id).sort()).toEqual(["number", "number", "string"]);
		expect(clusters.find((cluster) => cluster.default)?.name).toBe("default");
	});
});

describe("pipelines", () => {
	test("one is triggered for review, loses a job, is resumed and paused, and runs to its end", async () => {
		const { pipeline } = await client.pipelines.trigger({
			datasets: ["dev.images.final_result", "dev.images.clean@1.0.1"],
			review: true,
		});
		const name = pipeline?.name ?? "";
		expect(pipeline).toMatchObject({ status: "PAUSED" });
		const pending = pipeline?.job_runs?.at(-1);
		const removed = await client.pipelines.removeJob({
			name,
			job_id: pending?.created_job_id ?? pending?.job_id ?? "",
		});
		expect(removed.pipeline?.total).toBe((pipeline?.total ?? 0) - 1);
		expect((await client.pipelines.resume({ pipeline_id: pipeline?.pipeline_id })).pipeline?.status).toBe(
			"RUNNING",
		);
		expect((await client.pipelines.pause({ name })).pipeline?.status).toBe("PAUSED");
		expect(
			(await client.pipelines.list({ status: ["PAUSED"], search: name, limit: 5 })).map((one) => one.name),
		).toEqual([name]);
		await client.pipelines.resume({ name });
		server.clock.advance(STEP * 100);
		expect(await client.pipelines.status({ name })).toMatchObject({
			status: "COMPLETED",
			pipeline_id: pipeline?.pipeline_id,
		});
	});

	test("a job that has begun is not removed", async () => {
		const { pipeline } = await client.pipelines.trigger({ datasets: ["dev.images.raw"] });
		const job_id = pipeline?.job_runs?.[0]?.created_job_id ?? pipeline?.job_runs?.[0]?.job_id ?? "";
		const removal = client.pipelines.removeJob({ name: pipeline?.name ?? "", job_id });
		expect(await failureOf(removal)).toBeInstanceOf(ConflictError);
	});
});

describe("tokens and teams, on every endpoint", () => {
	const names = Object.keys(endpoints) as EndpointName[];
	const state = () => {
		const team = server.team(server.teamName);
		return JSON.stringify([team.schedules(), team.pipelines(), team.jobs()]);
	};
	let before: string;
	beforeAll(() => {
		before = state();
	});

	test.each(names)(
		"%s: neither an unknown token nor one of another team nor one that may only read",
		async (name) => {
			expect(await failureOf(calls[name].run(as("unknown")))).toBeInstanceOf(NotAuthenticatedError);
			expect(await failureOf(calls[name].run(as("stranger")))).toBeInstanceOf(NotAuthorizedError);
			if (endpoints[name].access === "write")
				expect(await failureOf(calls[name].run(as("reader")))).toBeInstanceOf(NotAuthorizedError);
		},
	);

	test("none of them changes anything", () => expect(state()).toBe(before));

	test.each(["listJobs", "listClusters", "listSchedules", "listPipelines"] as const)(
		"%s: a token that may only read reads",
		async (name) => {
			expect(await calls[name].run(as("reader"))).toBeInstanceOf(Array);
		},
	);
});

describe("following a log", () => {
	async function collect(job_id: string, from: DataChainClient = client): Promise<LogEvent[]> {
		const events: LogEvent[] = [];
		for await (const event of from.jobs.followLogs({ job_id })) {
			events.push(event);
			// The clock stands still, so the job goes on only when its last state was seen.
			if (event.type === "status") server.clock.advance(STEP);
		}
		return events;
	}
	const numbered = (events: readonly LogEvent[]) =>
		events.flatMap((event) =>
			event.type === "line" && /^line \d+\n$/.test(event.message) ? [event.message] : [],
		);
	const all = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`);

	test("repeats and loses nothing when sockets are cut", async () => {
		for (const frames of [0, 1, 3]) server.faults.add({ kind: "drop-log-socket", frames, times: 1 });
		const job = await run("# local-server: lines=3000");
		// A running job says more only as time goes on, whoever looks.
		const timer = setInterval(() => server.clock.advance(STEP), 10);
		onTestFinished(() => clearInterval(timer));
		const events = await collect(job.id);
		expect(numbered(events)).toEqual(all(3000));
		expect(events.at(-1)).toEqual({ type: "status", status: "COMPLETE" });
	});

	test("a job nobody knows, a wrong token and another team are final", async () => {
		expect(await failureOf(collect(NO_JOB))).toBeInstanceOf(LogStreamError);
		expect(await failureOf(collect(NO_JOB, as("unknown")))).toBeInstanceOf(NotAuthenticatedError);
		expect(await failureOf(collect(NO_JOB, as("stranger")))).toBeInstanceOf(NotAuthorizedError);
	});

	test("the log of a finished job may come as a stored one, and reads the same", async () => {
		const storing = await startServer({ clock: manualClock(), jobStepMillis: STEP, logBlobs: true });
		const reader = createClient({ baseUrl: storing.url, token: storing.token, teamName: storing.teamName });
		const job = await reader.jobs.create({ query: "# local-server: lines=5000", query_type: "PYTHON" });
		storing.clock.advance(STEP * 20);
		expect(numbered(await collect(job.id, reader))).toEqual(all(5000));
		await reader.close();
		await storing.close();
	});
});
