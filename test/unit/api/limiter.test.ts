import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Limiter, type Pass, type Turn } from "../../../src/api/limiter";
import { FakeTime } from "../../helpers/virtual-time";

const MAX_WAIT = 600_000;

function limiterOf(most: number, random = () => 0) {
	const time = new FakeTime();
	return { time, limiter: new Limiter(most, random, time) };
}

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
		const timers: (() => void)[] = [];
		const creeping = {
			now: () => {
				clock += 1;
				return clock;
			},
			after: (wait: number, run: () => void) => {
				if (wait < MAX_WAIT) timers.push(run);
				return () => {};
			},
		};
		const limiter = new Limiter(1, () => 0, creeping);
		limiter.hold(millis);
		const waiting = limiter.wait(turn());
		for (let run = timers.shift(); run !== undefined; run = timers.shift()) run();
		const nobody = new Promise((resolve) => setImmediate(() => resolve("nobody")));
		expect(await Promise.race([waiting, nobody])).not.toBe("nobody");
	},
);

describe("places", () => {
	test("are as many as the limiter was given", () => {
		const { limiter } = limiterOf(3);
		expect([1, 2, 3, 4].map(() => limiter.enter() !== undefined)).toEqual([true, true, true, false]);
	});

	test("nobody overtakes those whose moment has come and who were not woken yet", () => {
		let now = 0;
		const limiter = new Limiter(4, () => 0, { now: () => now, after: () => () => {} });
		limiter.hold(1_000);
		void limiter.wait(turn());
		now = 1_000;
		expect(limiter.opensInMillis).toBe(0);
		expect(limiter.enter()).toBeUndefined();
	});

	test("a newcomer does not overtake those who wait", async () => {
		const { limiter } = limiterOf(1);
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

	test("a refusal that says nothing of time halves them once for the whole burst, and never below one", async () => {
		const { limiter, time } = limiterOf(16);
		for (const pass of await fill(limiter, 16)) {
			pass.refused(undefined);
			pass.leave();
		}
		expect(limiter.limit).toBe(8);
		for (let i = 0; i < 10; i++) {
			const pass = await time.run(turnOf(limiter));
			pass.refused(undefined);
			pass.leave();
		}
		expect(limiter.limit).toBe(1);
	});

	test("are halved from those that were used", async () => {
		const { limiter } = limiterOf(16);
		const [refused] = await fill(limiter, 6);
		refused?.refused(undefined);
		expect(limiter.limit).toBe(3);
	});

	test("stay as they are after a refusal that says for how long, unless it comes sooner than the last one", async () => {
		const { limiter, time } = limiterOf(16);
		const round = async (passing: number) => {
			const passes = await time.run(fill(limiter, passing));
			for (const pass of passes) pass.passed();
			const [last] = await time.run(fill(limiter, 1));
			last?.refused(1_000);
			for (const pass of [...passes, last]) pass?.leave();
			return limiter.limit;
		};
		expect(await round(4)).toBe(16);
		expect(await round(4)).toBe(16);
		expect(await round(3)).toBe(2);
	});

	test("are raised by one with as many successes as there are, each counted once and only if it was sent since", async () => {
		const { limiter, time } = limiterOf(4);
		const [refused, ...others] = await fill(limiter, 4);
		refused?.refused(undefined);
		for (const pass of others) pass.passed();
		for (const pass of [refused, ...others]) pass?.leave();
		const limits: number[] = [limiter.limit];
		for (let i = 0; i < 6; i++) {
			const pass = await time.run(turnOf(limiter));
			pass.passed();
			pass.passed();
			pass.leave();
			limits.push(limiter.limit);
		}
		expect(limits).toEqual([2, 2, 3, 3, 3, 4, 4]);
	});
});

describe("after a refusal", () => {
	test("the latest announced time of a burst counts", async () => {
		const { limiter } = limiterOf(16);
		for (const [index, pass] of (await fill(limiter, 3)).entries()) {
			pass.refused([1_000, 9_000, 2_000][index]);
			pass.leave();
		}
		expect(limiter.opensInMillis).toBe(9_000);
	});

	test("without an announced time everybody waits the same growing time, and one alone asks again", async () => {
		const { limiter, time } = limiterOf(16);
		const gaps: number[] = [];
		for (let i = 0; i < 7; i++) {
			const before = time.now();
			const pass = await time.run(turnOf(limiter, { again: i > 0 }));
			gaps.push(time.now() - before);
			if (i > 0) expect(limiter.enter()).toBeUndefined();
			pass.refused(undefined);
			pass.leave();
		}
		expect(gaps).toEqual([0, 100, 200, 400, 800, 1000, 1000]);
	});

	test("the growing time starts again from the beginning once something was let through", async () => {
		const { limiter, time } = limiterOf(16);
		const waits: number[] = [];
		for (const passes of [false, false, true, false, false]) {
			const pass = await time.run(turnOf(limiter));
			if (passes) pass.passed();
			const refused = passes ? await time.run(turnOf(limiter)) : pass;
			refused.refused(undefined);
			for (const one of new Set([pass, refused])) one.leave();
			waits.push(limiter.opensInMillis);
		}
		expect(waits).toEqual([100, 200, 100, 100, 200]);
	});

	test("each wait has its share of chance, so that clients do not come back together", async () => {
		const chance = async (retryAfter: number | undefined) => {
			const { limiter } = limiterOf(16, () => 0.5);
			const [pass] = await fill(limiter, 1);
			pass?.refused(retryAfter);
			return limiter.opensInMillis;
		};
		expect(await chance(1_000)).toBe(1_050);
		expect(await chance(undefined)).toBe(150);
	});

	test("an announced time of nothing is believed once", async () => {
		const { limiter, time } = limiterOf(16);
		const waits: number[] = [];
		for (let i = 0; i < 3; i++) {
			const pass = await time.run(turnOf(limiter));
			pass.refused(0);
			pass.leave();
			waits.push(limiter.opensInMillis);
		}
		expect(waits).toEqual([0, 200, 400]);
	});

	test("one that ends without an answer makes room for the next to ask", async () => {
		const { limiter, time } = limiterOf(16);
		const [refused] = await fill(limiter, 1);
		refused?.refused(undefined);
		refused?.leave();
		for (let i = 0; i < 3; i++) (await time.run(turnOf(limiter))).leave();
		expect(time.now()).toBe(100);
	});

	test("a request that is long at work does not keep the others waiting for its answer", async () => {
		const { limiter, time } = limiterOf(4);
		const [refused] = await fill(limiter, 1);
		refused?.refused(1_000);
		refused?.leave();
		await time.run(turnOf(limiter));
		await time.run(turnOf(limiter));
		expect(time.now()).toBe(3_000);
	});
});

test("a hold lets nobody through for that long, and sends away who may not wait that long, now or later", async () => {
	const { limiter, time } = limiterOf(4);
	const passes = await fill(limiter, 4);
	const [long, short] = [MAX_WAIT, 500].map((maxWaitMillis) => limiter.wait(turn({ maxWaitMillis })));
	limiter.hold(1_000);
	expect(await short).toBe("announced");
	expect(await limiter.wait(turn({ maxWaitMillis: 999 }))).toBe("announced");
	for (const pass of passes) pass.leave();
	expect(limiter.enter()).toBeUndefined();
	expect(limiter.opensInMillis).toBe(1_000);
	expect(await time.run(long as Promise<unknown>)).toBeTypeOf("object");
	expect(time.now()).toBe(1_000);
});

test("nothing is left behind of a wait that is over, nor of a refusal that nobody waits for", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	const limiter = new Limiter(1, () => 0);
	const first = limiter.enter();
	const { signal } = new AbortController();
	const waiting = limiter.wait(turn({ signal }));
	const left = () => [vi.getTimerCount(), getEventListeners(signal, "abort").length];
	expect(left()).toEqual([1, 1]);
	first?.leave();
	const second = await waiting;
	expect(left()).toEqual([0, 0]);
	if (typeof second === "object") second.refused(60_000);
	expect(left()).toEqual([0, 0]);
});

test("waiting ends with the caller's signal, and leaves no trace in the queue", async () => {
	const { limiter } = limiterOf(1);
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
	const { limiter, time } = limiterOf(most, () => 0.5);
	const seen = { refused: 0, tooEarly: 0, millis: 0 };
	let announced = 0;
	let left = 200;
	const write = async (): Promise<void> => {
		for (let again = false; ; again = true) {
			const pass = await turnOf(limiter, { again });
			if (time.now() < announced) seen.tooEarly += 1;
			await time.wait(latencyMillis / 2);
			const wait = service(time.now());
			await time.wait(latencyMillis / 2);
			if (wait === undefined) pass.passed();
			else {
				const retryAfter = Math.ceil(wait / 1000) * 1000;
				if (announces) announced = Math.max(announced, time.now() + retryAfter);
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
	await time.run(Promise.all(work));
	return { ...seen, millis: time.now() };
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
		expect(refused).toBeLessThan(80);
	});
});

test("a maximum wait beyond the longest timer is not over at once", async () => {
	const limiter = new Limiter(1, () => 0);
	const first = limiter.enter();
	const waiting = limiter.wait(turn({ maxWaitMillis: 2 ** 31 }));
	await new Promise((resolve) => setTimeout(resolve, 20));
	first?.leave();
	expect(await waiting).toBeTypeOf("object");
});
