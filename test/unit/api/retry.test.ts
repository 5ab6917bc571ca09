import { describe, expect, onTestFinished, test } from "vitest";
import { Clock } from "../../../src/api/clock";
import {
	type ApiError,
	NetworkError,
	RateLimitedError,
	RefusedError,
	ServerError,
	TimeoutError,
	type WasReceived,
	worseOf,
} from "../../../src/api/errors";
import { type ClientOptions, limitsOf, type RetryInfo } from "../../../src/api/options";
import { backoffMillis, mayRetry, Queue } from "../../../src/api/queue";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";
import { callFacts, callTo } from "../../helpers/api-calls";

const facts = callFacts();
const reset = () => new NetworkError(facts, "ECONNRESET", "unknown");
const refused = () => new NetworkError(facts, "ECONNREFUSED", false);
const limited = (millis?: number) => new RateLimitedError(facts, { status: 429, retryAfterMillis: millis });
const failing = (retryAfterMillis?: number) => new ServerError(facts, { status: 503, retryAfterMillis });

interface Given extends ClientOptions {
	readonly operation?: EndpointName;
	readonly deadlineMillis?: number;
}

/** A client's part that sends: fails in the given ways, one after the other, and then succeeds. */
function sender({ operation = "deleteSchedule", deadlineMillis = 60_000, ...options }: Given = {}) {
	const retries: RetryInfo[] = [];
	let clock: Clock | undefined;
	const onRetry = (info: RetryInfo) => {
		retries.push(info);
		options.onRetry?.(info);
	};
	const queue = new Queue(limitsOf({ random: () => 0, ...options, onRetry }));
	return {
		retries,
		cancel: () => clock?.cancel(),
		async send(...failures: (() => unknown)[]) {
			const seen: [attempt: number, before: WasReceived][] = [];
			const own = new Clock(deadlineMillis);
			clock = own;
			onTestFinished(() => own.close());
			const outcome = await queue
				.send({ ...callTo(operation), clock }, async ({ attempts, receivedBefore }) => {
					seen.push([attempts, receivedBefore]);
					const failure = failures.shift();
					if (failure) throw failure();
					return "done";
				})
				.catch((error: unknown) => error);
			return { outcome, seen };
		},
	};
}

describe("a failed attempt", () => {
	test("is followed by another one, which knows whether an earlier one may have been received", async () => {
		const { send } = sender();
		expect(await send(refused, failing, refused)).toEqual({
			outcome: "done",
			seen: [
				[1, false],
				[2, false],
				[3, "unknown"],
				[4, "unknown"],
			],
		});
	});

	test("is the last one if no more are allowed", async () => {
		const { send } = sender({ maxAttempts: 3 });
		const { outcome, seen } = await send(reset, reset, failing, reset);
		expect(outcome).toMatchObject({ name: "ServerError" });
		expect(seen).toHaveLength(3);
	});

	test.each<[string, Given, () => unknown]>([
		["it is no failure of the service", {}, () => new TypeError("mine")],
		["there may be one only, and the service has too many", { maxAttempts: 1 }, () => limited()],
		["it may have done what may be done once only", { operation: "createSchedule" }, reset],
		["nothing is left of the budget", { retryBudget: 0 }, reset],
	])("is not repeated if %s", async (_, given, failure) => {
		const { send, retries } = sender(given);
		const { seen, outcome } = await send(failure);
		expect(outcome).toEqual(failure());
		expect(seen).toEqual([[1, false]]);
		expect(retries).toEqual([]);
	});

	test("of a request that must not be done twice is repeated only if it was surely not received", async () => {
		const { send } = sender({ operation: "createJob" });
		expect((await send(refused, () => limited(), refused)).outcome).toBe("done");
		expect((await send(refused, reset)).outcome).toEqual(reset());
	});
});

test("a rate-limited request counts neither as an attempt nor against the retry budget", async () => {
	const { send, retries } = sender({ maxAttempts: 2, retryBudget: 1 });
	const { outcome, seen } = await send(
		() => limited(),
		() => limited(),
		() => limited(50),
		reset,
		() => limited(),
	);
	expect(outcome).toBe("done");
	expect(seen.map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
	expect(retries[2]).toMatchObject({ attempt: 3, because: "RateLimitedError" });
	expect(retries[2]?.delayMillis).toBeGreaterThan(40);
});

describe("the wait before the next attempt", () => {
	test("doubles with each failure, and onRetry is told of it", async () => {
		const { send, retries } = sender({ random: () => 0.05 });
		await send(reset, failing, reset);
		const request = { method: "POST", path: "/x/" };
		expect(retries).toEqual([
			{ ...request, attempt: 1, delayMillis: 10, because: "NetworkError" },
			{ ...request, attempt: 2, delayMillis: 20, because: "ServerError" },
			{ ...request, attempt: 3, delayMillis: 40, because: "NetworkError" },
		]);
	});

	test("is the Retry-After of the service plus a quarter of the own pause", async () => {
		const { send, retries } = sender({ random: () => 0.1 });
		const start = performance.now();
		await send(() => failing(35));
		expect(retries).toMatchObject([{ delayMillis: 40 }]);
		expect(performance.now() - start).toBeGreaterThanOrEqual(38);
	});

	test("ends at once when the caller gives up", async () => {
		const { send, cancel } = sender({ onRetry: () => cancel() });
		const { outcome } = await send(() => failing(30_000));
		expect(outcome).toMatchObject({ name: "AbortedError", attempts: 1, received: "unknown" });
	});

	test.each<[string, () => ApiError, Given]>([
		["the service asks for more time than is left", () => failing(150), { deadlineMillis: 150 }],
		["its own pause is longer than what is left", reset, { deadlineMillis: 150, random: () => 0.9 }],
	])("is not begun if %s, and costs nothing of the retry budget", async (_, failure, given) => {
		const { send, retries } = sender({ ...given, retryBudget: 1 });
		expect((await send(failure)).outcome).toEqual(failure());
		expect(retries).toEqual([]);
		expect((await send(() => failing(1))).outcome).toBe("done");
	});
});

test("successful requests refill the retry budget, up to its size", async () => {
	const { send } = sender({ retryBudget: 1 });
	for (let i = 0; i < 30; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
	expect((await send(reset)).outcome).toEqual(reset());
	for (let i = 0; i < 11; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
});

describe("what may be sent again: always, and only if the service surely did nothing", () => {
	const lost = callFacts({ receivedBefore: "unknown" });
	const timeout = (kind: TimeoutError["kind"], call = facts, received: WasReceived = false) =>
		new TimeoutError(call, kind, received, 1);

	test.each<[string, ApiError, boolean, boolean]>([
		["a rate limit after a lost attempt", new RateLimitedError(lost, { status: 429 }), true, false],
		["no connection in time", timeout("connect"), true, true],
		["no connection after a lost attempt", timeout("connect", lost), true, false],
		["silence", timeout("reply", facts, "unknown"), true, false],
		["the service's own limit of time", timeout("server", facts, "unknown"), true, false],
		["the deadline of the call", timeout("deadline"), false, false],
		["a maximum wait that is over", timeout("queue"), false, false],
		["a refusal", new RefusedError(facts, { status: 200 }), false, false],
	])("%s", (_, error, always, unreceived) => {
		expect([mayRetry("always", error), mayRetry("unreceived", error)]).toEqual([always, unreceived]);
	});
});

test("what an earlier attempt may have done is not forgotten in a later one", () => {
	expect(worseOf(false, false)).toBe(false);
	expect(worseOf("unknown", false)).toBe("unknown");
	expect(worseOf(false, true)).toBe(true);
	expect(worseOf(true, "unknown")).toBe(true);
});

test("backoff has a ceiling that doubles from 200 ms to 8 s, and full jitter below it", () => {
	const ceilings = [1, 2, 3, 4, 5, 6, 7, 50, 5000].map((attempt) => backoffMillis(attempt, () => 1));
	expect(ceilings).toEqual([200, 400, 800, 1600, 3200, 6400, 8000, 8000, 8000]);
	expect(backoffMillis(3, () => 0)).toBe(0);
	expect(backoffMillis(1, () => 0.999)).toBe(199);
});
