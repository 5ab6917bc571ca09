import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
	ConflictError,
	createClient,
	type DataChainClient,
	InvalidRequestError,
	type LogEvent,
	LogStreamError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
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

	test("every field of a job's input is taken", async () => {
		const { file } = await client.jobs.uploadFile({ name: "a.txt", content: "abc" });
		const job = await client.jobs.create({
			query: "exit 3",
			query_type: "SHELL",
			environment: "A=1\nB=x=y",
			workers: 3,
			query_name: "full",
			files: [String(file.id)],
			python_version: "3.11",
			requirements: "numpy",
			repository: "https://example.com/r.git@main",
			priority: 1,
			compute_cluster_name: "gpu",
			credentials_name: "vision-aws",
			reset: true,
		});
		expect(job).toMatchObject({
			query_type: "SHELL",
			workers: 3,
			environment: { A: "1", B: "x=y" },
			python_version: "3.11",
			compute_cluster_name: "gpu",
		});
		server.clock.advance(STEP * 10);
		expect((await client.jobs.list({ job_id: job.id }))[0]).toMatchObject({ status: "FAILED", exit_code: 3 });
	});

	test("a running job is cancelled, and a finished one is a conflict", async () => {
		const job = await run("# local-server: hold");
		expect((await client.jobs.cancel({ job_id: job.id })).message).toBeTruthy();
		server.clock.advance(STEP * 3);
		expect((await client.jobs.list({ job_id: job.id }))[0]?.status).toBe("CANCELED");
		expect(await failureOf(client.jobs.cancel({ job_id: job.id }))).toBeInstanceOf(ConflictError);
	});

	test("what is not there is told from what is wrong", async () => {
		expect(await failureOf(client.jobs.cancel({ job_id: NO_JOB }))).toMatchObject({
			name: "NotFoundError",
			fromService: true,
		});
		expect(await failureOf(client.jobs.logs({ job_id: NO_JOB }))).toMatchObject({
			name: "NotFoundError",
			fromService: true,
		});
		const input = { query: "1", query_type: "PYTHON" as const };
		expect(await failureOf(client.jobs.create({ ...input, compute_cluster_name: "none" }))).toBeInstanceOf(
			NotFoundError,
		);
		expect(await failureOf(client.jobs.create({ ...input, query_name: " " }))).toBeInstanceOf(
			InvalidRequestError,
		);
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

describe("schedules", () => {
	test("one is created, read, listed, changed in each field, paused, and deleted", async () => {
		const created = await client.schedules.create({
			schedule_name: "weekly",
			pipeline_name: "rusty-vise",
			cron_expression: "0 3 * * mon",
			start_after: "2026-02-01T00:00:00Z",
		});
		const id = created.schedule?.id ?? 0;
		expect(created).toMatchObject({
			ok: true,
			schedule: { schedule_name: "weekly", pipeline: { name: "rusty-vise" } },
		});
		expect(await client.schedules.get({ schedule_id: id })).toMatchObject({
			id,
			next_run: expect.stringContaining("2026-02-02T03:00"),
		});
		expect((await client.schedules.list()).map((item) => item.id)).toContain(id);
		await client.schedules.update({ schedule_id: id, schedule_name: "renamed" });
		await client.schedules.update({ schedule_id: id, cron_expression: "@monthly" });
		await client.schedules.update({ schedule_id: id, start_after: "2026-03-05T00:00:00+01:00" });
		const paused = await client.schedules.update({ schedule_id: id, pause_pipeline: true });
		expect(paused.schedule?.pipeline?.status).toBe("PAUSED");
		expect(await client.schedules.get({ schedule_id: id })).toMatchObject({
			schedule_name: "renamed",
			next_run: expect.stringContaining("2026-04-01T00:00"),
		});
		await client.pipelines.resume({ name: "rusty-vise" });
		expect(await client.schedules.delete({ schedule_id: id })).toMatchObject({ ok: true });
		expect(await failureOf(client.schedules.get({ schedule_id: id }))).toMatchObject({
			name: "NotFoundError",
			fromService: true,
		});
		expect(await failureOf(client.schedules.delete({ schedule_id: id }))).toBeInstanceOf(NotFoundError);
		expect(await failureOf(client.schedules.update({ schedule_id: id, schedule_name: "x" }))).toBeInstanceOf(
			NotFoundError,
		);
	});

	test("one for a pipeline that does not exist is refused", async () => {
		const input = { schedule_name: "s", pipeline_name: "no-such", cron_expression: "@daily" };
		expect(await failureOf(client.schedules.create(input))).toBeInstanceOf(NotFoundError);
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

	test("settings are changed and read back, and what is left out stays", async () => {
		await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			workers: 4,
			environment: "A=1\nB=2",
			requirements: "numpy\npandas",
		});
		const { pipeline } = await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			priority: 2,
			python_version: "3.11",
			repository: "r",
			files: [],
			credentials_names: ["x"],
		});
		expect(pipeline).toMatchObject({ workers: 4, priority: 2, python_version: "3.11" });
		expect(await client.pipelines.status({ name: "rusty-vise" })).toMatchObject({
			workers: 4,
			priority: 2,
			requirements: "numpy\npandas",
			environment_variables: { A: "1", B: "2" },
		});
	});

	test("what does not exist or is not allowed is refused", async () => {
		expect(await failureOf(client.pipelines.status({ name: "no-such" }))).toMatchObject({
			name: "NotFoundError",
			fromService: true,
		});
		expect(await failureOf(client.pipelines.trigger({ datasets: ["no.such.dataset"] }))).toBeInstanceOf(
			NotFoundError,
		);
		const settings = { pipeline_name: "rusty-vise", files: ["99999"] };
		expect(String(await failureOf(client.pipelines.settings(settings)))).toContain("99999");
		const { pipeline } = await client.pipelines.trigger({ datasets: ["dev.images.raw"] });
		const job_id = pipeline?.job_runs?.[0]?.created_job_id ?? pipeline?.job_runs?.[0]?.job_id ?? "";
		expect(
			await failureOf(client.pipelines.removeJob({ name: pipeline?.name ?? "", job_id })),
		).toBeInstanceOf(ConflictError);
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

	test.each(names)("%s: an unknown token is not authenticated", async (name) => {
		expect(await failureOf(calls[name].run(as("unknown")))).toBeInstanceOf(NotAuthenticatedError);
	});

	test.each(names)("%s: a token of another team is not authorized", async (name) => {
		expect(await failureOf(calls[name].run(as("stranger")))).toBeInstanceOf(NotAuthorizedError);
	});

	test.each(names.filter((name) => endpoints[name].access === "write"))(
		"%s: a token that may only read is not authorized",
		async (name) => {
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

	/** A running job says more only as time goes on, whoever looks. */
	async function whileTimePasses<T>(work: Promise<T>): Promise<T> {
		const timer = setInterval(() => server.clock.advance(STEP), 10);
		return work.finally(() => clearInterval(timer));
	}

	test("gives every line and status to the end", async () => {
		const job = await run("# local-server: lines=3000");
		const events = await whileTimePasses(collect(job.id));
		expect(numbered(events)).toEqual(all(3000));
		expect(events.at(-1)).toEqual({ type: "status", status: "COMPLETE" });
	});

	test.each([0, 1, 2, 3, 5])(
		"repeats and loses nothing when sockets are cut after %d frames",
		async (frames) => {
			server.faults.add({ kind: "drop-log-socket", frames, times: 3 });
			const job = await run("# local-server: lines=3000");
			const events = await whileTimePasses(collect(job.id));
			expect(numbered(events)).toEqual(all(3000));
			const ids = events.flatMap((event) =>
				event.type === "line" && event.id !== undefined ? [event.id] : [],
			);
			expect(new Set(ids).size).toBe(ids.length);
			expect(events.at(-1)).toEqual({ type: "status", status: "COMPLETE" });
		},
	);

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
