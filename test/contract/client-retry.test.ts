import { describe, expect, test } from "vitest";
import {
	AbortedError,
	type ApiError,
	type ClientOptions,
	NetworkError,
	RateLimitedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
	type WasReceived,
} from "../../src/api";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { calls } from "../helpers/api-calls";
import {
	clientFor,
	closedPort,
	type Exchange,
	failureOf,
	json,
	startRawServer,
} from "../helpers/api-servers";

/** Written out from the promise to users, not read from the table that the client obeys. */
const classes: Readonly<Record<"always" | "unreceived", readonly EndpointName[]>> = {
	always: [
		"listJobs",
		"jobLogs",
		"listClusters",
		"getSchedule",
		"listSchedules",
		"pipelineStatus",
		"listPipelines",
		"cancelJob",
		"updateSchedule",
		"deleteSchedule",
		"updateSettings",
		"pausePipeline",
		"resumePipeline",
	],
	unreceived: ["createSchedule", "uploadFile", "triggerPipeline", "createJob", "removeJob"],
};

interface Fault {
	readonly name: string;
	readonly answer: (exchange: Exchange) => void;
	readonly error: abstract new (...args: never[]) => ApiError;
	readonly received: WasReceived;
	readonly attempts: { readonly always: number; readonly unreceived: number };
	readonly options?: ClientOptions;
	/** Where each attempt takes a second, because undici's own timers count in seconds. */
	readonly slow?: boolean;
}

/** Two or one of each class. */
const FEW: readonly EndpointName[] = [
	"listJobs",
	"deleteSchedule",
	"createSchedule",
	"uploadFile",
	"createJob",
];

const onlyAlways = { always: 3, unreceived: 1 };

const faults: readonly Fault[] = [
	{
		name: "a reset",
		answer: ({ socket }) => socket.destroy(),
		error: NetworkError,
		received: "unknown",
		attempts: onlyAlways,
	},
	{
		name: "silence",
		answer: () => {},
		error: TimeoutError,
		received: "unknown",
		attempts: onlyAlways,
		options: { attemptTimeoutMillis: 700 },
		slow: true,
	},
	{
		name: "408",
		answer: ({ response }) => json(response, 408, { message: "slow" }),
		error: TimeoutError,
		received: "unknown",
		attempts: onlyAlways,
	},
	{
		name: "429",
		answer: ({ index, response }) =>
			json(response, 429, { message: "calm down" }, index < 2 ? {} : { "retry-after": "3600" }),
		error: RateLimitedError,
		received: false,
		attempts: { always: 3, unreceived: 3 },
		// Bounded by what the call may wait, and not by its attempts.
		options: { maxAttempts: 2 },
	},
	...[500, 502, 503, 504].map((status) => ({
		name: `${status} with a proxy's page`,
		answer: ({ response }: Exchange) => {
			response.writeHead(status, { "content-type": "text/html" }).end("<html>");
		},
		error: ServerError,
		received: "unknown" as const,
		attempts: onlyAlways,
	})),
	{
		name: "broken JSON",
		answer: ({ response }) =>
			response.writeHead(200, { "content-type": "application/json" }).end('{"id": 7, "na'),
		error: UnexpectedReplyError,
		received: true,
		attempts: onlyAlways,
	},
	{
		name: "a body cut off",
		answer: ({ response, socket }) => {
			response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
			response.write("[", () => socket.destroy());
		},
		error: UnexpectedReplyError,
		received: true,
		attempts: onlyAlways,
	},
	{
		name: "a body that stops",
		answer: ({ response }) => {
			response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("[");
		},
		error: TimeoutError,
		received: true,
		attempts: onlyAlways,
		options: { attemptTimeoutMillis: 700 },
		slow: true,
	},
];

for (const fault of faults) {
	describe(`${fault.name} on every attempt`, () => {
		for (const [kind, names] of entries(classes)) {
			const tested = fault.slow ? names.filter((name) => FEW.includes(name)) : names;
			test.concurrent.each(tested)(`${kind}: %s`, async (name) => {
				const server = await startRawServer(fault.answer);
				const client = clientFor(server.url, { maxAttempts: 3, ...fault.options });
				const error = await failureOf(calls[name].run(client));
				expect(error).toBeInstanceOf(fault.error);
				expect(server.requests).toHaveLength(fault.attempts[kind]);
				expect(error).toMatchObject({ attempts: fault.attempts[kind], received: fault.received });
				await client.close();
				await server.close();
			});
		}
	});
}

describe("a refused connection", () => {
	const attempts = { always: 3, unreceived: 3 };
	for (const [kind, names] of entries(classes)) {
		test.concurrent.each(names)(
			`${kind}: %s is tried ${attempts[kind]} times and nothing was received`,
			async (name) => {
				const client = clientFor(`http://127.0.0.1:${await closedPort()}`, { maxAttempts: 3 });
				const error = await failureOf(calls[name].run(client));
				expect(error).toBeInstanceOf(NetworkError);
				expect(error).toMatchObject({ code: "ECONNREFUSED", attempts: attempts[kind], received: false });
				await client.close();
			},
		);
	}
});

describe("recovery", () => {
	test.concurrent.each(classes.always)(
		"%s succeeds after a reset, a 503, a 429 and broken JSON",
		async (name) => {
			const server = await startRawServer(({ index, response, socket }) => {
				if (index === 0) socket.destroy();
				else if (index === 1) json(response, 503, {});
				else if (index === 2) json(response, 429, {}, { "retry-after": "0" });
				else if (index === 3) response.writeHead(200, { "content-type": "application/json" }).end("[{");
				else json(response, 200, calls[name].reply);
			});
			const client = clientFor(server.url);
			await calls[name].run(client);
			expect(server.requests).toHaveLength(5);
			expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
			await client.close();
			await server.close();
		},
	);

	test("an upload that was rate-limited sends the whole file again", async () => {
		const server = await startRawServer(({ index, response }) =>
			index === 0 ? json(response, 429, {}) : json(response, 200, { id: 9 }),
		);
		const client = clientFor(server.url);
		const result = await client.jobs.uploadFile({ name: "a.txt", content: "whole content" });
		expect(result.size).toBe(13);
		expect(server.requests).toHaveLength(2);
		for (const { body } of server.requests) expect(body).toContain("\r\n\r\nwhole content\r\n");
		await client.close();
		await server.close();
	});
});

test("the deadline of a call ends a reply that drips for ever", async () => {
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

test("a cancelled signal ends a wait between attempts at once", async () => {
	const server = await startRawServer(({ response }) => json(response, 503, {}, { "retry-after": "30" }));
	const controller = new AbortController();
	const client = clientFor(server.url, { onRetry: () => setTimeout(() => controller.abort(), 30) });
	const start = performance.now();
	const error = await failureOf(client.clusters.list({}, { signal: controller.signal }));
	// Far less than the thirty seconds that the service asked for, also on a busy machine.
	expect(performance.now() - start).toBeLessThan(15_000);
	expect(error).toBeInstanceOf(AbortedError);
	expect(error).toMatchObject({ received: "unknown", attempts: 1 });
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

function entries<Key extends string, Value>(record: Readonly<Record<Key, Value>>): [Key, Value][] {
	return Object.entries(record) as [Key, Value][];
}
