import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	AbortedError,
	type CallOptions,
	type RetryInfo,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "../../src/api";
import { calls } from "../helpers/api-calls";
import { clientFor, failureOf, json, startRawServer } from "../helpers/api-raw-server";

const elapsed = async (work: Promise<unknown>): Promise<number> => {
	const start = performance.now();
	await work;
	return performance.now() - start;
};

describe("Retry-After", () => {
	test.each([
		["seconds", () => "1"],
		["a date", () => new Date(Date.now() + 2000).toUTCString()],
	])("in %s is waited for", async (_, header) => {
		const server = await startRawServer(({ index, response }) =>
			index === 0 ? json(response, 429, {}, { "retry-after": header() }) : json(response, 200, []),
		);
		const retries: RetryInfo[] = [];
		const client = clientFor(server.url, { onRetry: (info) => retries.push(info) });
		expect(await elapsed(client.clusters.list())).toBeGreaterThanOrEqual(950);
		expect(retries).toHaveLength(1);
		expect(retries[0]).toMatchObject({
			method: "GET",
			path: "/datachain/clusters/",
			attempt: 1,
			because: "RateLimitedError",
		});
		await client.close();
		await server.close();
	});

	test("beyond what a call may wait fails at once and says when to try again", async () => {
		const server = await startRawServer(({ response }) => json(response, 429, {}, { "retry-after": "1200" }));
		const client = clientFor(server.url);
		const start = performance.now();
		const error = await failureOf(client.clusters.list());
		expect(performance.now() - start).toBeLessThan(2000);
		expect(error).toMatchObject({ name: "RateLimitedError", retryAfterMillis: 1_200_000, attempts: 1 });
		expect(String(error)).toMatch(/Try again at 20\d\d-.*\(in 1200 s\)/);
		await client.close();
		await server.close();
	});
});

describe("the deadline of a call", () => {
	test("ends a request that gets no answer, and does not wait for the attempt's own timeout", async () => {
		const server = await startRawServer(() => {});
		const client = clientFor(server.url, { deadlineMillis: 500 });
		const error = await failureOf(client.clusters.list());
		expect(error).toBeInstanceOf(TimeoutError);
		expect(error).toMatchObject({ kind: "deadline", received: "unknown", attempts: 1 });
		await client.close();
		await server.close();
	});

	test("ends a reply that drips for ever", async () => {
		const timers = new Set<NodeJS.Timeout>();
		const server = await startRawServer(({ response }) => {
			response.writeHead(200, { "content-type": "application/json" });
			timers.add(setInterval(() => response.write(" "), 20));
		});
		const client = clientFor(server.url, { attemptTimeoutMillis: 5000 });
		const error = await failureOf(client.clusters.list({}, { deadlineMillis: 600 }));
		expect(error).toMatchObject({ name: "TimeoutError", kind: "deadline", received: true });
		for (const timer of timers) clearInterval(timer);
		await client.close();
		await server.close();
	});

	test("a wait that would pass it is not begun", async () => {
		const server = await startRawServer(({ response }) => json(response, 503, {}, { "retry-after": "90" }));
		const client = clientFor(server.url);
		const start = performance.now();
		const error = await failureOf(client.clusters.list());
		expect(error).toBeInstanceOf(ServerError);
		expect(error).toMatchObject({ attempts: 1, retryAfterMillis: 90_000 });
		expect(performance.now() - start).toBeLessThan(10_000);
		await client.close();
		await server.close();
	});

	test("a request that waits for a free connection ends in time and was surely not received", async () => {
		const server = await startRawServer(() => {});
		const client = clientFor(server.url, { maxConnections: 1 });
		const start = performance.now();
		const first = failureOf(client.clusters.list({}, { deadlineMillis: 2000 }));
		const second = await failureOf(calls.createJob.run(clientWithDeadline(client)));
		expect(second).toMatchObject({ name: "TimeoutError", received: false });
		expect(performance.now() - start).toBeLessThan(1500);
		expect(await first).toMatchObject({ received: "unknown" });
		await client.close();
		await server.close();
	});
});

describe("an upload that ends before its file is sent", () => {
	/** Takes the head of the request and nothing of the body, so that the upload hangs. */
	async function hangingUpload(limit: () => CallOptions): Promise<unknown> {
		const server = createServer((incoming) => incoming.pause());
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const port = typeof address === "object" ? address?.port : undefined;
		const client = clientFor(`http://127.0.0.1:${port}`);
		const folder = await mkdtemp(join(tmpdir(), "upload-"));
		const path = join(folder, "big.bin");
		await writeFile(path, Buffer.alloc(64 * 1024 * 1024));
		const error = await failureOf(client.jobs.uploadFile({ path }, limit()));
		await client.close();
		server.closeAllConnections();
		server.close();
		await rm(folder, { recursive: true });
		return error;
	}

	test("by its deadline says so, and does not blame the file", async () => {
		expect(await hangingUpload(() => ({ deadlineMillis: 500 }))).toMatchObject({
			name: "TimeoutError",
			kind: "deadline",
			received: "unknown",
		});
	});

	test("by its signal says so, and does not blame the file", async () => {
		expect(await hangingUpload(() => ({ signal: AbortSignal.timeout(500) }))).toMatchObject({
			name: "AbortedError",
			received: "unknown",
		});
	});
});

describe("what ran out is said", () => {
	test("408: the service's own limit, and none of this client", async () => {
		const server = await startRawServer(({ response }) => json(response, 408, {}));
		const client = clientFor(server.url, { maxAttempts: 1 });
		const error = await failureOf(client.clusters.list());
		expect(error).toMatchObject({ name: "TimeoutError", kind: "server", status: 408 });
		expect(String(error)).toContain("408, the service waited too long for the request");
		expect(String(error)).toContain("no limit of this client ran out");
		await client.close();
		await server.close();
	});

	test.each([
		["the deadline of the whole call", { deadlineMillis: 300 }, "deadlineMillis"],
		["the limit of one attempt", { attemptTimeoutMillis: 300, maxAttempts: 1 }, "attemptTimeoutMillis"],
	])("silence: %s", async (limit, options, next) => {
		const server = await startRawServer(() => {});
		const client = clientFor(server.url, options);
		const error = String(await failureOf(client.clusters.list()));
		expect(error).toContain(limit);
		expect(error).toContain(next);
		await client.close();
		await server.close();
	});
});

describe("a cancelled signal", () => {
	test("ends a wait between attempts at once", async () => {
		const server = await startRawServer(({ response }) => json(response, 503, {}, { "retry-after": "30" }));
		const controller = new AbortController();
		const client = clientFor(server.url, { onRetry: () => setTimeout(() => controller.abort(), 30) });
		const start = performance.now();
		const error = await failureOf(client.clusters.list({}, { signal: controller.signal }));
		expect(performance.now() - start).toBeLessThan(1000);
		expect(error).toBeInstanceOf(AbortedError);
		expect(error).toMatchObject({ received: "unknown", attempts: 1 });
		await client.close();
		await server.close();
	});

	test("ends a request under way at once", async () => {
		const controller = new AbortController();
		const server = await startRawServer(() => controller.abort());
		const client = clientFor(server.url);
		const error = await failureOf(
			client.jobs.create({ query: "1", query_type: "SHELL" }, { signal: controller.signal }),
		);
		expect(error).toBeInstanceOf(AbortedError);
		expect(error).toMatchObject({ received: "unknown", attempts: 1 });
		await client.close();
		await server.close();
	});

	test("that was cancelled before sends nothing", async () => {
		const server = await startRawServer(({ response }) => json(response, 200, []));
		const client = clientFor(server.url);
		const error = await failureOf(client.clusters.list({}, { signal: AbortSignal.abort() }));
		expect(error).toMatchObject({ name: "AbortedError", received: false, attempts: 0 });
		expect(server.requests).toHaveLength(0);
		await client.close();
		await server.close();
	});
});

test("a reply beyond the size limit is cut off while it streams", async () => {
	let written = 0;
	const server = await startRawServer(({ response }) => {
		response.writeHead(200, { "content-type": "application/json" });
		const chunk = "[".repeat(16 * 1024);
		const pump = () => {
			while (!response.destroyed && response.write(chunk)) written += chunk.length;
		};
		response.on("drain", pump);
		response.on("error", () => {});
		pump();
	});
	const client = clientFor(server.url, { maxReplyBytes: 1024 * 1024 });
	const error = await failureOf(client.clusters.list());
	expect(error).toBeInstanceOf(UnexpectedReplyError);
	expect(error).toMatchObject({ attempts: 1, broken: false });
	expect(String(error)).toContain("1048576 bytes");
	expect(written).toBeLessThan(64 * 1024 * 1024);
	await client.close();
	await server.close();
});

test("a dead service is not hammered: after the budget each call is tried once", async () => {
	const server = await startRawServer(({ response }) => json(response, 503, {}));
	const client = clientFor(server.url);
	for (let i = 0; i < 50; i += 1) await failureOf(client.clusters.list());
	expect(server.requests).toHaveLength(60);
	await client.close();
	await server.close();
});

test("no more requests run at once than the pool has connections", async () => {
	let running = 0;
	let most = 0;
	const server = await startRawServer(({ response }) => {
		running += 1;
		most = Math.max(most, running);
		setTimeout(() => {
			running -= 1;
			json(response, 200, []);
		}, 10);
	});
	const client = clientFor(server.url, { maxConnections: 3 });
	await Promise.all(Array.from({ length: 30 }, () => client.clusters.list()));
	expect(most).toBe(3);
	expect(server.requests).toHaveLength(30);
	await client.close();
	await server.close();
});

/** The same client, with a short deadline for job creation. */
function clientWithDeadline(client: ReturnType<typeof clientFor>): ReturnType<typeof clientFor> {
	return {
		...client,
		jobs: { ...client.jobs, create: (input) => client.jobs.create(input, { deadlineMillis: 150 }) },
	};
}
