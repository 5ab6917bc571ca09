import { describe, expect, test } from "vitest";
import { type LogEvent, NetworkError, NotFoundError, TimeoutError } from "../../../src/api";
import type { Call } from "../../../src/provider/context";
import { LogLines, lastLines } from "../../../src/provider/runs/log-lines";

const SECRET = "sesame-open-42";

/** A call whose job's log comes in these messages. */
function callWith(messages: readonly string[], printed: string[] = []): Call {
	async function* followLogs(): AsyncGenerator<LogEvent> {
		for (const message of messages) yield { type: "line", message };
		yield { type: "status", status: "COMPLETE" };
	}
	const sleep = (_: number, signal?: AbortSignal) =>
		new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
	const call = {
		client: { jobs: { followLogs } },
		time: { now: () => 0, sleep },
		line: (text: string) => printed.push(text),
		notice: (text: string) => printed.push(text),
	};
	return call as unknown as Call;
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
		const printed: string[] = [];
		const log = new LogLines(callWith(messages, printed), target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(lines);
		const shown = printed.filter((line) => line.startsWith("train | "));
		expect(shown).toEqual(lines.map((line) => `train | ${line}`));
		expect(printed.join("")).not.toMatch(/sesa|open-42/);
	});

	test("ends a message with the same lines", async () => {
		expect(await lastLines(callWith(messages), target)).toEqual(lines);
	});
});

test("of a long log the last twenty lines are kept, and the last one need not be complete", async () => {
	const messages = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
	const last = Array.from({ length: 20 }, (_, at) => `line ${at + 10}`);
	expect(await lastLines(callWith(messages), target)).toEqual(last);
	expect(await lastLines(callWith([...messages, "and"]), target)).toEqual([...last.slice(1), "and"]);
	const log = new LogLines(callWith([...messages, "and"]), target);
	await log.ended;
	expect(await log.last(1_000)).toEqual([...last.slice(1), "and"]);
});

test("a line that never ends is shown in pieces", async () => {
	const printed: string[] = [];
	const log = new LogLines(callWith(["x".repeat(70_000), "y"], printed), target);
	await log.ended;
	expect((await log.last(1_000)).map((line) => line.length)).toEqual([70_000, 1]);
});

test("no log has no last lines", async () => {
	expect(await lastLines(callWith([]), target)).toEqual([]);
});

type Part = LogEvent | Error;
const line = (message: string): LogEvent => ({ type: "line", message });
const status = (text: string): LogEvent => ({ type: "status", status: text });
/** An error of the client, by its kind. */
const failure = (kind: typeof NetworkError | typeof NotFoundError | typeof TimeoutError) =>
	Object.assign(Object.create(kind.prototype) as Error, { message: `${kind.name}.` });

/** A call whose job's log comes over these connections; the last one is repeated. */
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

describe("a job's log that breaks off", () => {
	test("for a while is followed anew after two seconds, and gives nothing twice", async () => {
		const { call, told } = callOver([
			[status("RUNNING"), line("one\ntw"), failure(NetworkError)],
			[line("one\n"), failure(TimeoutError)],
			[line("one\ntwo"), line("\n"), line("three\n"), status("RUNNING"), status("COMPLETE")],
		]);
		const log = new LogLines(call, target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(["one", "two", "three"]);
		expect(told.lines).toEqual([
			"train: job 7 is RUNNING",
			"train | one",
			"train | two",
			"train | three",
			"train: job 7 is COMPLETE",
		]);
		expect(told.notices).toEqual([
			"train: its log cannot be followed. NetworkError.",
			"train: its log cannot be followed. TimeoutError.",
		]);
		expect(told.sleeps.filter((millis) => millis === 2_000)).toHaveLength(2);
	});

	test("for good is told, and what came of it is kept", async () => {
		const { call, told } = callOver([[line("one\nhalf"), failure(NotFoundError)]]);
		const log = new LogLines(call, target);
		await log.ended;
		expect(await log.last(1_000)).toEqual(["one", "half"]);
		expect(told.notices).toEqual(["train: its log cannot be followed. NotFoundError."]);
		expect(told.connections).toBe(1);
	});

	test("because it was stopped is not told, nor followed anew", async () => {
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

	test("all are given to who asks for them, without a mark, and each status", async () => {
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
			{ deadlineMillis: 30_000, signal: expect.any(AbortSignal) },
		]);
	});
});
