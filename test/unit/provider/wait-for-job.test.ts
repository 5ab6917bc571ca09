import { describe, expect, it } from "vitest";
import { NetworkError, NotAuthenticatedError, NotAuthorizedError } from "../../../src/api";
import type { Call } from "../../../src/provider/context";
import { timeoutOf } from "../../../src/provider/runs/wait-fields";
import { jobProblem, untilEnded } from "../../../src/provider/runs/wait-for-job";

const SECOND = 1_000;

/** Time that passes by sleeping only; a sleep that is ended early takes none. */
function patient(interrupt = new AbortController(), during: (sleep: number) => unknown = () => {}) {
	let now = 0;
	const sleeps: number[] = [];
	const time = {
		now: () => now,
		sleep: async (millis: number, signal?: AbortSignal) => {
			sleeps.push(millis);
			during(sleeps.length);
			await new Promise((resolve) => setImmediate(resolve));
			if (!signal?.aborted) now += millis;
		},
	};
	const call = { time, interrupt: interrupt.signal } as unknown as Call;
	return { call, time, sleeps };
}

const failure = (Kind: typeof NetworkError | typeof NotAuthorizedError | typeof NotAuthenticatedError) =>
	Object.assign(Object.create(Kind.prototype) as Error, { message: `${Kind.name}.` });
const isEnded = (status: string) => status === "ended";

describe("a wait", () => {
	it("looks at once, then less and less often, until it has ended", async () => {
		const { call, sleeps } = patient();
		let looks = 0;
		const look = async () => (++looks > 7 ? "ended" : "running");
		expect(await untilEnded(call, 3_600 * SECOND, look, isEnded)).toEqual({
			latest: "ended",
			why: undefined,
			timedOut: false,
		});
		expect(sleeps).toEqual([500, 1_000, 2_000, 3_000, 5_000, 5_000, 5_000]);
	});

	it("ends with its timeout, after one last look", async () => {
		const { call, sleeps } = patient();
		expect(await untilEnded(call, 2 * SECOND, async () => "running", isEnded)).toEqual({
			latest: "running",
			why: "it did not end within 2 s, which is its timeout.",
			timedOut: true,
		});
		expect(sleeps).toEqual([500, 1_000, 500]);
	});

	it("goes on while the service does not answer, for two minutes", async () => {
		const { call, time } = patient();
		const look = async () => {
			if (time.now() < 10 * SECOND) return "running";
			throw failure(NetworkError);
		};
		expect(await untilEnded(call, 3_600 * SECOND, look, isEnded)).toEqual({
			latest: "running",
			why: "NetworkError.",
			timedOut: false,
		});
		expect(time.now()).toBeGreaterThan(126 * SECOND);
		expect(time.now()).toBeLessThan(137 * SECOND);
	});

	it("counts the two minutes anew with each answer", async () => {
		const { call, time } = patient();
		const look = async () => {
			if (time.now() > 600 * SECOND) return "ended";
			if (time.now() % (100 * SECOND) < 6 * SECOND) return "running";
			throw failure(NetworkError);
		};
		expect(await untilEnded(call, 3_600 * SECOND, look, isEnded)).toMatchObject({
			latest: "ended",
			why: undefined,
		});
	});

	it("is given up where the service does not show it for two minutes", async () => {
		const { call, time } = patient();
		expect(await untilEnded(call, 3_600 * SECOND, async () => undefined, isEnded)).toEqual({
			latest: undefined,
			why: "the service does not show it.",
			timedOut: false,
		});
		expect(time.now()).toBeGreaterThan(120 * SECOND);
	});

	it.each([NotAuthenticatedError, NotAuthorizedError])("is given up at once for a %o", async (kind) => {
		const { call, time } = patient();
		const look = async () => Promise.reject(failure(kind as typeof NotAuthorizedError));
		expect(await untilEnded(call, 3_600 * SECOND, look, isEnded)).toMatchObject({ why: `${kind.name}.` });
		expect(time.now()).toBe(0);
	});

	it("does not hide a bug", async () => {
		const look = async () => Promise.reject(new TypeError("a bug"));
		await expect(untilEnded(patient().call, SECOND, look, isEnded)).rejects.toThrow("a bug");
	});

	it.each(["before", "during"])(
		"ends with an interrupt that comes %s it, after one more look",
		async (when) => {
			const interrupt = new AbortController();
			const { call, time } = patient(interrupt, (sleep) => sleep === 2 && interrupt.abort());
			if (when === "before") interrupt.abort();
			let looks = 0;
			const look = async () => {
				looks += 1;
				return "running";
			};
			expect(await untilEnded(call, 3_600 * SECOND, look, isEnded)).toEqual({
				latest: "running",
				why: "the deployment was interrupted.",
				timedOut: false,
			});
			expect(looks).toBe(when === "before" ? 1 : 3);
			expect(time.now()).toBe(when === "before" ? 0 : 500);
		},
	);

	it("looks again as soon as it is told of the end, and that once", async () => {
		let tell = () => {};
		const { call, time } = patient(undefined, (sleep) => sleep === 1 && tell());
		const hint = new Promise<void>((resolve) => {
			tell = resolve;
		});
		let looks = 0;
		const look = async () => {
			looks += 1;
			return looks < 4 ? "running" : "ended";
		};
		expect(await untilEnded(call, 3_600 * SECOND, look, isEnded, hint)).toMatchObject({ latest: "ended" });
		// The first pause was cut short, the two after it were not.
		expect(time.now()).toBe(3_000);
	});
});

describe("what a job that has ended is told as", () => {
	const target = { team: "ml", jobId: "7", label: "train", clean: (text: string) => text.toUpperCase() };

	it.each(["COMPLETE", "complete", "TASK"])("nothing for %s", (status) => {
		expect(jobProblem({ id: "7", status }, target, ["a"])).toBeUndefined();
	});

	it.each<[object, string[], string]>([
		[{}, [], 'Job "without a name" (id 7) in team "ml" ended as FAILED'],
		[
			{ name: "train.py", exit_code: 0, error_message: "no disk" },
			[],
			'Job "train.py" (id 7) in team "ml" ended as FAILED with exit code 0: NO DISK',
		],
		[
			{ exit_code: null, error_message: "" },
			["a", "b"],
			'Job "without a name" (id 7) in team "ml" ended as FAILED\nThe last lines of its log:\n  a\n  b',
		],
	])("%j with the lines %j", (more, lines, text) => {
		expect(jobProblem({ id: "7", status: "FAILED", ...more }, target, lines)).toBe(text);
	});
});

it.each([
	[undefined, 3_600 * SECOND],
	["90s", 90 * SECOND],
	[7, 7 * SECOND],
	["at once", 0],
])("the timeout %j is %d milliseconds", (timeout, millis) => {
	expect(timeoutOf(timeout)).toBe(millis);
});
