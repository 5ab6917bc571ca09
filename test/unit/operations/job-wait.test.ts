import { getEventListeners } from "node:events";
import { describe, expect, it, test, vi } from "vitest";
import {
	type LogEvent,
	NetworkError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
} from "../../../src/client";
import type { OperationContext } from "../../../src/operations/context";
import { LogLines, lastLines, oneLine } from "../../../src/operations/job-log";
import { problemOfEnded, waitForJob } from "../../../src/operations/job-wait";
import { waitFor } from "../../../src/operations/wait";
import { redactedFor } from "../../../src/provider/kinds/job/wait";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** An error of the client, by its kind. */
const failure = (kind: { readonly prototype: Error; readonly name: string }) =>
	Object.assign(Object.create(kind.prototype) as Error, { message: `${kind.name}.` });
const fail = (kind: { readonly prototype: Error; readonly name: string }): never => {
	throw failure(kind);
};

interface Wait {
	/** The status that was known before the wait. */
	readonly first?: string;
	readonly timeout?: number;
	readonly interrupt?: AbortController;
	readonly hint?: Promise<void>;
	/** Happens in each sleep, which is given by its number. */
	readonly during?: (sleep: number) => unknown;
}

/** Waits in a time that passes by sleeping only; a sleep that is ended early takes none. */
async function waited(
	look: (now: number, looks: number) => string | undefined,
	{
		first = "first",
		timeout = HOUR,
		interrupt = new AbortController(),
		hint,
		during = () => {},
	}: Wait = {},
) {
	let [now, looks] = [0, 0];
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
	const call = { time, interrupt: interrupt.signal } as unknown as OperationContext;
	const { latest, problem, timedOut } = await waitFor(
		call,
		{ status: first },
		timeout,
		{
			describe: () => "It",
			look: async () => {
				const status = look(now, ++looks);
				return status === undefined ? undefined : { status };
			},
			isEnded: ({ status }) => status === "ended",
			problem: async () => undefined,
			hint,
		},
	);
	const why = /^It is \w+, and (.*) It was not stopped\.$/.exec(problem ?? "")?.[1];
	const listeners = getEventListeners(interrupt.signal, "abort").length;
	return {
		latest: latest.status,
		why,
		problem,
		timedOut,
		sleeps,
		looks,
		now,
		listeners,
	};
}

describe("a wait", () => {
	it("looks at once, then less and less often, until it has ended", async () => {
		expect(await waited((_, looks) => (looks > 7 ? "ended" : "running"))).toMatchObject(
			{
				latest: "ended",
				problem: undefined,
				timedOut: false,
				sleeps: [500, 1_000, 2_000, 3_000, 5_000, 5_000, 5_000],
				listeners: 0,
			},
		);
	});

	it("fails at once with what is no failure of the service", async () => {
		await expect(waited(() => fail(TypeError))).rejects.toThrow("TypeError.");
	});

	it("ends with its timeout, after one last look", async () => {
		expect(await waited(() => "running", { timeout: 2 * SECOND })).toMatchObject({
			latest: "running",
			why: "it did not end within 2 s, which is its timeout.",
			timedOut: true,
			sleeps: [500, 1_000, 500],
		});
	});

	it.each<[string, (now: number) => string | undefined, object]>([
		[
			"does not answer any more for two minutes",
			(now) => (now < 10 * SECOND ? "running" : fail(NetworkError)),
			{ latest: "running", why: "NetworkError.", now: 131.5 * SECOND },
		],
		[
			"does not show it for two minutes",
			() => undefined,
			{ latest: "first", why: "the service does not show it.", now: 121.5 * SECOND },
		],
		[
			"does not know the token",
			() => fail(NotAuthenticatedError),
			{ why: "NotAuthenticatedError.", now: 0 },
		],
		[
			"does not let the token see it",
			() => fail(NotAuthorizedError),
			{ why: "NotAuthorizedError.", now: 0 },
		],
	])("is given up if the service %s", async (_, look, given) => {
		expect(await waited(look)).toMatchObject({ timedOut: false, ...given });
	});

	it("starts the two minutes again with each answer", async () => {
		const look = (now: number) => {
			if (now > 600 * SECOND) return "ended";
			return now % (100 * SECOND) < 6 * SECOND ? "running" : fail(NetworkError);
		};
		expect(await waited(look)).toMatchObject({ latest: "ended", problem: undefined });
	});

	it("ends only with an end that it has seen itself", async () => {
		const look = (_: number, looks: number) => (looks === 1 ? undefined : "ended");
		expect(await waited(look, { first: "ended" })).toMatchObject({
			latest: "ended",
			looks: 2,
		});
	});

	it.each([
		["before", 0, { looks: 1, now: 0 }],
		["during", 2, { looks: 3, now: 500 }],
	])(
		"ends with an interrupt that comes %s it, after one more look",
		async (_, at, then) => {
			const interrupt = new AbortController();
			if (at === 0) interrupt.abort();
			const during = (sleep: number) => sleep === at && interrupt.abort();
			expect(await waited(() => "running", { interrupt, during })).toMatchObject({
				latest: "running",
				why: "the deployment was interrupted.",
				timedOut: false,
				...then,
			});
		},
	);

	it("looks again as soon as it is told of the end, and that once", async () => {
		let tell = () => {};
		const hint = new Promise<void>((resolve) => {
			tell = resolve;
		});
		const during = (sleep: number) => sleep === 1 && tell();
		const look = (_: number, looks: number) => (looks < 4 ? "running" : "ended");
		// The first pause was cut short, the two after it were not.
		expect(await waited(look, { hint, during })).toMatchObject({
			latest: "ended",
			now: 3_000,
		});
	});
});

const clean = (inputs: object, ...secrets: string[]) => {
	const redacted = redactedFor({ secrets }, { ...inputs });
	return (text: string) => oneLine(redacted(text));
};

describe("a line of a job's log", () => {
	it("loses the secrets that the job was given, wherever they are", () => {
		const inputs = {
			environment: {
				KEY: "sesame-open-42",
				PLAIN: "not-a-secret",
				PEM: "first-line\r\n\tsecond-line ",
			},
			storage: {
				s3: { secret: "another-secret" },
				list: [{ key: "third-secret" }, null, 7],
			},
		};
		const shown = clean(inputs, "environment.KEY", "environment.PEM", "storage");
		expect(shown("first-line, second-line")).toBe("[redacted], [redacted]");
		expect(
			shown("sesame-open-42 another-secret third-secret not-a-secret s3 list"),
		).toBe("[redacted] [redacted] [redacted] not-a-secret s3 list");
	});

	it.each([
		["a\tb", "a    b"],
		[
			"cloning https://me:word@example.com/repo.git",
			"cloning https://***@example.com/repo.git",
		],
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
const target = {
	team: "ml",
	jobId: "7",
	label: "train",
	clean: (text: string) => text.replaceAll(SECRET, "[redacted]"),
};

type FollowLogs = (
	request: unknown,
	options: {
		readonly signal: AbortSignal;
		untimed: boolean;
		readonly onInterrupted: (error: Error) => void;
	},
) => AsyncGenerator<LogEvent>;
const line = (message: string): LogEvent => ({ type: "line", message });
const status = (text: string): LogEvent => ({ type: "status", status: text });
/** A log of these parts, which breaks off where one of them is an error. */
const logOf = (...parts: (LogEvent | Error)[]): FollowLogs =>
	async function* () {
		for (const part of parts) {
			if (part instanceof Error) throw part;
			yield part;
		}
	};

/** A call of a job with this log, and what it tells. */
function callOver(followLogs: FollowLogs) {
	const told = {
		lines: [] as string[],
		notices: [] as string[],
		sleeps: [] as number[],
	};
	const call = {
		client: { jobs: { followLogs } },
		time: {
			now: () => 0,
			sleep: (millis: number) => {
				told.sleeps.push(millis);
				return new Promise((resolve) => setImmediate(resolve));
			},
		},
		line: (text: string) => told.lines.push(text),
		notice: (text: string) => told.notices.push(text),
	};
	return { call: call as unknown as OperationContext, told };
}

/** What is told of a log up to the job's end, and its last lines. */
async function followed(followLogs: FollowLogs) {
	const { call, told } = callOver(followLogs);
	const log = new LogLines(call, target);
	await log.whenEnded;
	return { log, told, last: await log.last(1_000) };
}

const lastOf = (followLogs: FollowLogs) => lastLines(callOver(followLogs).call, target);

test("a job's log, in messages that do not end where its lines do, is shown line by line, and no secret in two halves", async () => {
	const log = logOf(
		...["a sesa", "me-open-42 b\nhalf", "way\n\nlast ses", "ame-open-42"].map(line),
	);
	const lines = ["a [redacted] b", "halfway", "", "last [redacted]"];
	const { told, last } = await followed(log);
	expect(last).toEqual(lines);
	expect(told.lines).toEqual(lines.map((text) => `train | ${text}`));
});

test("of a long log the last twenty lines are kept, and the last one need not be complete", async () => {
	const messages = Array.from({ length: 30 }, (_, at) => line(`line ${at}\n`));
	const last = Array.from({ length: 20 }, (_, at) => `line ${at + 10}`);
	expect(await lastOf(logOf(...messages))).toEqual(last);
	const cut = logOf(...messages, line("and"));
	expect(await lastOf(cut)).toEqual([...last.slice(1), "and"]);
	expect((await followed(cut)).last).toEqual([...last.slice(1), "and"]);
});

test.each(["COMPLETE", "complete", "task"])(
	"a job that had ended as %s is a success",
	async (status) => {
		expect(
			await problemOfEnded(callOver(logOf()).call, target, { id: "7", status }),
		).toBeUndefined();
	},
);

describe("a job's log that breaks off", () => {
	test("for a while is reported, and goes on where it broke off", async () => {
		const { told, last } = await followed(async function* (_, { onInterrupted }) {
			yield line("one\ntw");
			onInterrupted(failure(NetworkError));
			yield line("o\n");
			yield status("COMPLETE");
		});
		expect(last).toEqual(["one", "two"]);
		expect(told.lines).toEqual([
			"train | one",
			"train | two",
			"train: job 7 is COMPLETE",
		]);
		expect(told.notices).toEqual(["train: its log cannot be followed. NetworkError."]);
	});

	test("for good is reported, and the lines that came are kept", async () => {
		const { told, last } = await followed(
			logOf(line("one\nhalf"), failure(NotFoundError)),
		);
		expect(last).toEqual(["one", "half"]);
		expect(told.notices).toEqual(["train: its log cannot be followed. NotFoundError."]);
		await expect(followed(logOf(failure(TypeError)))).rejects.toThrow("TypeError.");
	});
});

test("a log that tells of the job's end says so before it is complete itself", async () => {
	let finish = () => {};
	const rest = new Promise<void>((resolve) => {
		finish = resolve;
	});
	const { call, told } = callOver(async function* () {
		yield status("RUNNING");
		yield status("FAILED");
		await rest;
		yield line("late\n");
	});
	const log = new LogLines(call, target);
	await log.whenEnded;
	expect(told.lines.at(-1)).toBe("train: job 7 is FAILED");
	finish();
	await new Promise((resolve) => setImmediate(resolve));
	expect(await log.last(60_000)).toEqual(["late"]);
});

test("what a log does not bring within the grace time is not waited for, and its connection ends", async () => {
	const given: { signal?: AbortSignal; untimed?: boolean } = {};
	const { call, told } = callOver(async function* (_, options) {
		Object.assign(given, options);
		yield line("one\nhal");
		await new Promise((resolve) => options.signal.addEventListener("abort", resolve));
		throw failure(NetworkError);
	});
	const log = new LogLines(call, target);
	expect([given.signal?.aborted, given.untimed]).toEqual([false, true]);
	expect(await log.last(60_000)).toEqual(["one", "hal"]);
	expect(told.sleeps).toEqual([60_000]);
	expect(given.signal?.aborted).toBe(true);
	expect(told.notices).toEqual([]);
});

test("a job whose log brings nothing is waited for all the same, and its log is left with it", async () => {
	const follow = vi.fn(logOf());
	const { call, told } = callOver(follow);
	const wait = (status: string) => {
		Object.assign(call, { interrupt: new AbortController().signal });
		Object.assign(call.client.jobs, { list: async () => [{ id: "7", status }] });
		return waitForJob(call, target, { id: "7", status: "CREATED" }, 0);
	};
	const job = 'Job "without a name" (id 7) in team "ml"';
	expect((await wait("FAILED")).problem).toBe(`${job} ended as FAILED`);
	expect(told.lines).toEqual(["train: job 7 is FAILED"]);
	expect((await wait("RUNNING")).problem).toContain(
		`${job} is RUNNING, and it did not end`,
	);
	expect(follow.mock.lastCall?.[1].signal.aborted).toBe(true);
});

test("each status is shown once, whoever tells it", async () => {
	const { log, told } = await followed(logOf(status("RUNNING"), status("RUNNING")));
	for (const one of ["RUNNING", "COMPLETE", "COMPLETE"]) log.status(one);
	expect(told.lines).toEqual(["train: job 7 is RUNNING", "train: job 7 is COMPLETE"]);
});

describe("of a log of very many lines", () => {
	const many = Array.from({ length: 1_005 }, (_, at) => line(`${at + 1}\n`));

	test("a thousand are shown, and that there are more", async () => {
		const { told } = await followed(logOf(...many));
		expect(told.lines.slice(998)).toEqual([
			"train | 999",
			"train | 1000",
			"train | … more than 1000 lines; the rest is not shown here",
		]);
	});

	test("a caller that asks for them gets them as the job wrote them, however long they are", async () => {
		const written = `\tpercent \r${"x".repeat(70_000)}end  \nhalf`;
		const pieces = [written.slice(0, 66_000), written.slice(66_000)];
		const given: string[] = [];
		const to = {
			text: (text: string) => given.push(text),
			status: (text: string) => given.push(text),
		};
		await new LogLines(callOver(logOf(status("RUNNING"), ...pieces.map(line))).call, {
			...target,
			to,
		}).whenEnded;
		expect([given.join(""), given.length]).toEqual([`RUNNING${written}\n`, 4]);
	});
});
