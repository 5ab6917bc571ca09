import { expect, onTestFinished, test } from "vitest";
import type { WebSocket } from "ws";
import { type ClientOptions, type LogEvent, NetworkError, TimeoutError } from "../../src/api";
import { JOB_ID } from "../helpers/api-calls";
import { clientFor, frame, logs, startLogServer, status } from "../helpers/api-servers";
import { skipLongWaits } from "../helpers/virtual-time";

const SECOND = 1_000;

interface Followed {
	readonly ids: readonly (number | undefined)[];
	readonly error: unknown;
	readonly connections: number;
	/** Until the last wait was over, by the clock that skips. */
	readonly seconds: number;
}

/** Follows a log to its end; each connection does what the test says. */
async function followed(
	connected: (socket: WebSocket, index: number) => void,
	options: ClientOptions = {},
): Promise<Followed> {
	const waits = skipLongWaits();
	const server = await startLogServer(connected);
	const client = clientFor(server.url, options);
	onTestFinished(async () => {
		await client.close();
		await server.close();
	});
	const events: LogEvent[] = [];
	const from = performance.now();
	const read = async () => {
		for await (const event of client.jobs.followLogs({ job_id: JOB_ID })) events.push(event);
	};
	const error = await read().catch((failure: unknown) => failure);
	return {
		ids: events.flatMap((event) => (event.type === "line" ? [event.id] : [])),
		error,
		connections: server.handshakes.length,
		seconds: Math.floor((waits.lastOver() - from) / SECOND),
	};
}

/** Sends one after the other, that many seconds apart. */
function every(seconds: number, acts: readonly (() => void)[]): void {
	const [act, ...others] = acts;
	if (act === undefined) return;
	setTimeout(() => {
		act();
		every(seconds, others);
	}, seconds * SECOND);
}

const send =
	(...frames: string[]) =>
	(socket: WebSocket) => {
		for (const one of frames) socket.send(one);
	};
const complete = (...ids: number[]) => send(logs(...ids), status("COMPLETE"));
/** All there is, and the close that says so. */
const finish =
	(...ids: number[]) =>
	(socket: WebSocket) => {
		complete(...ids)(socket);
		socket.close(1000);
	};
/** The job has ended, and its first connection breaks. */
const brokenAfterTheEnd = (next: (socket: WebSocket, index: number) => void) => {
	return (socket: WebSocket, index: number) => {
		if (index > 0) return next(socket, index);
		complete(1, 2)(socket);
		socket.close(1011);
	};
};

test("a minute without a sign of life ends a connection, and the next one goes on", async () => {
	const quiet = (socket: WebSocket, index: number) => {
		const act = index === 0 ? send(logs(1)) : finish(1, 2);
		act(socket);
	};
	expect(await followed(quiet, { attemptTimeoutMillis: 100 * SECOND })).toMatchObject({
		ids: [1, 2],
		error: undefined,
		connections: 2,
		seconds: 60,
	});
});

test.each([
	["pings of the protocol", (socket: WebSocket) => socket.ping()],
	["lines", send(logs(1))],
])("%s are signs of life while the job runs", async (_, sign) => {
	const slow = (socket: WebSocket) =>
		every(40, [...Array.from({ length: 4 }, () => () => sign(socket)), () => finish(1, 2)(socket)]);
	expect(await followed(slow)).toMatchObject({ ids: [1, 2], error: undefined, connections: 1, seconds: 200 });
});

test.each([
	["more than half a minute is no sign of trouble", 31, 12, undefined],
	["less is, and five of them are the end", 29, 5, NetworkError],
])("a connection without news that lasted %s", async (_, seconds, connections, error) => {
	const run = await followed((socket, index) => {
		if (index < 11) every(seconds, [() => socket.close(1011)]);
		else finish(1)(socket);
	});
	expect(run.connections).toBe(connections);
	if (error === undefined) expect(run.error).toBeUndefined();
	else expect(run.error).toBeInstanceOf(error);
});

test.each([
	["nothing", () => {}],
	["pings in frames", send(frame({ type: "ping" }))],
])("after a job's end, %s for five seconds is the end of its log", async (_, sign) => {
	const run = await followed((socket) => {
		complete(1, 2)(socket);
		every(
			3,
			Array.from({ length: 10 }, () => () => sign(socket)),
		);
	});
	expect(run).toMatchObject({ ids: [1, 2], error: undefined, connections: 1, seconds: 5 });
});

test("after a job's end, late lines are taken as long as they come", async () => {
	const run = await followed((socket) => {
		complete(1)(socket);
		every(
			4,
			[2, 3, 4].map((id) => () => socket.send(logs(id))),
		);
	});
	expect(run).toMatchObject({ ids: [1, 2, 3, 4], error: undefined, seconds: 17 });
});

test("after a job's end, connections that are silent about it end in an error", async () => {
	const run = await followed(brokenAfterTheEnd(send(logs(1), frame({ type: "ping" }))));
	expect(run).toMatchObject({ ids: [1, 2], connections: 5 });
	expect(run.error).toBeInstanceOf(TimeoutError);
	expect(String(run.error)).toMatchInlineSnapshot(
		`"TimeoutError: Could not follow the log of a job (job_id "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11") in team "ml" after 5 attempts (GET /logs/follow/): the service was silent for 60 s, the limit of one attempt. Try again. Programs that use the client themselves can raise its attemptTimeoutMillis."`,
	);
});

test.each([
	[1000, "completes the log", 2],
	[undefined, "completes the log", 2],
	[1011, "does not", 3],
])("after a job's end, close %s of a connection that did not tell of it %s", async (code, _, connections) => {
	const run = await followed(
		brokenAfterTheEnd((socket, index) => {
			socket.send(logs(1, 2));
			socket.close(index === 1 ? code : 1000);
		}),
	);
	expect(run).toMatchObject({ ids: [1, 2], error: undefined, connections });
});
