import { afterEach, describe, expect, test } from "vitest";
import type { ClientOptions, DataChainClient } from "../../src/api";
import { calls } from "../helpers/api-calls";
import {
	clientFor,
	type Exchange,
	failureOf,
	json,
	type RawServer,
	startRawServer,
} from "../helpers/api-servers";
import { skipLongWaits } from "../helpers/virtual-time";

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

describe("a rate limit of 20 writes in 20 seconds", () => {
	test.each([12, 32])("lets 60 creates of %d callers through, each once", async (callers) => {
		skipLongWaits();
		let [start, count, refused, early] = [0, 0, 0, 0];
		let opensAt = 0;
		const { client, server } = await connect((exchange) => {
			const now = performance.now();
			if (now - start >= 20_000) [start, count] = [now, 0];
			// The others of the burst were under way when the first was refused; on a busy machine that takes its time.
			if (now > opensAt - 10_000 && now < opensAt) early += 1;
			count += 1;
			if (count <= 20) return done(exchange);
			refused += 1;
			opensAt = now + 20_000;
			limited(exchange.response, "20");
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

describe("three refusals that each ask for 25 seconds", () => {
	const writes = [
		"createJob",
		"triggerPipeline",
		"removeJob",
		"uploadFile",
		"createSchedule",
		"updateSettings",
	] as const;

	test.each(writes)("are waited for by %s, which is then done once", async (name) => {
		skipLongWaits();
		const moments: number[] = [];
		const { client } = await connect(({ index, response }) => {
			moments.push(performance.now());
			if (index < 3) limited(response, "25");
			else json(response, 200, calls[name].reply);
		});
		await calls[name].run(client);
		expect(moments).toHaveLength(4);
		for (const [index, moment] of moments.entries())
			if (index > 0) expect(moment - (moments[index - 1] ?? 0)).toBeGreaterThanOrEqual(25_000);
	});

	test("do not make a request that may have been done be sent again", async () => {
		const { client, server } = await connect(({ index, response, socket }) =>
			index === 0 ? limited(response, "0") : socket.destroy(),
		);
		expect(await failureOf(calls.createJob.run(client))).toMatchObject({
			name: "NetworkError",
			received: "unknown",
			attempts: 2,
		});
		expect(server.requests).toHaveLength(2);
	});
});

describe("a refusal that says to come back at once", () => {
	test("ends after the longest wait where the service always says to come back at once, and asks rarely", async () => {
		const { client, server } = await connect(({ response }) => limited(response, "0"), {
			maxWaitMillis: 3_000,
		});
		const startedAt = performance.now();
		const errors = await Promise.all(
			[1, 2, 3].flatMap((id) => [failureOf(remove(client, id)), failureOf(client.clusters.list())]),
		);
		expect(performance.now() - startedAt).toBeLessThan(15_000);
		for (const error of errors) expect(error).toMatchObject({ name: "RateLimitedError", received: false });
		expect(String(errors[0])).toMatch(/after \d attempts .* Try again later, or with less parallelism\.$/);
		// Three reads and three writes, and then for each of the two one request at a time.
		expect(server.requests.length).toBeLessThan(6 + 2 * 6);
	});

	test("the look before a repetition is not the call's own time", async () => {
		const { client } = await connect(
			(exchange) => (exchange.index === 0 ? limited(exchange.response, "0") : done(exchange)),
			{ deadlineMillis: 1_000 },
		);
		const mayRepeat = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 1_500));
		const request = { schedule_name: "a", pipeline_name: "p", cron_expression: "0 3 * * *" };
		expect(await client.schedules.create(request, { mayRepeat })).toMatchObject({ schedule: { id: 7 } });
	});
});

describe("concurrency", () => {
	/** Answers once as many requests as expected have come, after a moment for one more; or when no more come. */
	async function mostAtOnce(expected: number, options: ClientOptions): Promise<number> {
		let most = 0;
		let held: (() => void)[] = [];
		let timer: NodeJS.Timeout | undefined;
		const release = () => {
			for (const answer of held.splice(0)) answer();
		};
		const { client } = await connect(({ response }) => {
			held = [...held, () => json(response, 200, { ok: true })];
			most = Math.max(most, held.length);
			clearTimeout(timer);
			timer = setTimeout(release, held.length >= expected ? 100 : 5_000);
		}, options);
		await Promise.all(Array.from({ length: 3 * expected }, (_, id) => remove(client, id)));
		return most;
	}

	test.each<[number, ClientOptions]>([
		[16, {}],
		[40, { maxConcurrentWrites: 40 }],
		[40, { maxConcurrentWrites: 40, maxConnections: 4 }],
		[3, { maxConnections: 3 }],
	])("%d writes run at once with %o", async (expected, options) => {
		expect(await mostAtOnce(expected, options)).toBe(expected);
	});
});
