import { describe, expect, onTestFinished, test } from "vitest";
import { Clock } from "../../../src/api/clock";
import {
	type ApiError,
	NetworkError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
	type WasReceived,
	worseOf,
} from "../../../src/api/errors";
import { type ClientOptions, limitsOf, type RetryInfo } from "../../../src/api/options";
import { backoffMillis, mayRetry, Queue } from "../../../src/api/queue";
import { ExchangeFault, faultError } from "../../../src/api/transport";
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
	const odd = (transient: boolean) => new UnexpectedReplyError(facts, { why: "", received: true, transient });

	test.each<[string, ApiError, boolean, boolean]>([
		["a rate limit", limited(), true, true],
		["a rate limit after a lost attempt", new RateLimitedError(lost, { status: 429 }), true, false],
		["a refused connection", refused(), true, true],
		["a refused connection after a lost attempt", new NetworkError(lost, "ECONNREFUSED", false), true, false],
		["a reset", reset(), true, false],
		["a certificate that stays", new NetworkError(facts, "CERT_HAS_EXPIRED", false), false, false],
		["no connection in time", timeout("connect"), true, true],
		["no connection after a lost attempt", timeout("connect", lost), true, false],
		["silence", timeout("reply", facts, "unknown"), true, false],
		["the service's own limit of time", timeout("server", facts, "unknown"), true, false],
		["the deadline of the call", timeout("deadline"), false, false],
		["a maximum wait that is over", timeout("queue"), false, false],
		["a failure of the service", failing(), true, false],
		["a reply that was cut off", odd(true), true, false],
		["a reply of another form", odd(false), false, false],
		["a refusal", new RefusedError(facts, { status: 200 }), false, false],
		["what is not there", new NotFoundError(facts, { status: 404, serverMessage: "no" }), false, false],
	])("%s", (_, error, always, unreceived) => {
		expect([mayRetry("always", error), mayRetry("unreceived", error)]).toEqual([always, unreceived]);
	});
});

describe("a broken exchange becomes the error for its cause", () => {
	const errorOf = (fault: ExchangeFault, clock = new Clock(1_000)) => {
		clock.close();
		return faultError(fault, facts, clock, limitsOf({}));
	};

	const silent = { name: "TimeoutError", kind: "reply", received: "unknown" };
	const unconnected = { name: "TimeoutError", kind: "connect", received: false };
	const broken = { name: "UnexpectedReplyError", status: undefined, received: "unknown", transient: true };
	const tooLarge = { ...broken, status: 200, received: true, transient: false };
	const TOO_LARGE =
		"the response is larger than the limit of 33554432 bytes. Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.";
	const BROKEN = "the response is broken or cut off (HPE_INVALID_CONSTANT). Check that the base URL";
	const lost = { name: "NetworkError", received: "unknown" };
	const unsent = { name: "NetworkError", received: false };
	test.each<[...ConstructorParameters<typeof ExchangeFault>, error: object, says: string]>([
		["timeout", "ETIMEDOUT", false, undefined, unconnected, "no connection within 20 s, "],
		["timeout", "ETIMEDOUT", true, undefined, silent, "the service was silent for 20 s, "],
		["network", "ENOTFOUND", false, undefined, unsent, "the base URL's host name is not known (ENOTFOUND)"],
		["too-large", "over", true, 200, tooLarge, TOO_LARGE],
		["broken", "HPE_INVALID_CONSTANT", true, undefined, broken, BROKEN],
		["aborted", "UND_ERR_ABORTED", true, undefined, lost, "the network failed (UND_ERR_ABORTED)"],
	])("%s (%s), sent: %s, status %s", (kind, code, sent, status, error, says) => {
		const found = errorOf(new ExchangeFault(kind, code, sent, status));
		expect(found).toMatchObject(error);
		expect(found.message).toContain(`: ${says}`);
	});

	test("unless the caller or the deadline ended it: then that is the error", async () => {
		const cancelled = new Clock(60_000);
		cancelled.cancel();
		const broken = new ExchangeFault("network", "ECONNRESET", true);
		const aborted = { name: "AbortedError", code: "ABORT_ERR", received: "unknown" };
		expect(errorOf(broken, cancelled)).toMatchObject(aborted);
		const late = new Clock(1);
		await late.wait(60_000);
		const within = new ExchangeFault("broken", "UND_ERR_ABORTED", true, 200);
		expect(errorOf(within, late)).toMatchObject({ name: "TimeoutError", kind: "deadline", received: true });
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
