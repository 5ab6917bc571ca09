import { createServer } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import {
	AbortedError,
	type ApiError,
	type ClientOptions,
	type DataChainClient,
	type FollowLogsOptions,
	type LogEvent,
	NotAuthenticatedError,
	NotAuthorizedError,
	type RetryInfo,
} from "../../src/client";
import { JOB_ID } from "../helpers/api-calls";
import {
	clientFor,
	failureOf,
	frame,
	type LogServer,
	logs,
	loopbackOfTest,
	startLogServer,
	status,
	TOKEN,
} from "../helpers/api-servers";
import { skipLongWaits } from "../helpers/virtual-time";

let server: LogServer;
let client: DataChainClient;

async function start(
	connected: (socket: WebSocket, index: number) => void,
	refuse?: Parameters<typeof startLogServer>[1],
	options?: ClientOptions,
) {
	server = await startLogServer(connected, refuse);
	client = clientFor(server.url, options);
}

async function follow(
	options?: FollowLogsOptions,
	more: object = {},
): Promise<LogEvent[]> {
	const events: LogEvent[] = [];
	for await (const event of client.jobs.followLogs(
		{ job_id: JOB_ID, ...more },
		options,
	))
		events.push(event);
	return events;
}

const tellOfEnd = (socket: WebSocket, ...ids: number[]) => {
	socket.send(logs(...ids));
	socket.send(status("COMPLETE"));
};
/** The job's end, and the close that completes its log. */
const complete = (socket: WebSocket, ...ids: number[]) => {
	tellOfEnd(socket, ...ids);
	socket.close(1000);
};

/** A server that refuses handshakes as the test says; those that it takes bring the job's end. */
const refusing = (
	refuse: Parameters<typeof startLogServer>[1],
	options?: ClientOptions,
) => start((socket) => complete(socket), refuse, options);

const texts = (events: readonly LogEvent[]) =>
	events.flatMap((event) => (event.type === "line" ? [event.message.trim()] : []));
const range = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, i) => from + i);
const expected = (count: number) => range(1, count).map((id) => `line ${id}`);

describe("a quiet connection", () => {
	test("gives lines and changed statuses in order and ends with the job", async () => {
		await start((socket) => {
			for (const one of [
				status("RUNNING"),
				frame({ type: "ping" }),
				logs(1, 2),
				status("RUNNING"),
				logs(3),
				status("COMPLETE"),
			])
				socket.send(one);
			socket.close(1000);
		});
		expect(await follow()).toEqual([
			{ type: "status", status: "RUNNING" },
			{ type: "line", id: 1, message: "line 1\n" },
			{ type: "line", id: 2, message: "line 2\n" },
			{ type: "line", id: 3, message: "line 3\n" },
			{ type: "status", status: "COMPLETE" },
		]);
		expect(server.handshakes).toEqual([
			{
				url: `/api/logs/follow/?job_id=${JOB_ID}&team_name=ml`,
				authorization: `Bearer ${TOKEN}`,
			},
		]);
	});

	test("with no_follow, in another team, ends when the service closes, though the job still runs", async () => {
		await start((socket) => {
			socket.send(logs(1));
			socket.close(1000);
		});
		expect(texts(await follow({}, { no_follow: true, team_name: "vision" }))).toEqual([
			"line 1",
		]);
		expect(server.handshakes.map(({ url }) => url)).toEqual([
			`/api/logs/follow/?job_id=${JOB_ID}&team_name=vision&no_follow=true`,
		]);
	});

	test("sorts lines within a frame, and is not ended by odd fields or by messages beside other content", async () => {
		const message = "by the way";
		await start((socket) => {
			socket.send(frame({ type: "ping", message }));
			socket.send(logs(2, 1));
			socket.send(frame({ logs: [{ id: 3, message: "line 3\n" }], message }));
			socket.send(
				frame({ logs: null, job: null, message: null, type: "new-thing", x: 1 }),
			);
			socket.send(frame({ log_blobs: [], message }));
			socket.send(frame({ job: { status: "RUNNING" }, message }));
			complete(socket, 4);
		});
		expect(texts(await follow())).toEqual(expected(4));
	});
});

describe("a dropped connection", () => {
	test("repeats and loses no line, wherever it is cut", async () => {
		const total = 40;
		await start((socket, index) => {
			// Each connection sends everything again from the first line, and gets three further than the last.
			const upTo = Math.min(total, (index + 1) * 3);
			for (const id of range(1, upTo)) socket.send(logs(id));
			if (upTo < total) setTimeout(() => socket.terminate(), 5);
			else complete(socket);
		});
		expect(texts(await follow())).toEqual(expected(total));
		expect(server.handshakes.length).toBeGreaterThan(10);
	});

	test("of a job that still runs is followed by others, until one that came after its end closes in good order", async () => {
		await start((socket, index) => {
			socket.send(logs(...range(1, index + 1)));
			if (index === 1) server.status = "COMPLETE";
			socket.close(index === 1 ? 1011 : 1000);
		});
		const events = await follow();
		expect(texts(events)).toEqual(expected(3));
		expect(events.at(-1)).toEqual({ type: "status", status: "COMPLETE" });
		expect(server.handshakes).toHaveLength(3);
		const asked = server.requests.map(({ query }) => Object.fromEntries(query));
		expect(asked).toEqual(
			[1, 2].map(() => ({ job_id: JOB_ID, team_name: "ml", limit: "1" })),
		);
	});

	test("is reported once to onInterrupted, and again only after the log came back", async () => {
		const told: ApiError[] = [];
		await start((socket, index) => {
			socket.send(logs(...range(1, index < 7 ? 1 : index < 14 ? 2 : 3)));
			if (index < 14) return void setTimeout(() => socket.terminate(), 2);
			complete(socket);
		});
		expect(texts(await follow({ onInterrupted: (error) => told.push(error) }))).toEqual(
			expected(3),
		);
		expect(told).toMatchObject(
			[1, 2].map(() => ({ name: "NetworkError", attempts: 5 })),
		);
	});
});

describe("the end by the service or the reader", () => {
	test.each<[string, () => FollowLogsOptions]>([
		[
			"AbortedError",
			() => ({ signal: AbortSignal.timeout(100), deadlineMillis: 2_000 }),
		],
		["TimeoutError", () => ({ deadlineMillis: 100 })],
	])(
		"a caller or a deadline ends a quiet log and closes the socket: %s",
		async (name, options) => {
			await start((socket) => socket.send(logs(1)));
			const error = await failureOf(follow(options()));
			expect(error).toMatchObject({ name });
			expect(String(error)).not.toContain("Nothing was sent");
			await vi.waitFor(() => expect(server.open()).toBe(0));
		},
	);

	test("a deadline ends a log also while its job's status is asked for", async () => {
		await start((socket) => socket.close(1011));
		server.code = 0;
		expect(await failureOf(follow({ deadlineMillis: 200 }))).toMatchObject({
			kind: "deadline",
		});
		expect(server.requests).toHaveLength(1);
	}, 5_000);

	test("a caller who has given up gets no more lines, also of those that have come", async () => {
		await start((socket) => {
			for (const id of [1, 2, 3]) socket.send(logs(id));
		});
		const leaving = new AbortController();
		const events = client.jobs.followLogs(
			{ job_id: JOB_ID },
			{ signal: leaving.signal },
		);
		expect(await events.next()).toMatchObject({ value: { id: 1 } });
		await sleep(100);
		leaving.abort();
		expect(await failureOf(events.next())).toBeInstanceOf(AbortedError);
	});

	test("a client that is closed ends the logs it follows, and follows no other", async () => {
		await start((socket) => socket.send(logs(1)));
		const following = failureOf(follow());
		await vi.waitFor(() => expect(server.open()).toBe(1));
		await client.close();
		expect(await following).toBeInstanceOf(AbortedError);
		await vi.waitFor(() => expect(server.open()).toBe(0));
		expect(await failureOf(follow())).toBeInstanceOf(AbortedError);
		expect(server.handshakes).toHaveLength(1);
	});

	test("return() ends a reader that waits for the next line", async () => {
		await start(() => {});
		const events = client.jobs.followLogs({ job_id: JOB_ID });
		const waiting = events.next();
		await sleep(100);
		await events.return?.();
		expect(await waiting).toEqual({ done: true, value: undefined });
		expect(await events.next()).toEqual({ done: true, value: undefined });
		await vi.waitFor(() => expect(server.open()).toBe(0));
	});
});

describe("a stored log", () => {
	const whole = Buffer.from(`${expected(6).join("\n")}\nlast ü without newline`);

	test("in two parts, cut within a character, is fetched without the token and continues what came before, live or stored", async () => {
		const cut = whole.indexOf("ü") + 1;
		await start((socket, index) => {
			if (index === 1) server.stored.set("/b", whole.subarray(cut));
			socket.send(logs(1, 2));
			socket.send(frame({ log_blobs: [`${server.url}/a`, `${server.url}/b`] }));
			complete(socket);
		});
		server.stored.set("/a", whole.subarray(0, cut));
		expect(texts(await follow())).toEqual([...expected(6), "last ü without newline"]);
		const fetched = server.requests.filter(({ path }) => path.length === 2);
		expect(fetched.map(({ path }) => path)).toEqual(["/a", "/b", "/a", "/b"]);
		for (const { headers } of fetched)
			expect(headers).not.toHaveProperty("authorization");
	});

	test("is complete: later live lines are left out, and it is not fetched again", async () => {
		await start((socket, index) => {
			socket.send(frame({ log_blobs: [`${server.url}/blob`] }));
			socket.send(logs(9));
			if (index === 0) return socket.close(1011);
			complete(socket);
		});
		server.stored.set("/blob", whole);
		expect(texts(await follow())).toEqual([...expected(6), "last ü without newline"]);
		expect(server.requests.filter(({ path }) => path === "/blob")).toHaveLength(1);
	});
});

describe("a log that cannot be followed says why, and what to do", () => {
	const WHAT = `Could not follow the log of a job (job_id "${JOB_ID}") in team "ml"`;
	const [AT_ONCE, GIVEN_UP] = [
		`${WHAT} (GET /logs/follow/): `,
		`${WHAT} after 5 attempts (GET /logs/follow/): `,
	];
	const CHECK_URL =
		"Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) points to the service, and that no proxy answers in its place.";
	const sending = (content: unknown) => (socket: WebSocket) =>
		socket.send(frame(content));

	test.each<[string, (socket: WebSocket) => void, string]>([
		[
			"closed as not permitted",
			(socket) => socket.close(1008),
			`LogStreamError: ${AT_ONCE}the service closed the log as not permitted. Check the token and the team.`,
		],
		[
			"closed as too big",
			(socket) => socket.close(1009),
			`LogStreamError: ${AT_ONCE}a part of the log is larger than 2 MiB. Read the log in the web UI.`,
		],
		[
			"larger than a frame may be",
			sending({ logs: [{ id: 1, message: "x".repeat(2 ** 21) }] }),
			`LogStreamError: ${AT_ONCE}a part of the log is larger than 2 MiB. Read the log in the web UI.`,
		],
		[
			"against the protocol",
			(socket) =>
				void (socket as unknown as { _socket: Socket })._socket.write(
					Buffer.from([0xff, 0x00]),
				),
			`NetworkError: ${GIVEN_UP}the network failed (WS_ERR_UNEXPECTED_RSV_2_3). Try again.`,
		],
		[
			"ended with a message",
			sending({ message: `no such job ${TOKEN}` }),
			`LogStreamError: ${AT_ONCE}the service ended the log. The service says: "no such job [redacted]". Check the job's id and the team.`,
		],
		[
			"of another form",
			sending({ logs: "x" }),
			`UnexpectedReplyError: ${GIVEN_UP}a part of the log does not have the documented form. ${CHECK_URL}`,
		],
		[
			"stored at a strange address",
			sending({ log_blobs: ["ftp://127.0.0.1/x"] }),
			`LogStreamError: ${AT_ONCE}the service points to a stored log at an address that is neither https nor on this machine. Ask the operator of the service to store logs behind https.`,
		],
		[
			"stored and not there",
			(socket) => socket.send(frame({ log_blobs: [`${server.url}/missing`] })),
			`NetworkError: ${GIVEN_UP}the network failed (stored log: status 404). Try again.`,
		],
	])("%s", async (_, connected, message) => {
		await start(connected);
		expect(String(await failureOf(follow()))).toBe(message);
	});

	test("answered with a redirect, which is not followed: the token would go along", async () => {
		await refusing((_, index) =>
			index === 0 ? { status: 302, headers: { location: "/elsewhere" } } : undefined,
		);
		expect(String(await failureOf(follow()))).toContain(`${AT_ONCE}302, `);
		expect(server.handshakes).toHaveLength(1);
	});

	test("an id that no path can hold is refused before anything is sent", async () => {
		await start(() => {});
		const error = await failureOf(client.jobs.followLogs({ job_id: "../x" }).next());
		expect(error).toMatchObject({ received: false, attempts: 0 });
		expect(String(error)).toBe(
			'InvalidRequestError: Could not follow the log of a job (job_id "../x") in team "ml" (GET /logs/follow/): job_id must be an id, a UUID for instance. Nothing was sent; correct the request.',
		);
		expect(server.handshakes).toEqual([]);
	});

	test("because its handshake is not answered", async () => {
		const silent = await loopbackOfTest(createServer().on("upgrade", () => {}));
		client = clientFor(silent.url, { attemptTimeoutMillis: 50, maxAttempts: 1 });
		expect(await failureOf(follow())).toMatchObject({
			name: "NetworkError",
			code: "WS_ERROR",
		});
	});

	test("because of a refusal that never ends has the status, after the time of an attempt", async () => {
		await refusing(() => ({ status: 403, headers: { "content-length": 1_000 } }), {
			attemptTimeoutMillis: 100,
		});
		expect(await failureOf(follow())).toMatchObject({ status: 403 });
	});
});

describe("before the next connection", () => {
	test("Retry-After is kept, and onRetry is told of each wait", async () => {
		skipLongWaits();
		const told: RetryInfo[] = [];
		const refusals = [{ status: 503 }, { status: 429, headers: { "retry-after": 3 } }];
		const options = {
			onRetry: (info: RetryInfo) => told.push(info),
			random: () => 0.5,
		};
		await refusing((_, index) => refusals[index], options);
		expect(await follow()).toHaveLength(1);
		const facts = { method: "GET", path: "/logs/follow/" };
		expect(told).toEqual([
			{ ...facts, because: "ServerError", attempt: 1, delayMillis: 100 },
			{ ...facts, because: "RateLimitedError", attempt: 2, delayMillis: 3_050 },
		]);
	});

	test("a Retry-After beyond the deadline ends the log at once, with the refusal as error", async () => {
		await refusing(() => ({ status: 503, headers: { "retry-after": 30 } }));
		expect(await failureOf(follow({ deadlineMillis: 10_000 }))).toMatchObject({
			name: "ServerError",
		});
		expect(server.handshakes).toHaveLength(1);
	});

	test.each([
		[401, NotAuthenticatedError],
		[403, NotAuthorizedError],
	])("a status that may not be read (%d) is final", async (code, kind) => {
		await start((socket) => socket.close(1011));
		server.code = code;
		expect(await failureOf(follow())).toBeInstanceOf(kind);
		expect(server.handshakes).toHaveLength(1);
	});

	test("a status that cannot be read is left to the next connection", async () => {
		await start((socket, index) => {
			if (index === 0) return socket.close(1011);
			complete(socket);
		});
		server.code = 404;
		expect(await follow()).toEqual([{ type: "status", status: "COMPLETE" }]);
	});
});

describe("silence", () => {
	const SECOND = 1_000;

	/** Follows a log to its end; the time is that until the last wait was over, to five seconds: a busy machine is late. */
	async function followed(
		connected: (socket: WebSocket, index: number) => void,
		options?: ClientOptions,
	) {
		const waits = skipLongWaits();
		await start(connected, undefined, options);
		const from = performance.now();
		const lines = texts(await follow()).length;
		const seconds = 5 * Math.round((waits.lastOver() - from) / (5 * SECOND));
		return { lines, connections: server.handshakes.length, seconds };
	}

	/** Does one after the other, that many seconds apart. */
	function every(seconds: number, [act, ...others]: readonly (() => void)[]): void {
		if (act === undefined) return;
		setTimeout(() => {
			act();
			every(seconds, others);
		}, seconds * SECOND);
	}
	const times = (count: number, act: () => void) =>
		Array.from({ length: count }, () => act);

	/** The job has ended, and its first connection breaks. */
	const brokenAfterTheEnd =
		(next: (socket: WebSocket, index: number) => void) =>
		(socket: WebSocket, index: number) => {
			if (index > 0) return next(socket, index);
			tellOfEnd(socket, 1, 2);
			socket.close(1011);
		};

	test("of a minute ends a connection, and the next one goes on", async () => {
		const quiet = (socket: WebSocket, index: number) =>
			index === 0 ? socket.send(logs(1)) : complete(socket, 1, 2);
		const run = await followed(quiet, { attemptTimeoutMillis: 100 * SECOND });
		expect(run).toEqual({ lines: 2, connections: 2, seconds: 60 });
	});

	test.each<[string, (socket: WebSocket) => void]>([
		["pings of the protocol", (socket) => socket.ping()],
		["lines", (socket) => socket.send(logs(1))],
	])("is none if there are %s while the job runs", async (_, sign) => {
		const slow = (socket: WebSocket) =>
			every(40, [...times(4, () => sign(socket)), () => complete(socket, 1, 2)]);
		expect(await followed(slow)).toEqual({ lines: 2, connections: 1, seconds: 200 });
	});

	test("until the connection breaks is no sign of trouble if it lasted for half a minute", async () => {
		const breaking = (seconds: number) => (socket: WebSocket, index: number) => {
			if (index < 11) every(seconds, [() => socket.close(1011)]);
			else complete(socket, 1);
		};
		expect(await followed(breaking(31))).toMatchObject({ connections: 12 });
		await start(breaking(29));
		expect(await failureOf(follow())).toMatchObject({
			name: "NetworkError",
			attempts: 5,
		});
	});

	test.each<[string, (socket: WebSocket) => void]>([
		["nothing", () => {}],
		["pings in frames", (socket) => socket.send(frame({ type: "ping" }))],
	])(
		"after a job's end, %s for five seconds, is the end of its log",
		async (_, sign) => {
			const run = await followed((socket) => {
				tellOfEnd(socket, 1, 2);
				const signs = times(10, () => sign(socket));
				every(3, signs);
			});
			expect(run).toEqual({ lines: 2, connections: 1, seconds: 5 });
		},
	);

	test("after a job's end is none while late lines come", async () => {
		const run = await followed((socket) => {
			tellOfEnd(socket, 1);
			const late = [2, 3, 4].map((id) => () => socket.send(logs(id)));
			every(4, late);
		});
		expect(run).toEqual({ lines: 4, connections: 1, seconds: 15 });
	});

	test("about a job's end is an error", async () => {
		skipLongWaits();
		await start(brokenAfterTheEnd((socket) => socket.send(logs(1))));
		expect(String(await failureOf(follow()))).toContain(
			"after 5 attempts (GET /logs/follow/): the service was silent for 60 s, the limit of one attempt. Try again. " +
				"Programs that use the client themselves can raise its attemptTimeoutMillis.",
		);
		expect(server.requests).toEqual([]);
	});

	test.each([
		[1000, "completes the log", 2],
		[undefined, "completes the log", 2],
		[1001, "does not", 3],
	])(
		"about a job's end on a connection that is closed with %s %s",
		async (code, _, connections) => {
			const run = await followed(
				brokenAfterTheEnd((socket, index) => {
					socket.send(logs(1, 2));
					socket.close(index === 1 ? code : 1000);
				}),
			);
			expect(run).toMatchObject({ lines: 2, connections });
		},
	);
});
