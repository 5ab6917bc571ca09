import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Limiter, type Permit, type PermitRequest } from "../../../src/client/limiter";

beforeEach(
	() =>
		void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
);
afterEach(() => {
	vi.restoreAllMocks();
	vi.useRealTimers();
});

const MAX_WAIT = 600_000;

const limiterOf = (most: number, random = () => 0) => new Limiter(most, random);

/** Lets time pass, from one timer to the next, until the work is done. */
async function run<T>(work: Promise<T>): Promise<T> {
	let done = false;
	const watched = work.finally(() => {
		done = true;
	});
	for (;;) {
		// What the last timer set off may need several turns to come to rest.
		for (let turns = 0; turns < 3; turns += 1)
			await new Promise((resolve) => setImmediate(resolve));
		if (done) return watched;
		vi.advanceTimersToNextTimer();
	}
}

const turn = (given: Partial<PermitRequest> = {}): PermitRequest => ({
	signal: new AbortController().signal,
	maxWaitMillis: MAX_WAIT,
	isRetry: false,
	...given,
});

async function turnOf(
	limiter: Limiter,
	given: Partial<PermitRequest> = {},
): Promise<Permit> {
	const pass = await limiter.wait(turn(given));
	if (typeof pass === "string") throw new Error(`denied: ${pass}`);
	return pass;
}

/** All that the limiter lets through at once, of more than it lets through. */
async function letThrough(limiter: Limiter): Promise<Permit[]> {
	const passes: Permit[] = [];
	const leaving = new AbortController();
	for (let asked = 0; asked < 10; asked += 1)
		void limiter.wait(turn({ signal: leaving.signal })).then((pass) => {
			if (typeof pass !== "string") passes.push(pass);
		});
	leaving.abort();
	await new Promise((resolve) => setImmediate(resolve));
	return passes;
}

const fill = (limiter: Limiter, count: number): Promise<Permit[]> =>
	Promise.all(Array.from({ length: count }, () => turnOf(limiter)));

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
	"a waiting request is let through, also if its %i ms pass while the clock is read",
	async (millis) => {
		let clock = 0;
		vi.spyOn(performance, "now").mockImplementation(() => ++clock);
		const limiter = limiterOf(1);
		limiter.hold(millis);
		const waiting = limiter.wait(turn());
		await vi.advanceTimersByTimeAsync(100);
		const nobody = new Promise((resolve) => setImmediate(() => resolve("nobody")));
		expect(await Promise.race([waiting, nobody])).not.toBe("nobody");
	},
);

describe("after a refusal", () => {
	test("without an announced time all wait for the same growing time, and one alone tries again, until one is let through", async () => {
		const limiter = limiterOf(16);
		const gaps: number[] = [];
		for (let i = 0; i < 7; i++) {
			const before = performance.now();
			const pass = await run(turnOf(limiter, { isRetry: i > 0 }));
			gaps.push(performance.now() - before);
			if (i > 0) expect(await letThrough(limiter)).toEqual([]);
			pass.refused(undefined);
			pass.release();
		}
		expect(gaps).toEqual([0, 100, 200, 400, 800, 1000, 1000]);
		const through = await run(turnOf(limiter));
		through.accepted();
		through.release();
		(await run(turnOf(limiter))).refused(undefined);
		expect(limiter.opensInMillis).toBe(100);
	});

	test("each wait has a random part, so that clients do not come back together", async () => {
		const chance = async (retryAfter: number | undefined) => {
			const limiter = limiterOf(16, () => 0.5);
			const [pass] = await fill(limiter, 1);
			pass?.refused(retryAfter);
			return limiter.opensInMillis;
		};
		expect(await chance(1_000)).toBe(1_050);
		expect(await chance(undefined)).toBe(150);
	});

	test("a Retry-After of 0 is believed only once", async () => {
		const limiter = limiterOf(16);
		const waits: number[] = [];
		for (let i = 0; i < 3; i++) {
			const pass = await run(turnOf(limiter));
			pass.refused(0);
			pass.release();
			waits.push(limiter.opensInMillis);
		}
		expect(waits).toEqual([0, 200, 400]);
	});

	test.each([1_000, undefined])(
		"one alone tries, and each that is let through makes room for one more, if %s ms were announced",
		async (retryAfter) => {
			const limiter = limiterOf(6);
			const [first, refused, late, ...others] = await fill(limiter, 6);
			first?.accepted();
			refused?.refused(retryAfter);
			// Answers to what was sent before the refusal say nothing of the time after it, and a burst counts once.
			for (const pass of others) pass.accepted();
			late?.refused(retryAfter);
			for (const pass of [first, refused, late, ...others]) pass?.release();
			expect(limiter.opensInMillis).toBe(retryAfter ?? 100);
			await vi.advanceTimersByTimeAsync(1_000);
			for (const count of [1, 2, 4, 6, 6]) {
				const passes = await letThrough(limiter);
				expect(passes).toHaveLength(count);
				for (const pass of passes) pass.accepted();
				for (const pass of passes) pass.release();
			}
		},
	);

	test("a request that the service works on for long does not hold up the others", async () => {
		const limiter = limiterOf(4);
		const [refused] = await fill(limiter, 1);
		refused?.refused(1_000);
		refused?.release();
		const slow = await run(turnOf(limiter));
		await run(turnOf(limiter));
		expect(performance.now()).toBe(3_000);
		// It has made its room already.
		slow.accepted();
		expect(await letThrough(limiter)).toEqual([]);
	});
});

test("a hold lets nothing through for its time, and refuses requests that may not wait that long", async () => {
	const limiter = limiterOf(4);
	const passes = await fill(limiter, 4);
	const [long, short] = [MAX_WAIT, 500].map((maxWaitMillis) =>
		limiter.wait(turn({ maxWaitMillis })),
	);
	for (const millis of [1_000, 400]) limiter.hold(millis);
	expect(await short).toBe("announced");
	expect(await limiter.wait(turn({ maxWaitMillis: 999 }))).toBe("announced");
	for (const pass of passes) pass.release();
	expect(await letThrough(limiter)).toEqual([]);
	expect(limiter.opensInMillis).toBe(1_000);
	expect(await run(long as Promise<unknown>)).toBeTypeOf("object");
	expect(performance.now()).toBe(1_000);
});

test("a wait that is over leaves no timer and no listener, and neither does a refusal that nobody waits for", async () => {
	const limiter = limiterOf(1);
	const [first] = await fill(limiter, 1);
	const { signal } = new AbortController();
	const waiting = limiter.wait(turn({ signal }));
	const left = () => [vi.getTimerCount(), getEventListeners(signal, "abort").length];
	expect(left()).toEqual([1, 1]);
	first?.release();
	const second = await waiting;
	expect(left()).toEqual([0, 0]);
	if (typeof second === "string") throw new Error(second);
	second.refused(60_000);
	second.release();
	expect(left()).toEqual([0, 0]);
});

test("a caller that has given up before does not wait", async () => {
	expect(await limiterOf(1).wait(turn({ signal: AbortSignal.abort() }))).toBe(
		"stopped",
	);
});

test("a maximum wait beyond the longest timer of Node is not over at once", async () => {
	const limiter = limiterOf(1);
	const [first] = await fill(limiter, 1);
	const waiting = limiter.wait(turn({ maxWaitMillis: 2 ** 31 }));
	await vi.advanceTimersByTimeAsync(20);
	first?.release();
	expect(await waiting).toBeTypeOf("object");
});
