import { afterEach, describe, expect, test } from "vitest";
import type { ClientOptions, DataChainClient, RetryInfo } from "../../src/api";
import { calls } from "../helpers/api-calls";
import {
	clientFor,
	type Exchange,
	failureOf,
	json,
	type RawServer,
	startRawServer,
} from "../helpers/api-raw-server";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of cleanUp.splice(0)) await close();
});

async function connect(
	answer: (exchange: Exchange) => void,
	options: ClientOptions = {},
): Promise<{ server: RawServer; client: DataChainClient }> {
	const server = await startRawServer(answer);
	const client = clientFor(server.url, options);
	cleanUp.push(
		() => client.close(),
		() => server.close(),
	);
	return { server, client };
}

const remove = (client: DataChainClient, schedule_id = 7) => client.schedules.delete({ schedule_id });
const limited = (response: Exchange["response"], retryAfter?: string) =>
	json(response, 429, {}, retryAfter === undefined ? {} : { "retry-after": retryAfter });
const done = ({ response }: Exchange) => json(response, 200, { ok: true, schedule: { id: 7 } });

describe("a rate limit of 20 writes a second", () => {
	test.each([12, 32])("lets 60 creates of %d callers through, each once", async (callers) => {
		let [start, count, refused, early] = [0, 0, 0, 0];
		let opensAt = 0;
		const { client, server } = await connect((exchange) => {
			const now = performance.now();
			if (now - start >= 1000) [start, count] = [now, 0];
			// The others of the burst were under way when the first was refused; on a busy machine that takes its time.
			if (now > opensAt - 500 && now < opensAt) early += 1;
			count += 1;
			if (count <= 20) return done(exchange);
			refused += 1;
			opensAt = now + 1000;
			limited(exchange.response, "1");
		});
		let next = 0;
		const created: unknown[] = [];
		const work = Array.from({ length: callers }, async () => {
			while (next++ < 60) created.push(await calls.createSchedule.run(client));
		});
		await Promise.all(work);
		expect(created).toHaveLength(60);
		expect(early).toBe(0);
		expect(server.requests).toHaveLength(60 + refused);
		expect(refused).toBeLessThan(40);
	});
});

describe("a write that was sent away", () => {
	test("holds the writes of all others until the announced time, and no reads", async () => {
		const moments: number[] = [];
		const { client } = await connect(({ index, request, response }) => {
			if (request.method === "GET") return json(response, 200, []);
			moments.push(performance.now());
			if (index === 0) limited(response, "1");
			else json(response, 200, { ok: true });
		});
		const first = remove(client, 1);
		while (moments.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		await new Promise((resolve) => setTimeout(resolve, 50));
		const others = [2, 3, 4].map((id) => remove(client, id));
		const readAt = performance.now();
		await client.clusters.list();
		expect(performance.now() - readAt).toBeLessThan(500);
		await Promise.all([first, ...others]);
		const [refusedAt = 0, ...later] = moments;
		expect(later).toHaveLength(4);
		for (const moment of later) expect(moment - refusedAt).toBeGreaterThanOrEqual(1000);
	});

	test("uses up neither its attempts nor the budget for retries", async () => {
		const { client, server } = await connect(
			({ index, response }) => {
				if (index < 6) limited(response, "0");
				else if (index === 6) json(response, 503, {});
				else json(response, 200, { ok: true });
			},
			{ maxAttempts: 2, retryBudget: 1 },
		);
		await remove(client);
		expect(server.requests).toHaveLength(8);
	});

	test("is not sent again where nothing may be sent twice", async () => {
		const { client, server } = await connect(({ response }) => limited(response, "0"), { maxAttempts: 1 });
		expect(await failureOf(remove(client))).toMatchObject({ name: "RateLimitedError", attempts: 1 });
		expect(server.requests).toHaveLength(1);
	});

	test("tells of its retry with the time that is left", async () => {
		const retries: RetryInfo[] = [];
		const { client } = await connect(
			({ index, response }) => (index === 0 ? limited(response, "1") : json(response, 200, { ok: true })),
			{ onRetry: (info) => retries.push(info) },
		);
		await remove(client);
		expect(retries).toHaveLength(1);
		expect(retries[0]).toMatchObject({ attempt: 1, because: "RateLimitedError" });
		expect(retries[0]?.delayMillis).toBeGreaterThan(900);
		expect(retries[0]?.delayMillis).toBeLessThanOrEqual(1000);
	});

	test("with an announced time beyond all patience ends the writes that wait, and the next, unsent", async () => {
		const { client, server } = await connect(
			({ response }) => setTimeout(() => limited(response, "3600"), 50),
			{ maxConcurrentWrites: 1 },
		);
		const [first, second] = await Promise.all([failureOf(remove(client, 1)), failureOf(remove(client, 2))]);
		expect(first).toMatchObject({ name: "RateLimitedError", status: 429, attempts: 1 });
		const unsent = { name: "RateLimitedError", status: undefined, attempts: 0, received: false };
		expect(second).toMatchObject(unsent);
		expect(await failureOf(remove(client, 3))).toMatchObject(unsent);
		expect(String(second)).toMatch(/the service limits the rate of requests\. Try again at 20\d\d-/);
		expect(server.requests).toHaveLength(1);
	});
});

describe("waiting for its turn", () => {
	test("does not count against a call's deadline", async () => {
		const { client } = await connect(
			({ response }) => setTimeout(() => json(response, 200, { ok: true }), 150),
			{ maxConcurrentWrites: 1, deadlineMillis: 400 },
		);
		const replies = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => remove(client, id)));
		expect(replies).toHaveLength(6);
	});

	test("does not count when it is the announced time that is waited for", async () => {
		const { client } = await connect(
			({ index, response }) => (index === 0 ? limited(response, "1") : json(response, 200, { ok: true })),
			{ deadlineMillis: 500 },
		);
		await remove(client);
	});

	test("ends after the longest wait, with an error that says which limit ran out", async () => {
		const { client, server } = await connect(() => {}, { maxConcurrentWrites: 1, maxWaitMillis: 200 });
		const first = failureOf(remove(client, 1));
		const error = await failureOf(remove(client, 2));
		expect(error).toMatchObject({ name: "TimeoutError", kind: "admission", received: false, attempts: 0 });
		expect(String(error)).toContain("its turn did not come within 0.2 s");
		expect(server.requests).toHaveLength(1);
		await client.close();
		await first;
	});

	test("ends with the caller's signal, unsent", async () => {
		const { client, server } = await connect(() => {}, { maxConcurrentWrites: 1 });
		const first = failureOf(remove(client, 1));
		const waiting = client.schedules.delete({ schedule_id: 2 }, { signal: AbortSignal.timeout(100) });
		expect(await failureOf(waiting)).toMatchObject({ name: "AbortedError", received: false, attempts: 0 });
		expect(server.requests).toHaveLength(1);
		await client.close();
		await first;
	});

	test("ends when the client is closed", async () => {
		const { client } = await connect(() => {}, { maxConcurrentWrites: 1 });
		const both = [failureOf(remove(client, 1)), failureOf(remove(client, 2))];
		await new Promise((resolve) => setTimeout(resolve, 50));
		await client.close();
		for (const error of await Promise.all(both)) expect(String(error)).toContain("the client was closed");
	});
});

describe("concurrency", () => {
	async function mostAtOnce(options: ClientOptions): Promise<number> {
		let [running, most] = [0, 0];
		const { client } = await connect(({ response }) => {
			running += 1;
			most = Math.max(most, running);
			setTimeout(() => {
				running -= 1;
				json(response, 200, { ok: true });
			}, 100);
		}, options);
		await Promise.all(Array.from({ length: 45 }, (_, id) => remove(client, id)));
		return most;
	}

	test.each<[number, ClientOptions]>([
		[16, {}],
		[40, { maxConcurrentWrites: 40 }],
		[40, { maxConcurrentWrites: 40, maxConnections: 4 }],
		[3, { maxConnections: 3 }],
	])("%d writes run at once with %o", async (expected, options) => {
		expect(await mostAtOnce(options)).toBe(expected);
	});
});

test("a read that was sent away respects the announced time, for all reads and for the writes", async () => {
	const moments: { method: string; at: number }[] = [];
	const { client } = await connect(({ index, request, response }) => {
		moments.push({ method: request.method, at: performance.now() });
		if (index === 0) limited(response, "1");
		else json(response, 200, request.method === "GET" ? [] : { ok: true });
	});
	const first = client.clusters.list();
	while (moments.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	await new Promise((resolve) => setTimeout(resolve, 50));
	await Promise.all([first, client.clusters.list(), remove(client)]);
	const [refused, ...later] = moments;
	expect(later).toHaveLength(3);
	for (const { at } of later) expect(at - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1000);
});
