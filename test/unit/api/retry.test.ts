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
import { askedDelay, backoffMillis, mayRetry, Queue } from "../../../src/api/queue";
import { retryAfterMillis } from "../../../src/api/reply";
import { ExchangeFault, faultError } from "../../../src/api/transport";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";
import { callFacts, callTo } from "../../helpers/api-calls";

const reset = () => new NetworkError(callFacts(), "ECONNRESET", "unknown");
const refused = () => new NetworkError(callFacts(), "ECONNREFUSED", false);
const limited = (millis?: number) => new RateLimitedError(callFacts(), 429, undefined, millis);
const failing = (retryAfterMillis?: number) => new ServerError(callFacts(), 503, undefined, retryAfterMillis);

interface Given extends ClientOptions {
	readonly operation?: EndpointName;
	readonly deadlineMillis?: number;
}

/** A client's part that sends: fails in the given ways, one after the other, and then succeeds. */
function sender({ operation = "deleteSchedule", deadlineMillis = 60_000, ...options }: Given = {}) {
	const retries: RetryInfo[] = [];
	const limits = limitsOf({ random: () => 0, onRetry: (info) => retries.push(info), ...options });
	const queue = new Queue(limits);
	const call = () => {
		const clock = new Clock(deadlineMillis);
		onTestFinished(() => clock.close());
		return { ...callTo(operation), clock };
	};
	return {
		retries,
		call,
		queue,
		async send(...failures: (() => unknown)[]) {
			const seen: [attempt: number, before: WasReceived][] = [];
			const outcome = await queue
				.send(call(), async ({ attempts, receivedBefore }) => {
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

describe("an attempt that failed", () => {
	test("is followed by another, which knows what those before it may have done", async () => {
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

	test("is the last where there may be no more", async () => {
		const { send } = sender({ maxAttempts: 3 });
		const { outcome, seen } = await send(reset, reset, failing, reset);
		expect(outcome).toMatchObject({ name: "ServerError" });
		expect(seen).toHaveLength(3);
	});

	test.each<[string, Given, () => unknown]>([
		["another would not change the answer", {}, () => new NotFoundError(callFacts(), 404, "no", true)],
		["it is no failure of the service", {}, () => new TypeError("mine")],
		["there may be one only", { maxAttempts: 1 }, reset],
		["there may be one only, and the service has too many", { maxAttempts: 1 }, () => limited()],
		["it may have done what may be done once only", { operation: "createSchedule" }, reset],
		["nothing is left of the budget", { retryBudget: 0 }, reset],
	])("is the only one where %s", async (_, given, failure) => {
		const { send, retries } = sender(given);
		const { seen, outcome } = await send(failure);
		expect(outcome).toEqual(failure());
		expect(seen).toEqual([[1, false]]);
		expect(retries).toEqual([]);
	});

	test.each<EndpointName>(["createJob", "triggerPipeline", "removeJob", "uploadFile", "createSchedule"])(
		"is followed by another where each one does new work, and it surely did none: %s",
		async (operation) => {
			const { send } = sender({ operation });
			expect((await send(refused, () => limited(), refused)).outcome).toBe("done");
			expect((await send(refused, reset)).outcome).toMatchObject({
				name: "NetworkError",
				code: "ECONNRESET",
			});
		},
	);
});

test("who was sent away waits until everybody may go", async () => {
	const { send, retries } = sender();
	const start = performance.now();
	expect((await send(() => limited(50))).outcome).toBe("done");
	expect(retries[0]?.delayMillis).toBeGreaterThan(40);
	expect(performance.now() - start).toBeGreaterThanOrEqual(48);
});

test("being sent away as one too many counts neither as an attempt nor against the budget", async () => {
	const { send, retries } = sender({ maxAttempts: 2, retryBudget: 1 });
	const { outcome, seen } = await send(
		() => limited(),
		() => limited(),
		() => limited(),
		reset,
		() => limited(),
	);
	expect(outcome).toBe("done");
	expect(seen.map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
	expect(retries[2]).toMatchObject({ attempt: 3, because: "RateLimitedError" });
});

describe("the wait before the next attempt", () => {
	const delays = async (given: Given, ...failures: (() => ApiError)[]) => {
		const { send, retries } = sender(given);
		const { outcome } = await send(...failures);
		return { outcome, delays: retries.map(({ delayMillis }) => delayMillis) };
	};

	test("doubles with each failure, and is told", async () => {
		const { send, retries } = sender({ random: () => 0.05 });
		await send(reset, failing, reset);
		const request = { method: "POST", path: "/x/" };
		expect(retries).toEqual([
			{ ...request, attempt: 1, delayMillis: 10, because: "NetworkError" },
			{ ...request, attempt: 2, delayMillis: 20, because: "ServerError" },
			{ ...request, attempt: 3, delayMillis: 40, because: "NetworkError" },
		]);
	});

	test("is what the service asked for, and a quarter of its own on top", async () => {
		expect(await delays({ random: () => 0.1 }, () => failing(15))).toEqual({ outcome: "done", delays: [20] });
	});

	test("really passes", async () => {
		const start = performance.now();
		await delays({}, () => failing(40));
		expect(performance.now() - start).toBeGreaterThanOrEqual(38);
	});

	test.each<[string, () => ApiError, Given]>([
		["the service asks for more time than is left", () => failing(150), { deadlineMillis: 150 }],
		["its own pause is longer than what is left", reset, { deadlineMillis: 150, random: () => 0.9 }],
	])("is not begun where %s, and costs nothing of the budget", async (_, failure, given) => {
		const { send, retries } = sender({ ...given, retryBudget: 1 });
		expect((await send(failure)).outcome).toEqual(failure());
		expect(retries).toEqual([]);
		expect((await send(() => failing(1))).outcome).toBe("done");
	});
});

test("successes earn what retries cost, and never more than the budget", async () => {
	const { send } = sender({ retryBudget: 1 });
	for (let i = 0; i < 30; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
	expect((await send(reset)).outcome).toEqual(reset());
	for (let i = 0; i < 11; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
});

const call = {
	what: "try",
	method: "POST",
	path: "/x",
	attempts: 1,
	teamName: "ml",
	receivedBefore: false,
} as const;

function errorOf(fault: ExchangeFault): ApiError {
	const clock = new Clock(1000, undefined);
	clock.close();
	return faultError(fault, call, clock, limitsOf({}));
}
const verdicts = (error: ApiError) =>
	(["always", "unreceived"] as const).map((retry) => mayRetry(retry, error));

describe("what may be sent again", () => {
	const lost = { ...call, receivedBefore: "unknown" } as const;
	test.each<[string, () => ApiError, boolean, boolean]>([
		["a rate limit", () => new RateLimitedError(call, 429, undefined, undefined), true, true],
		[
			"a rate limit after a lost attempt",
			() => new RateLimitedError(lost, 429, undefined, undefined),
			true,
			false,
		],
		["a refused connection", () => new NetworkError(call, "ECONNREFUSED", false), true, true],
		["a reset", () => new NetworkError(call, "ECONNRESET", "unknown"), true, false],
		["a certificate that stays", () => new NetworkError(call, "CERT_HAS_EXPIRED", false), false, false],
		["no connection in time", () => new TimeoutError(call, "connect", false, 1), true, true],
		[
			"a refused connection after a lost attempt",
			() => new NetworkError(lost, "ECONNREFUSED", false),
			true,
			false,
		],
		["no connection after a lost attempt", () => new TimeoutError(lost, "connect", false, 1), true, false],
		["silence that was surely not heard", () => new TimeoutError(call, "reply", false, 1), true, false],
		["the service's own limit of time", () => new TimeoutError(call, "server", "unknown", 0), true, false],
		["the deadline of the call", () => new TimeoutError(call, "deadline", false, 1), false, false],
		["a maximum wait that is over", () => new TimeoutError(call, "queue", false, 1), false, false],
		["a failure of the service", () => new ServerError(call, 500, undefined, undefined), true, false],
		[
			"a reply that was cut off",
			() => new UnexpectedReplyError(call, { why: "", received: true, broken: true }),
			true,
			false,
		],
		[
			"a reply of another form",
			() => new UnexpectedReplyError(call, { why: "", received: true }),
			false,
			false,
		],
		["a refusal", () => new RefusedError(call, 200, undefined), false, false],
		["what is not there", () => new NotFoundError(call, 404, "no", true), false, false],
	])("%s", (_, error, always, unreceived) => {
		expect(verdicts(error())).toEqual([always, unreceived]);
	});
});

test.each<[string, () => ApiError, number | undefined]>([
	["a rate limit", () => new RateLimitedError(call, 429, undefined, 7), 7],
	["a failing service", () => new ServerError(call, 503, undefined, 7), 7],
	[
		"a failing service that says nothing of time",
		() => new ServerError(call, 503, undefined, undefined),
		undefined,
	],
	["a lost connection", () => new NetworkError(call, "ECONNRESET", "unknown"), undefined],
])("the wait that %s asks for", (_, error, millis) => {
	expect(askedDelay(error())).toBe(millis);
});

test.each<[ExchangeFault, object, string]>([
	[
		new ExchangeFault("connect-timeout", "UND_ERR_CONNECT_TIMEOUT", false),
		{ name: "TimeoutError", kind: "connect", received: false },
		"no connection within 20 s",
	],
	[
		new ExchangeFault("connect-timeout", "ETIMEDOUT", true),
		{ name: "TimeoutError", kind: "reply", received: "unknown" },
		"the service was silent for 20 s",
	],
	[
		new ExchangeFault("network", "ENOTFOUND", false),
		{ name: "NetworkError", code: "ENOTFOUND", received: false },
		"the base URL's host name is not known (ENOTFOUND)",
	],
	[
		new ExchangeFault("reply-timeout", "UND_ERR_HEADERS_TIMEOUT", true),
		{ name: "TimeoutError", kind: "reply", received: "unknown" },
		"the service was silent for 20 s",
	],
	[
		new ExchangeFault("too-large", "over", true, 200),
		{ name: "UnexpectedReplyError", status: 200, received: true, broken: false },
		"the response is larger than the limit of 33554432 bytes. Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.",
	],
	[
		new ExchangeFault("broken", "HPE_INVALID_CONSTANT", true),
		{ name: "UnexpectedReplyError", status: undefined, received: "unknown", broken: true },
		"the response is broken or cut off (HPE_INVALID_CONSTANT). Check that the base URL",
	],
	[
		new ExchangeFault("aborted", "UND_ERR_ABORTED", true),
		{ name: "NetworkError", code: "UND_ERR_ABORTED", received: "unknown" },
		"the network failed (UND_ERR_ABORTED)",
	],
])("$message becomes the error that it stands for", (fault, properties, says) => {
	const error = errorOf(fault);
	expect(error).toMatchObject(properties);
	expect(error.message).toContain(`: ${says}`);
});

test.each([
	["its caller", { name: "AbortedError", code: "ABORT_ERR", received: "unknown" }],
	["its deadline", { name: "TimeoutError", kind: "deadline", received: "unknown" }],
])("a call that was ended by %s says so, whatever broke then", async (by, properties) => {
	const broken = new ExchangeFault("network", "ECONNRESET", true);
	const clock = new Clock(by === "its caller" ? 60_000 : 1);
	if (by === "its caller") clock.cancel();
	await clock.wait(60_000);
	clock.close();
	expect(faultError(broken, call, clock, limitsOf({}))).toMatchObject(properties);
});

test("certainty is never gained from a later attempt", () => {
	expect(worseOf(false, false)).toBe(false);
	expect(worseOf("unknown", false)).toBe("unknown");
	expect(worseOf(false, true)).toBe(true);
	expect(worseOf(true, "unknown")).toBe(true);
});

describe("backoff", () => {
	test("the ceiling doubles from 200 ms and stays at 8 s", () => {
		const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 50, 5000].map((attempt) => backoffMillis(attempt, () => 1));
		expect(ceilings).toEqual([200, 400, 800, 1600, 3200, 6400, 8000, 8000, 8000, 8000]);
	});

	test("jitter is full: from nothing up to the ceiling", () => {
		expect(backoffMillis(3, () => 0)).toBe(0);
		expect(backoffMillis(3, () => 0.5)).toBe(400);
		expect(backoffMillis(1, () => 0.999)).toBe(199);
	});
});

describe("Retry-After", () => {
	const now = Date.parse("2026-01-01T00:00:00Z");

	test.each([
		["0", 0],
		["7", 7000],
		[" 7 ", 7000],
		["1.5", 1500],
		["0.25", 250],
		["1.0005", 1001],
		["999999999", 999_999_999_000],
		["Wed 31 Dec 2025 23:59:00 GMT", 0],
		["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
		["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
		["Wed, 31 Dec 2025 23:00:00 GMT", 0],
	])("%j means %d ms from now", (header, millis) => {
		expect(retryAfterMillis(header, now)).toBe(millis);
	});

	test.each([
		undefined,
		"",
		"soon",
		"-1",
		"1e3x",
		"NaN",
		"Foo, bar",
		"1000000000",
		"x7",
		"7x",
		"1.",
		"2026-01-01",
		"12 Jan 2026",
		"x Thu, 01 Jan 2026 00:00:30 GMT",
	])("%j is not understood", (header) => {
		expect(retryAfterMillis(header, now)).toBeUndefined();
	});
});
