import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Clock } from "../../../src/api/clock";
import { NetworkError, NotFoundError, RateLimitedError } from "../../../src/api/errors";
import { type ClientOptions, limitsOf } from "../../../src/api/options";
import { Queue } from "../../../src/api/queue";
import { callFacts, callTo } from "../../helpers/api-calls";
import { failureOf } from "../../helpers/api-servers";

/** A write and a read. */
type Operation = "deleteSchedule" | "listJobs";

interface Given {
	readonly clock?: Clock;
	readonly attempts?: number;
}

function queueOf(options: ClientOptions = {}) {
	const queue = new Queue(limitsOf({ random: () => 0, ...options }));
	const clockOf = (millis = 60_000, ...signals: AbortSignal[]) => {
		const clock = new Clock(millis, ...signals);
		onTestFinished(() => clock.close());
		return clock;
	};
	const callOf = (operation: Operation, clock = clockOf(), clocks: readonly Clock[] = []) => ({
		...callTo(operation),
		clock,
		clocks,
	});
	const through =
		(operation: Operation) =>
		<T>(send: () => Promise<T>, { clock, attempts = 1 }: Given = {}) =>
			queue.inTurn(callOf(operation, clock), callFacts({ attempts }), send);
	return {
		queue,
		clockOf,
		callOf,
		write: through("deleteSchedule"),
		read: through("listJobs"),
		delayOfWrite: (clock?: Clock) => queue.delayFor(callOf("deleteSchedule", clock)),
		delayOfRead: (clock?: Clock) => queue.delayFor(callOf("listJobs", clock)),
	};
}

const limited = (millis?: number) => async () => {
	throw new RateLimitedError(callFacts(), { status: 429, retryAfterMillis: millis });
};
const done = async () => "done";
/** How the error of a call looks that failed before it was sent. */
const unsent = { attempts: 0, received: false };

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
	test.each(["write", "read"] as const)("are bounded for writes and not for reads: %s", async (kind) => {
		const queue = queueOf({ maxConcurrentWrites: 2 });
		const { seen, send } = counted();
		await Promise.all(Array.from({ length: 20 }, () => queue[kind](send)));
		expect(seen.most).toBe(kind === "write" ? 2 : 20);
	});

	test("are first those that the service refused before", async () => {
		const { write } = queueOf({ maxConcurrentWrites: 1 });
		const order: string[] = [];
		const first = write(() => sleep(5));
		const fresh = write(async () => order.push("fresh"), { attempts: 1 });
		const again = write(async () => order.push("again"), { attempts: 2 });
		const fresher = write(async () => order.push("fresher"), { attempts: 1 });
		await Promise.all([first, fresh, again, fresher]);
		expect(order).toEqual(["again", "fresh", "fresher"]);
	});

	test.each<[string, boolean, (() => Error) | undefined]>([
		["does the work", true, undefined],
		["refuses the work", true, () => new NotFoundError(callFacts(), { status: 404, serverMessage: "no" })],
		["is not heard of", false, () => new NetworkError(callFacts(), "ECONNRESET", "unknown")],
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

	test("counts with the time that a call has already waited", async () => {
		const { write, delayOfWrite, clockOf } = queueOf({ maxWaitMillis: 60_000 });
		const clock = clockOf();
		clock.pause();
		await sleep(100);
		clock.resume();
		await failureOf(write(limited(59_990)));
		expect(delayOfWrite()).toBeGreaterThan(59_000);
		expect(delayOfWrite(clock)).toBeUndefined();
	});

	test("beyond what a call may wait fails the call before it is sent", async () => {
		const { write } = queueOf({ maxWaitMillis: 50 });
		await failureOf(write(limited(60_000)));
		const error = await failureOf(write(done));
		expect(error).toMatchObject({ name: "RateLimitedError", status: undefined, ...unsent });
		expect((error as RateLimitedError).retryAfterMillis).toBeGreaterThan(59_000);
	});
});

describe("a call that waits for its turn", () => {
	test("does not use up its deadline", async () => {
		const { write, clockOf } = queueOf({ maxConcurrentWrites: 1 });
		const first = write(() => sleep(60));
		expect(await write(done, { clock: clockOf(30) })).toBe("done");
		await first;
	});

	test("fails after its maximum wait, before it is sent", async () => {
		const { write } = queueOf({ maxConcurrentWrites: 1, maxWaitMillis: 20 });
		const first = write(() => sleep(60));
		const error = await failureOf(write(done, { attempts: 3 }));
		expect(error).toMatchObject({ name: "TimeoutError", kind: "queue", attempts: 2, received: false });
		expect(String(error)).toContain("within 0.02 s");
		await first;
	});

	test("can be cancelled by its caller until it is sent", async () => {
		const { write, clockOf } = queueOf({ maxConcurrentWrites: 1 });
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

	test.each(["write", "read"] as const)("fails when the client is closed: %s", async (kind) => {
		const { queue, ...through } = queueOf();
		await failureOf(through[kind](limited(60_000)));
		const waiting = failureOf(through[kind](done));
		queue.close();
		expect(await waiting).toMatchObject({ name: "NetworkError", code: "UND_ERR_CLOSED", ...unsent });
	});
});

test("a call whose deadline has passed is not sent", async () => {
	const { write, clockOf } = queueOf();
	const clock = clockOf(1);
	await sleep(10);
	const error = await failureOf(write(done, { clock }));
	expect(error).toMatchObject({ name: "TimeoutError", kind: "deadline", ...unsent });
});

describe("the time of an operation", () => {
	const operation = (queue: ReturnType<typeof queueOf>, kind: Operation = "deleteSchedule") => {
		const clock = queue.clockOf(60_000);
		return { clock, call: queue.callOf(kind, queue.clockOf(), [clock]) };
	};

	test("does not count while one of its own calls waits for its turn", async () => {
		const queue = queueOf({ maxConcurrentWrites: 1 });
		const [own, other] = [operation(queue), operation(queue)];
		await queue.queue.send(other.call, done);
		const busy = queue.write(() => sleep(50));
		await queue.queue.send(own.call, done);
		await busy;
		expect(own.clock.pausedMillis).toBeGreaterThan(40);
		expect(other.clock.pausedMillis).toBeLessThan(20);
	});

	test("does not count while the rate limit keeps any call waiting, also one of another operation", async () => {
		const queue = queueOf();
		const [before, during] = [operation(queue), operation(queue, "listJobs")];
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
