import { getEventListeners } from "node:events";
import { describe, expect, it, test } from "vitest";
import {
	type LogEvent,
	NetworkError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
} from "../../../src/api";
import type { Call } from "../../../src/provider/context";
import {
	jobProblem,
	LogLines,
	lastLines,
	timeoutOf,
	untilEnded,
	withoutSecrets,
} from "../../../src/provider/job-wait";

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

/** An error of the client, by its kind. */
const failure = (kind: { readonly prototype: Error; readonly name: string }) =>
	Object.assign(Object.create(kind.prototype) as Error, { message: `${kind.name}.` });
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

	it("leaves no listener on the deployment's signal after any of its looks", async () => {
		const interrupt = new AbortController();
		const { call } = patient(interrupt);
		const left: number[] = [];
		const look = async () => {
			left.push(getEventListeners(interrupt.signal, "abort").length);
			return left.length > 5 ? "ended" : "running";
		};
		await untilEnded(call, 3_600 * SECOND, look, isEnded);
		expect(left).toEqual([0, 0, 0, 0, 0, 0]);
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

	it("starts the two minutes again with each answer", async () => {
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
		const look = async () => Promise.reject(failure(kind));
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

describe("the error for a job that has ended", () => {
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

const clean = (inputs: object, ...secrets: string[]) => withoutSecrets({ secrets }, { ...inputs });

describe("a line of a job's log", () => {
	it("loses the secrets that the job was given, wherever they are", () => {
		const inputs = {
			environment: { KEY: "sesame-open-42", PLAIN: "not-a-secret" },
			storage: { s3: { secret: "another-secret" }, list: [{ key: "third-secret" }, null, 7] },
		};
		const shown = clean(inputs, "environment.KEY", "storage");
		expect(shown("sesame-open-42 another-secret third-secret not-a-secret s3 list")).toBe(
			"[redacted] [redacted] [redacted] not-a-secret s3 list",
		);
	});

	it("loses each line of a secret of several, without the spaces around it", () => {
		const shown = clean(
			{ environment: { KEY: "first-line-x\r\n  second-line-y  \nthird-line-z" } },
			"environment.KEY",
		);
		expect(shown("at second-line-y, first-line-x; third-line-z")).toBe(
			"at [redacted], [redacted]; [redacted]",
		);
		expect(shown("s  first-line-x")).toBe("s  [redacted]");
	});

	it("loses the credentials of a URL", () => {
		expect(clean({})("cloning https://me:word@example.com/repo.git")).not.toContain("word");
	});

	it.each([
		["a\tb", "a    b"],
		["  indented", "  indented"],
		["ends in spaces  ", "ends in spaces"],
		["red \u001b[31mtext\u0007", "red  [31mtext"],
		["two\u2028lines\u2029in\r\none", "two lines in one"],
		["half of \ud83d a pair", "half of   a pair"],
		["", ""],
	])("%j is shown as %j", (text, shown) => {
		expect(clean({})(text)).toBe(shown);
	});

	it("is cut after two thousand characters, and no character in two", () => {
		expect(clean({})("x".repeat(2_000))).toBe("x".repeat(2_000));
		expect(clean({})("x".repeat(2_001))).toBe(`${"x".repeat(2_000)}…`);
		expect(clean({})(`${"x".repeat(1_999)}🙂🙂`)).toBe(`${"x".repeat(1_999)}…`);
	});
});

const SECRET = "sesame-open-42";

type Part = LogEvent | Error;
const line = (message: string): LogEvent => ({ type: "line", message });
const parts = (messages: readonly string[]) => messages.map(line);
const status = (text: string): LogEvent => ({ type: "status", status: text });
/** A call whose job's log comes in these parts. */
function callOver(connections: readonly (readonly Part[])[]) {
	const told = { lines: [] as string[], notices: [] as string[], sleeps: [] as number[], connections: 0 };
	async function* followLogs(): AsyncGenerator<LogEvent> {
		told.connections += 1;
		for (const part of connections[Math.min(told.connections, connections.length) - 1] ?? []) {
			if (part instanceof Error) throw part;
			yield part;
		}
	}
	const call = {
		client: { jobs: { followLogs } },
		time: { now: () => 0, sleep: async (millis: number) => void told.sleeps.push(millis) },
		line: (text: string) => told.lines.push(text),
		notice: (text: string) => told.notices.push(text),
	};
	return { call: call as unknown as Call, told };
}

const target = {
	team: "ml",
	jobId: "7",
	label: "train",
	clean: (text: string) => text.replaceAll(SECRET, "[redacted]"),
};

describe("a job's log, in messages that do not end where its lines do", () => {
	const messages = ["a sesa", "me-open-42 b\nhalf", "way\n\nlast ses", "ame-open-42"];
	const lines = ["a [redacted] b", "halfway", "", "last [redacted]"];

	test("is shown line by line, and no secret in two halves", async () => {
		const { call, told } = callOver([parts(messages)]);
		const log = new LogLines(call, target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(lines);
		expect(told.lines).toEqual(lines.map((text) => `train | ${text}`));
	});

	test("ends a message with the same lines", async () => {
		expect(await lastLines(callOver([parts(messages)]).call, target)).toEqual(lines);
	});
});

test("of a long log the last twenty lines are kept, and the last one need not be complete", async () => {
	const messages = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
	const last = Array.from({ length: 20 }, (_, at) => `line ${at + 10}`);
	expect(await lastLines(callOver([parts(messages)]).call, target)).toEqual(last);
	expect(await lastLines(callOver([parts([...messages, "and"])]).call, target)).toEqual([
		...last.slice(1),
		"and",
	]);
	const log = new LogLines(callOver([parts([...messages, "and"])]).call, target);
	await log.ended;
	expect(await log.last(1_000)).toEqual([...last.slice(1), "and"]);
});

test("no log has no last lines", async () => {
	expect(await lastLines(callOver([]).call, target)).toEqual([]);
});

describe("a job's log that breaks off", () => {
	test("for a while is reported, and goes on where it broke off", async () => {
		const { call, told } = callOver([]);
		type Options = { onInterrupted(error: Error): void };
		async function* followLogs(_: unknown, { onInterrupted }: Options): AsyncGenerator<LogEvent> {
			yield line("one\ntw");
			onInterrupted(failure(NetworkError));
			yield line("o\n");
			yield status("COMPLETE");
		}
		Object.assign(call.client.jobs, { followLogs });
		const log = new LogLines(call, target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(["one", "two"]);
		expect(told.lines).toEqual(["train | one", "train | two", "train: job 7 is COMPLETE"]);
		expect(told.notices).toEqual(["train: its log cannot be followed. NetworkError."]);
	});

	test("for good is reported, and the lines that came are kept", async () => {
		const { call, told } = callOver([[line("one\nhalf"), failure(NotFoundError)]]);
		const log = new LogLines(call, target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(["one", "half"]);
		expect(told.notices).toEqual(["train: its log cannot be followed. NotFoundError."]);
		expect(told.connections).toBe(1);
	});

	test("because it was stopped is not reported, nor followed again", async () => {
		const stopped: { log?: LogLines } = {};
		const { call, told } = callOver([]);
		async function* followLogs(): AsyncGenerator<LogEvent> {
			told.connections += 1;
			yield line("one\n");
			stopped.log?.stop();
			throw failure(NetworkError);
		}
		Object.assign(call.client.jobs, { followLogs });
		stopped.log = new LogLines(call, target);
		await stopped.log.ended;
		expect(told).toMatchObject({ notices: [], connections: 1 });
	});
});

test("a log that tells of the job's end says so before it is complete itself", async () => {
	const { call, told } = callOver([]);
	let finish = () => {};
	const rest = new Promise<void>((resolve) => {
		finish = resolve;
	});
	async function* followLogs(): AsyncGenerator<LogEvent> {
		yield status("RUNNING");
		yield status("FAILED");
		await rest;
		yield line("late\n");
	}
	Object.assign(call.client.jobs, { followLogs });
	const log = new LogLines(call, target);
	await log.ended;
	expect(told.lines.at(-1)).toBe("train: job 7 is FAILED");
	finish();
	await new Promise((resolve) => setImmediate(resolve));
	expect(await log.last(60_000)).toEqual(["late"]);
});

test("what a log does not bring within the grace time is not waited for, and its connection ends", async () => {
	const { call, told } = callOver([]);
	const given: { signal?: AbortSignal } = {};
	async function* followLogs(_: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<LogEvent> {
		given.signal = signal;
		yield line("one\nhal");
		await new Promise(() => {});
	}
	Object.assign(call.client.jobs, { followLogs });
	const log = new LogLines(call, target);
	expect(given.signal?.aborted).toBe(false);
	expect(await log.last(60_000)).toEqual(["one", "hal"]);
	expect(told.sleeps).toEqual([60_000]);
	expect(given.signal?.aborted).toBe(true);
});

test("each status is shown once, whoever tells it", async () => {
	const { call, told } = callOver([[status("RUNNING"), status("RUNNING")]]);
	const log = new LogLines(call, target);
	await log.ended;
	for (const one of ["RUNNING", "COMPLETE", "COMPLETE"]) log.status(one);
	expect(told.lines).toEqual(["train: job 7 is RUNNING", "train: job 7 is COMPLETE"]);
});

describe("of a log of very many lines", () => {
	const many = Array.from({ length: 1_005 }, (_, at) => line(`${at + 1}\n`));

	test("a thousand are shown, and that there are more", async () => {
		const { call, told } = callOver([many]);
		await new LogLines(call, target).ended;
		expect(told.lines.slice(998)).toEqual([
			"train | 999",
			"train | 1000",
			"train | … more than 1000 lines; the rest is not shown here",
		]);
	});

	test("a caller that asks for them gets all of them, and each status", async () => {
		const { call, told } = callOver([[status("RUNNING"), ...many]]);
		const given: string[] = [];
		const to = {
			line: (text: string) => given.push(text),
			status: (text: string) => given.push(`is ${text}`),
		};
		await new LogLines(call, { ...target, to }).ended;
		expect(given).toHaveLength(1_006);
		expect([given[0], given.at(-1)]).toEqual(["is RUNNING", "1005"]);
		expect(told.lines).toEqual([]);
	});
});

test("a line is taken to go on up to 65,536 characters", async () => {
	const { call } = callOver([[line("x".repeat(65_536)), line("y"), line("z")]]);
	const log = new LogLines(call, target);
	await log.ended;
	expect((await log.last(1_000)).map((text) => text.length)).toEqual([65_537, 1]);
});

describe("the last lines of a job that has ended", () => {
	test("are those that came where the log breaks off", async () => {
		const { call } = callOver([[line("one\n"), status("RUNNING"), line("two"), failure(NetworkError)]]);
		expect(await lastLines(call, target)).toEqual(["one", "two"]);
	});

	test("do not hide a bug", async () => {
		const { call } = callOver([[line("one\n"), new TypeError("a bug")]]);
		await expect(lastLines(call, target)).rejects.toThrow("a bug");
	});

	test("are asked for in half a minute, whatever the deployment's own limit", async () => {
		const { call } = callOver([]);
		const asked: unknown[] = [];
		const followLogs = (...args: unknown[]) => {
			asked.push(...args);
			return [];
		};
		Object.assign(call.client.jobs, { followLogs });
		await lastLines(call, target);
		expect(asked).toEqual([
			{ team_name: "ml", job_id: "7" },
			{ deadlineMillis: 30_000, untimed: true },
		]);
	});
});
