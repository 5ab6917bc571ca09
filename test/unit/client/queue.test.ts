import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Clock } from "../../../src/client/clock";
import {
	type ApiError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	type WasReceived,
} from "../../../src/client/errors";
import { NetworkError, TimeoutError } from "../../../src/client/network-errors";
import {
	type ClientOptions,
	limitsOf,
	type RetryInfo,
} from "../../../src/client/options";
import {
	backoffMillis,
	type Call,
	isRetryable,
	Queue,
} from "../../../src/client/queue";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";
import { callFacts } from "../../helpers/api-calls";
import { clockOf } from "../../helpers/api-connect";
import { failureOf } from "../../helpers/api-servers";

const facts = callFacts();
const reset = () => new NetworkError(facts, "ECONNRESET", "unknown");
const refused = () => new NetworkError(facts, "ECONNREFUSED", false);
const tooMany = (retryAfterMillis?: number) =>
	new RateLimitedError(facts, { status: 429, retryAfterMillis });
const failing = (retryAfterMillis?: number) =>
	new ServerError(facts, { status: 503, retryAfterMillis });
const limited = (millis?: number) => async () => {
	throw tooMany(millis);
};
const done = async () => "done";
/** How the error of a call looks that failed before it was sent. */
const unsent = { attempts: 0, received: false };

const callOf = (
	operation: EndpointName,
	clock = clockOf(),
	operationClocks: readonly Clock[] = [],
	attempts = 0,
): Call => ({ operation, facts: callFacts({ attempts }), clock, operationClocks });

function queueOf(options: ClientOptions = {}) {
	const queue = new Queue(limitsOf({ random: () => 0, ...options }));
	const through =
		(operation: EndpointName) =>
		<T>(
			send: () => Promise<T>,
			{ clock, attempts }: { clock?: Clock; attempts?: number } = {},
		) =>
			queue.inTurn(callOf(operation, clock, [], attempts), send);
	return {
		queue,
		write: through("deleteSchedule"),
		read: through("listJobs"),
		delayOfWrite: (clock?: Clock) => queue.delayFor(callOf("deleteSchedule", clock)),
		delayOfRead: () => queue.delayFor(callOf("listJobs")),
	};
}

/** How many of the requests were under way at once. */
function counted() {
	const seen = { now: 0, most: 0 };
	const send = async (failure?: () => Error) => {
		seen.now += 1;
		seen.most = Math.max(seen.most, seen.now);
		await sleep(5);
		seen.now -= 1;
		if (failure) throw failure();
	};
	return { seen, send };
}

describe("requests under way at once", () => {
	test.each(["write", "read"] as const)(
		"are bounded for writes and not for reads: %s",
		async (kind) => {
			const queue = queueOf({ maxConcurrentWrites: 2 });
			const { seen, send } = counted();
			await Promise.all(Array.from({ length: 20 }, () => queue[kind](send)));
			expect(seen.most).toBe(kind === "write" ? 2 : 20);
		},
	);

	test("are first those that the service refused before", async () => {
		const { write } = queueOf({ maxConcurrentWrites: 1 });
		const order: string[] = [];
		const first = write(() => sleep(5));
		const fresh = write(async () => order.push("fresh"));
		const again = write(async () => order.push("again"), { attempts: 1 });
		const fresher = write(async () => order.push("fresher"));
		await Promise.all([first, fresh, again, fresher]);
		expect(order).toEqual(["again", "fresh", "fresher"]);
	});

	test.each<[string, boolean, (() => Error) | undefined]>([
		["does the work", true, undefined],
		[
			"refuses the work",
			true,
			() => new NotFoundError(callFacts(), { status: 404, serverMessage: "no" }),
		],
		["is not heard of", false, reset],
	])(
		"after a refusal without Retry-After: if the service %s, other writes go with the next one: %s",
		async (_, together, failure) => {
			const { write } = queueOf();
			const { seen, send } = counted();
			await failureOf(write(limited()));
			await Promise.allSettled([1, 2, 3, 4].map(() => write(() => send(failure))));
			expect(seen.most > 1).toBe(together);
		},
	);
});

describe("the Retry-After of a refusal", () => {
	test("of a read holds reads and writes, and that of a write holds only writes", async () => {
		const writes = queueOf();
		await failureOf(writes.write(limited(60_000)));
		expect(writes.delayOfWrite()).toBeGreaterThan(59_000);
		expect(writes.delayOfRead()).toBe(0);
		const reads = queueOf();
		await failureOf(reads.read(limited(60_000)));
		expect(reads.delayOfRead()).toBeGreaterThan(59_000);
		expect(reads.delayOfWrite()).toBeGreaterThan(59_000);
		const untold = queueOf();
		await failureOf(untold.read(limited()));
		expect(untold.delayOfRead()).toBeGreaterThan(50);
		expect(untold.delayOfWrite()).toBe(0);
	});

	test("beyond what is left of a call's maximum wait fails the call before it is sent", async () => {
		const { write, delayOfWrite } = queueOf({ maxWaitMillis: 60_050 });
		await failureOf(write(limited(60_000)));
		expect(delayOfWrite()).toBeGreaterThan(59_000);
		const clock = clockOf();
		vi.spyOn(clock, "pausedMillis", "get").mockReturnValue(1_000);
		expect(delayOfWrite(clock)).toBeUndefined();
		const error = await failureOf(write(done, { clock }));
		expect(error).toMatchObject({
			name: "RateLimitedError",
			status: undefined,
			...unsent,
		});
		expect((error as RateLimitedError).retryAfterMillis).toBeGreaterThan(59_000);
	});
});

describe("a call that waits for its turn", () => {
	test("fails after its maximum wait, before it is sent", async () => {
		const { write } = queueOf({ maxConcurrentWrites: 1, maxWaitMillis: 20 });
		const first = write(() => sleep(60));
		const error = await failureOf(write(done, { attempts: 2 }));
		expect(error).toMatchObject({
			name: "TimeoutError",
			kind: "queue",
			attempts: 2,
			received: false,
		});
		expect(String(error)).toContain("within 0.02 s");
		await first;
	});

	test("can be cancelled by its caller until it is sent", async () => {
		const { write } = queueOf({ maxConcurrentWrites: 1 });
		const leaving = new AbortController();
		const first = write(() => once(leaving.signal, "abort"));
		const early = new AbortController();
		const waiting = failureOf(write(done, { clock: clockOf(60_000, early.signal) }));
		early.abort();
		expect(await waiting).toMatchObject({ name: "AbortedError", ...unsent });
		const late = new AbortController();
		const clock = clockOf(60_000, late.signal);
		vi.spyOn(clock, "resume").mockImplementation(() => late.abort());
		const sent: string[] = [];
		const send = async () => sent.push("sent");
		const atItsTurn = failureOf(write(send, { clock }));
		leaving.abort();
		expect(await atItsTurn).toMatchObject({ name: "AbortedError", ...unsent });
		expect(sent).toEqual([]);
		await first;
		expect(await write(done)).toBe("done");
	});
});

describe("the time of an operation", () => {
	const operation = (kind: EndpointName = "deleteSchedule") => {
		const clock = clockOf();
		return { clock, call: callOf(kind, clockOf(), [clock]) };
	};

	test("does not count while one of its own calls waits for its turn", async () => {
		const queue = queueOf({ maxConcurrentWrites: 1 });
		const [own, other] = [operation(), operation()];
		await queue.queue.send(other.call, done);
		const busy = queue.write(() => sleep(50));
		await queue.queue.send(own.call, done);
		await busy;
		for (const { pausedMillis } of [own.clock, own.call.clock])
			expect(pausedMillis).toBeGreaterThan(40);
		expect(other.clock.pausedMillis).toBeLessThan(20);
	});

	test("does not count while the rate limit keeps any call waiting, also one of another operation", async () => {
		const queue = queueOf();
		const [before, during] = [operation(), operation("listJobs")];
		await queue.queue.send(before.call, done);
		await failureOf(queue.write(limited(150)));
		await failureOf(queue.read(limited(30)));
		const waiting = queue.write(done);
		for (const _ of [1, 2]) await queue.queue.send(during.call, done);
		await waiting;
		for (const { clock } of [before, during]) {
			const { pausedMillis } = clock;
			expect(pausedMillis).toBeGreaterThan(100);
			await sleep(5);
			expect(clock.pausedMillis).toBe(pausedMillis);
		}
	});
});

interface Given extends ClientOptions {
	readonly operation?: EndpointName;
	readonly deadlineMillis?: number;
}

/** A queue whose sending fails in the given ways, one after the other, and then succeeds. */
function sender({
	operation = "deleteSchedule",
	deadlineMillis,
	...options
}: Given = {}) {
	const retries: RetryInfo[] = [];
	const { queue } = queueOf({ onRetry: (info) => retries.push(info), ...options });
	return {
		retries,
		async send(...failures: (() => unknown)[]) {
			const seen: [attempt: number, before: WasReceived][] = [];
			const call = callOf(operation, clockOf(deadlineMillis));
			const outcome = await queue
				.send(call, async () => {
					seen.push([call.facts.attempts, call.facts.receivedBefore]);
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
	test("is followed by others up to the limit, which know whether an earlier one may have been received", async () => {
		const { send } = sender({ maxAttempts: 4 });
		const { outcome, seen } = await send(refused, failing, refused, reset);
		expect(outcome).toEqual(reset());
		expect(seen).toEqual([
			[1, false],
			[2, false],
			[3, "unknown"],
			[4, "unknown"],
		]);
	});

	test.each<[string, Given, () => unknown]>([
		["it is no failure of the service", {}, () => new TypeError("mine")],
		[
			"there may be one only, and the service has too many",
			{ maxAttempts: 1 },
			() => tooMany(),
		],
		[
			"it may have done what may be done once only",
			{ operation: "createSchedule" },
			reset,
		],
		["nothing is left of the budget", { retryBudget: 0 }, reset],
	])("is not repeated if %s", async (_, given, failure) => {
		const { send, retries } = sender(given);
		const { seen, outcome } = await send(failure);
		expect(outcome).toEqual(failure());
		expect(seen).toEqual([[1, false]]);
		expect(retries).toEqual([]);
	});
});

test("a rate-limited request counts neither as an attempt nor against the retry budget or the deadline", async () => {
	const { send, retries } = sender({
		maxAttempts: 2,
		retryBudget: 1,
		deadlineMillis: 300,
	});
	const { outcome, seen } = await send(
		() => tooMany(),
		() => tooMany(),
		() => tooMany(50),
		reset,
		() => tooMany(),
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
		const leaving = new AbortController();
		const { queue } = queueOf({ onRetry: () => leaving.abort() });
		const call = callOf("deleteSchedule", clockOf(60_000, leaving.signal));
		const sending = queue.send(call, async () => {
			throw failing(30_000);
		});
		expect(await failureOf(sending)).toMatchObject({
			name: "AbortedError",
			attempts: 1,
			received: "unknown",
		});
	});

	test.each<[string, () => ApiError, Given]>([
		[
			"the service asks for more time than is left",
			() => failing(150),
			{ deadlineMillis: 150 },
		],
		[
			"its own pause is longer than what is left",
			reset,
			{ deadlineMillis: 150, random: () => 0.9 },
		],
	])(
		"is not begun if %s, and costs nothing of the retry budget",
		async (_, failure, given) => {
			const { send, retries } = sender({ ...given, retryBudget: 1 });
			expect((await send(failure)).outcome).toEqual(failure());
			expect(retries).toEqual([]);
			expect((await send(() => failing(1))).outcome).toBe("done");
		},
	);
});

test("successful requests refill the retry budget, up to its size", async () => {
	const { send } = sender({ retryBudget: 1 });
	for (let i = 0; i < 30; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
	expect((await send(reset)).outcome).toEqual(reset());
	for (let i = 0; i < 11; i += 1) await send();
	expect((await send(reset)).outcome).toBe("done");
});

const lost = callFacts({ receivedBefore: "unknown" });
const timeout = (
	kind: TimeoutError["kind"],
	call = facts,
	received: WasReceived = false,
) => new TimeoutError(call, kind, received, 1);
test.each<[string, ApiError, boolean, boolean]>([
	[
		"a rate limit after a lost attempt",
		new RateLimitedError(lost, { status: 429 }),
		true,
		false,
	],
	["no connection in time", timeout("connect"), true, true],
	["silence", timeout("reply", facts, "unknown"), true, false],
	["the service's own limit of time", timeout("server", facts, "unknown"), true, false],
	["the deadline of the call", timeout("deadline"), false, false],
	["a maximum wait that is over", timeout("queue"), false, false],
	["a refusal", new RefusedError(facts, { status: 200 }), false, false],
])(
	"%s may be sent again; always: %s, only if the service surely did nothing: %s",
	(_, error, always, unreceived) => {
		expect([isRetryable("always", error), isRetryable("unreceived", error)]).toEqual([
			always,
			unreceived,
		]);
	},
);

test("backoff has a ceiling that doubles from 200 ms to 8 s, and full jitter below it", () => {
	const ceilings = [1, 2, 3, 4, 5, 6, 7, 50, 5000].map((attempt) =>
		backoffMillis(attempt, () => 1),
	);
	expect(ceilings).toEqual([200, 400, 800, 1600, 3200, 6400, 8000, 8000, 8000]);
	expect(backoffMillis(3, () => 0)).toBe(0);
	expect(backoffMillis(1, () => 0.999)).toBe(199);
});
