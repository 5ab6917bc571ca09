import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Limiter, type Pass, type Turn } from "../../../src/api/limiter";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
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
		for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
		if (done) return watched;
		vi.advanceTimersToNextTimer();
	}
}
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

const turn = (given: Partial<Turn> = {}): Turn => ({
	signal: new AbortController().signal,
	maxWaitMillis: MAX_WAIT,
	again: false,
	...given,
});

async function turnOf(limiter: Limiter, given: Partial<Turn> = {}): Promise<Pass> {
	const pass = limiter.enter() ?? (await limiter.wait(turn(given)));
	if (typeof pass === "string") throw new Error(`denied: ${pass}`);
	return pass;
}

const fill = (limiter: Limiter, count: number): Promise<Pass[]> =>
	Promise.all(Array.from({ length: count }, () => turnOf(limiter)));

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
	"who waits is let through also where %i ms pass while the clock is read",
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

describe("places", () => {
	test("are as many as the limiter was given", () => {
		const limiter = limiterOf(3);
		expect([1, 2, 3, 4].map(() => limiter.enter() !== undefined)).toEqual([true, true, true, false]);
	});

	test("nobody overtakes those whose moment has come and who were not woken yet", () => {
		const limiter = limiterOf(4);
		limiter.hold(1_000);
		void limiter.wait(turn());
		const later = performance.now() + 1_000;
		vi.spyOn(performance, "now").mockReturnValue(later);
		expect(limiter.opensInMillis).toBe(0);
		expect(limiter.enter()).toBeUndefined();
	});

	test("a newcomer does not overtake those who wait", async () => {
		const limiter = limiterOf(1);
		const [held] = await fill(limiter, 1);
		const order: number[] = [];
		const waiting = [1, 2, 3].map(async (number) => {
			const pass = await turnOf(limiter);
			order.push(number);
			pass.leave();
		});
		held?.leave();
		await Promise.all(waiting);
		expect(order).toEqual([1, 2, 3]);
	});
});

describe("after a refusal", () => {
	test("the latest announced time of a burst counts", async () => {
		const limiter = limiterOf(16);
		for (const [index, pass] of (await fill(limiter, 3)).entries()) {
			pass.refused([1_000, 9_000, 2_000][index]);
			pass.leave();
		}
		expect(limiter.opensInMillis).toBe(9_000);
	});

	test("without an announced time everybody waits the same growing time, and one alone asks again", async () => {
		const limiter = limiterOf(16);
		const gaps: number[] = [];
		for (let i = 0; i < 7; i++) {
			const before = performance.now();
			const pass = await run(turnOf(limiter, { again: i > 0 }));
			gaps.push(performance.now() - before);
			if (i > 0) expect(limiter.enter()).toBeUndefined();
			pass.refused(undefined);
			pass.leave();
		}
		expect(gaps).toEqual([0, 100, 200, 400, 800, 1000, 1000]);
	});

	test("the growing time starts again from the beginning once something was let through", async () => {
		const limiter = limiterOf(16);
		const waits: number[] = [];
		for (const passes of [false, false, true, false, false]) {
			const pass = await run(turnOf(limiter));
			if (passes) pass.passed();
			const refused = passes ? await run(turnOf(limiter)) : pass;
			refused.refused(undefined);
			for (const one of new Set([pass, refused])) one.leave();
			waits.push(limiter.opensInMillis);
		}
		expect(waits).toEqual([100, 200, 100, 100, 200]);
	});

	test("each wait has its share of chance, so that clients do not come back together", async () => {
		const chance = async (retryAfter: number | undefined) => {
			const limiter = limiterOf(16, () => 0.5);
			const [pass] = await fill(limiter, 1);
			pass?.refused(retryAfter);
			return limiter.opensInMillis;
		};
		expect(await chance(1_000)).toBe(1_050);
		expect(await chance(undefined)).toBe(150);
	});

	test("an announced time of nothing is believed once", async () => {
		const limiter = limiterOf(16);
		const waits: number[] = [];
		for (let i = 0; i < 3; i++) {
			const pass = await run(turnOf(limiter));
			pass.refused(0);
			pass.leave();
			waits.push(limiter.opensInMillis);
		}
		expect(waits).toEqual([0, 200, 400]);
	});

	test("as many go at once as were let through before, then one alone asks, and one more with each that passes", async () => {
		const limiter = limiterOf(16);
		const [refused, late, ...others] = await fill(limiter, 6);
		for (const pass of others.slice(1)) pass.passed();
		refused?.refused(1_000);
		late?.passed();
		for (const pass of [refused, late, ...others]) pass?.leave();
		await vi.advanceTimersByTimeAsync(1_000);
		const letThrough = () => {
			const passes: Pass[] = [];
			for (let pass = limiter.enter(); pass; pass = limiter.enter()) passes.push(pass);
			return passes;
		};
		const quotaAndOne = letThrough();
		expect(quotaAndOne).toHaveLength(5);
		const asker = quotaAndOne.at(-1);
		asker?.passed();
		asker?.leave();
		const two = letThrough();
		expect(two).toHaveLength(2);
		for (const pass of two) pass.passed();
		for (const pass of two) pass.leave();
		expect(letThrough()).toHaveLength(4);
	});

	test("one that ends without an answer makes room for the next to ask", async () => {
		const limiter = limiterOf(16);
		const [refused] = await fill(limiter, 1);
		refused?.refused(undefined);
		refused?.leave();
		for (let i = 0; i < 3; i++) (await run(turnOf(limiter))).leave();
		expect(performance.now()).toBe(100);
	});

	test("a request that is long at work does not keep the others waiting for its answer", async () => {
		const limiter = limiterOf(4);
		const [refused] = await fill(limiter, 1);
		refused?.refused(1_000);
		refused?.leave();
		await run(turnOf(limiter));
		await run(turnOf(limiter));
		expect(performance.now()).toBe(3_000);
	});
});

test("a hold lets nobody through for that long, and sends away who may not wait that long, now or later", async () => {
	const limiter = limiterOf(4);
	const passes = await fill(limiter, 4);
	const [long, short] = [MAX_WAIT, 500].map((maxWaitMillis) => limiter.wait(turn({ maxWaitMillis })));
	limiter.hold(1_000);
	expect(await short).toBe("announced");
	expect(await limiter.wait(turn({ maxWaitMillis: 999 }))).toBe("announced");
	for (const pass of passes) pass.leave();
	expect(limiter.enter()).toBeUndefined();
	expect(limiter.opensInMillis).toBe(1_000);
	expect(await run(long as Promise<unknown>)).toBeTypeOf("object");
	expect(performance.now()).toBe(1_000);
});

test("nothing is left behind of a wait that is over, nor of a refusal that nobody waits for", async () => {
	const limiter = limiterOf(1);
	const first = limiter.enter();
	const { signal } = new AbortController();
	const waiting = limiter.wait(turn({ signal }));
	const left = () => [vi.getTimerCount(), getEventListeners(signal, "abort").length];
	expect(left()).toEqual([1, 1]);
	first?.leave();
	const second = await waiting;
	expect(left()).toEqual([0, 0]);
	if (typeof second === "string") throw new Error(second);
	second.refused(60_000);
	second.leave();
	expect(left()).toEqual([0, 0]);
});

test("waiting ends with the caller's signal, and leaves no trace in the queue", async () => {
	const limiter = limiterOf(1);
	const [held] = await fill(limiter, 1);
	const controller = new AbortController();
	const denied = limiter.wait(turn({ signal: controller.signal }));
	const next = turnOf(limiter);
	controller.abort();
	expect(await denied).toBe("stopped");
	held?.leave();
	(await next).leave();
	expect(await limiter.wait(turn({ signal: AbortSignal.abort() }))).toBe("stopped");
});

/** Says how long to wait, or undefined where it lets the request through. */
type ServiceLimit = (now: number) => number | undefined;

function fixedWindow(limit: number, millis: number): ServiceLimit {
	let start = Number.NEGATIVE_INFINITY;
	let count = 0;
	return (now) => {
		if (now - start >= millis) [start, count] = [now, 0];
		count += 1;
		return count > limit ? start + millis - now : undefined;
	};
}

function tokenBucket(limit: number, perSecond: number): ServiceLimit {
	let tokens = limit;
	let at = 0;
	return (now) => {
		tokens = Math.min(limit, tokens + ((now - at) / 1000) * perSecond);
		at = now;
		if (tokens < 1) return ((1 - tokens) / perSecond) * 1000;
		tokens -= 1;
		return undefined;
	};
}

interface Trial {
	readonly service: ServiceLimit;
	readonly callers: number;
	readonly most: number;
	readonly latencyMillis: number;
	/** False where the limiter does not say how long to wait. */
	readonly announces?: boolean;
}

/** 200 writes by callers that each make one after the other. */
async function trial({ service, callers, most, latencyMillis, announces = true }: Trial) {
	const limiter = limiterOf(most, () => 0.5);
	const seen = { refused: 0, tooEarly: 0, millis: 0 };
	let [announced, announcedAt] = [0, 0];
	let left = 200;
	const write = async (): Promise<void> => {
		for (let again = false; ; again = true) {
			const pass = await turnOf(limiter, { again });
			// What was let through in the moment of an announcement could not know of it.
			const now = performance.now();
			if (now < announced && now > announcedAt) seen.tooEarly += 1;
			await sleep(latencyMillis / 2);
			const wait = service(performance.now());
			await sleep(latencyMillis / 2);
			if (wait === undefined) pass.passed();
			else {
				const retryAfter = Math.ceil(wait / 1000) * 1000;
				if (announces) {
					announcedAt = performance.now();
					announced = Math.max(announced, announcedAt + retryAfter);
				}
				seen.refused += 1;
				pass.refused(announces ? retryAfter : undefined);
			}
			pass.leave();
			if (wait === undefined) return;
		}
	};
	const work = Array.from({ length: callers }, async () => {
		while (left-- > 0) await write();
	});
	await run(Promise.all(work));
	return { ...seen, millis: performance.now() };
}

describe("200 writes under a rate limit of 8 a second", () => {
	/** Both limiters let 40 through at once and the other 160 in 20 s. */
	const LEAST_MILLIS = 20_000;
	const limits = {
		window: () => fixedWindow(40, 5_000),
		bucket: () => tokenBucket(40, 8),
	};
	const trials = (["window", "bucket"] as const).flatMap((shape) =>
		[12, 32].flatMap((callers) =>
			[16, 32].flatMap((most) => [10, 100].map((latencyMillis) => ({ shape, callers, most, latencyMillis }))),
		),
	);

	test.each(trials)(
		"$shape, $callers callers, $most places, $latencyMillis ms: all done in little more than the limiter's own time",
		async ({ shape, ...given }) => {
			const { millis, tooEarly, refused } = await trial({ service: limits[shape](), ...given });
			expect(millis).toBeLessThan(1.15 * LEAST_MILLIS);
			expect(tooEarly).toBe(0);
			// The first two refusals come as a surprise to all who are under way; after that one asks for all.
			expect(refused).toBeLessThan(2 * given.most + 40);
		},
	);

	test("without Retry-After nobody fails, and few requests are sent in vain", async () => {
		const given = { callers: 32, most: 16, latencyMillis: 10, announces: false };
		const { millis, refused } = await trial({ service: limits.window(), ...given });
		expect(millis).toBeLessThan(30_000);
		expect(refused).toBeLessThan(100);
	});
});

test("a maximum wait beyond the longest timer is not over at once", async () => {
	const limiter = limiterOf(1);
	const first = limiter.enter();
	const waiting = limiter.wait(turn({ maxWaitMillis: 2 ** 31 }));
	await vi.advanceTimersByTimeAsync(20);
	first?.leave();
	expect(await waiting).toBeTypeOf("object");
});
