import { describe, expect, test } from "vitest";
import type { LogEvent } from "../../../src/api";
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
