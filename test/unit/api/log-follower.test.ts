import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient, type LogEvent, TimeoutError } from "../../../src/api";
import type { SocketEnd } from "../../../src/api/logs/log-socket";
import { frame, logs, status } from "../../helpers/api-log-server";
import { failureOf } from "../../helpers/api-raw-server";

/** What each connection gives, in order; the last one is repeated. */
const script: (string | SocketEnd)[][] = [];
let connections = 0;

vi.mock("../../../src/api/logs/log-socket", () => ({
	LogSocket: class {
		private readonly items = [...(script[Math.min(connections++, script.length - 1)] ?? [])];
		next = async () => this.items.shift();
		close = () => {};
	},
}));

beforeEach(() => {
	connections = 0;
	script.length = 0;
});
afterEach(() => vi.restoreAllMocks());

const silent: SocketEnd = { kind: "silent", millis: 60_000 };
const lost: SocketEnd = { kind: "closed", code: 1006 };

async function follow(events: LogEvent[] = []): Promise<LogEvent[]> {
	const client = createClient(
		{ baseUrl: "http://127.0.0.1:1", token: "t0ken-t0ken", teamName: "ml" },
		{ random: () => 0 },
	);
	for await (const event of client.jobs.followLogs({ job_id: "7f1c2a34-0000-4000-8000-000000000001" }))
		events.push(event);
	return events;
}

test("silence after a job's end is an error on connections that tell nothing of the end", async () => {
	script.push([logs(1), status("COMPLETE"), lost], [logs(1), frame({ type: "ping" }), silent]);
	const events: LogEvent[] = [];
	expect(await failureOf(follow(events))).toBeInstanceOf(TimeoutError);
	expect(connections).toBe(5);
	expect(events).toHaveLength(2);
});

test("connections that only last do not go on for ever after a job's end", async () => {
	script.push([logs(1), status("COMPLETE"), lost], [silent]);
	let now = 0;
	vi.spyOn(performance, "now").mockImplementation(() => (now += 31_000));
	expect(await failureOf(follow())).toBeInstanceOf(TimeoutError);
	expect(connections).toBe(5);
});

test("silence on the connection that told of the end completes the log", async () => {
	script.push([logs(1), status("COMPLETE"), lost], [logs(1, 2), status("COMPLETE"), silent]);
	expect(await follow()).toHaveLength(3);
});
