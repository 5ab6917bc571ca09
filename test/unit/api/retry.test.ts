import { describe, expect, onTestFinished, test } from "vitest";
import { CallClock } from "../../../src/api/call-clock";
import { Scopes } from "../../../src/api/call-scope";
import {
	type ApiError,
	NetworkError,
	NotFoundError,
	RateLimitedError,
	ServerError,
	type WasReceived,
} from "../../../src/api/errors";
import { Lanes } from "../../../src/api/lanes";
import { type ClientOptions, limitsOf, type RetryInfo } from "../../../src/api/options";
import { RetryBudget, retried } from "../../../src/api/retry";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";
import { callFacts } from "../../helpers/api-call-facts";

const reset = () => new NetworkError(callFacts(), "ECONNRESET", "unknown");
const refused = () => new NetworkError(callFacts(), "ECONNREFUSED", false);
const limited = (millis?: number) => new RateLimitedError(callFacts(), 429, undefined, millis);
const failing = (retryAfterMillis?: number) => new ServerError(callFacts(), 503, undefined, retryAfterMillis);

interface Given extends ClientOptions {
	readonly operation?: EndpointName;
	readonly repeatable?: () => boolean;
	readonly deadlineMillis?: number;
}

/** A client's part that sends: fails in the given ways, one after the other, and then succeeds. */
function sender({
	operation = "deleteSchedule",
	repeatable,
	deadlineMillis = 60_000,
	...options
}: Given = {}) {
	const retries: RetryInfo[] = [];
	const limits = limitsOf({ random: () => 0, onRetry: (info) => retries.push(info), ...options });
	const settings = { limits, budget: new RetryBudget(limits.retryBudget), lanes: new Lanes(limits) };
	const call = () => {
		const clock = new CallClock(deadlineMillis);
		onTestFinished(() => clock.close());
		const request = { path: "/x/", query: "", body: undefined, fields: {} };
		return { operation, request, clock, extras: repeatable ? { repeatable } : {} };
	};
	return {
		retries,
		call,
		lanes: settings.lanes,
		async send(...failures: (() => unknown)[]) {
			const seen: [attempt: number, before: WasReceived][] = [];
			const outcome = await retried(call(), settings, async (attempt, before) => {
				seen.push([attempt, before]);
				const failure = failures.shift();
				if (failure) throw failure();
				return "done";
			}).catch((error: unknown) => error);
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
		["the endpoint does not bear a second one", { operation: "createJob" }, refused],
		["it may have done what may be done once only", { operation: "createSchedule" }, reset],
		["the same could not be sent again", { repeatable: () => false }, reset],
		["nothing is left of the budget", { retryBudget: 0 }, reset],
	])("is the only one where %s", async (_, given, failure) => {
		const { send, retries } = sender(given);
		const { seen, outcome } = await send(failure);
		expect(outcome).toEqual(failure());
		expect(seen).toEqual([[1, false]]);
		expect(retries).toEqual([]);
	});

	test("is followed by another where the same can be sent again", async () => {
		const { send } = sender({ repeatable: () => true });
		expect((await send(reset)).outcome).toBe("done");
	});
});

test("who was sent away does not wait here: the queue makes it wait", async () => {
	const { send, retries, lanes, call } = sender();
	const sentAway = async () => {
		throw limited(30_000);
	};
	await lanes.admitted(call(), callFacts(), new Scopes(), sentAway).catch(() => {});
	expect((await send(() => limited())).outcome).toBe("done");
	expect(retries[0]?.delayMillis).toBeGreaterThan(29_000);
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
	expect(retries[2]).toMatchObject({ attempt: 3, delayMillis: 0, because: "RateLimitedError" });
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

test("successes earn what retries cost", async () => {
	const { send } = sender({ retryBudget: 1 });
	expect((await send(reset)).outcome).toBe("done");
	expect((await send(reset)).outcome).toEqual(reset());
	for (let i = 0; i < 11; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
});
