import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import {
	AbortedError,
	type CallOptions,
	type ClientOptions,
	type DataChainClient,
	type LogEvent,
	LogStreamError,
	NetworkError,
	NotAuthenticatedError,
	NotAuthorizedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "../../src/api";
import { JOB_ID } from "../helpers/api-calls";
import { frame, type LogServer, logs, startLogServer, status } from "../helpers/api-log-server";
import { clientFor, failureOf, TOKEN } from "../helpers/api-raw-server";

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
afterEach(async () => {
	await client.close();
	await server.close();
});

async function follow(options?: CallOptions & { no_follow?: boolean }): Promise<LogEvent[]> {
	const events: LogEvent[] = [];
	const { no_follow, ...rest } = options ?? {};
	for await (const event of client.jobs.followLogs({ job_id: JOB_ID, no_follow }, rest)) events.push(event);
	return events;
}

const texts = (events: readonly LogEvent[]) =>
	events.flatMap((event) => (event.type === "line" ? [event.message.trim()] : []));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
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
			{ url: `/api/logs/follow/?job_id=${JOB_ID}&team_name=ml`, authorization: `Bearer ${TOKEN}` },
		]);
	});

	test("with no_follow ends when the service closes, though the job still runs", async () => {
		await start((socket) => {
			socket.send(logs(1));
			socket.close(1000);
		});
		expect(texts(await follow({ no_follow: true }))).toEqual(["line 1"]);
		expect(server.handshakes.map(({ url }) => url)).toEqual([
			`/api/logs/follow/?job_id=${JOB_ID}&team_name=ml&no_follow=true`,
		]);
	});

	test("lines out of order within a frame are sorted, and extra or null fields pass", async () => {
		await start((socket) => {
			socket.send(logs(3, 1, 2));
			socket.send(frame({ logs: null, job: null, message: null, type: "new-thing", x: 1 }));
			socket.send(status("FAILED"));
			socket.close(1000);
		});
		expect(texts(await follow())).toEqual(expected(3));
	});

	test("a service that never closes after the job's end is left after a grace time", async () => {
		await start((socket) => {
			socket.send(logs(1));
			socket.send(status("CANCELED"));
		});
		expect(texts(await follow())).toEqual(["line 1"]);
	}, 15_000);
});

describe("a dropped connection", () => {
	test("repeats and loses no line, wherever it is cut", async () => {
		const total = 40;
		await start((socket, index) => {
			// Each connection sends everything again from the first line, and gets three further than the last.
			const upTo = Math.min(total, (index + 1) * 3);
			for (const id of range(1, upTo)) socket.send(logs(id));
			if (upTo < total) setTimeout(() => socket.terminate(), 5);
			else {
				socket.send(status("COMPLETE"));
				socket.close(1000);
			}
		});
		expect(texts(await follow())).toEqual(expected(total));
		expect(server.handshakes.length).toBeGreaterThan(10);
	});

	test("after the job's end is repaired by one more connection, which brings the rest", async () => {
		await start((socket, index) => {
			socket.send(logs(1, 2));
			if (index === 0) {
				server.status = "COMPLETE";
				setTimeout(() => socket.terminate(), 5);
				return;
			}
			socket.send(logs(3));
			socket.close(1000);
		});
		const events = await follow();
		expect(texts(events)).toEqual(expected(3));
		expect(events.at(-1)).toEqual({ type: "status", status: "COMPLETE" });
		expect(server.handshakes).toHaveLength(2);
	});

	test("a clean close while the job runs is followed by another connection", async () => {
		await start((socket, index) => {
			socket.send(logs(...range(1, index + 1)));
			if (index === 2) socket.send(status("COMPLETE"));
			socket.close(1000);
		});
		expect(texts(await follow())).toEqual(expected(3));
	});

	test("a frame that is not understood is not skipped: the connection is made again", async () => {
		await start((socket, index) => {
			socket.send(logs(1));
			if (index === 0) socket.send('{"logs": [{"id": 2, "mess');
			else {
				socket.send(logs(2));
				socket.send(status("COMPLETE"));
				socket.close(1000);
			}
		});
		expect(texts(await follow())).toEqual(expected(2));
	});

	test.each([
		["terminate", (socket: WebSocket) => setTimeout(() => socket.terminate(), 2), NetworkError],
		["break every frame", (socket: WebSocket) => socket.send("not json"), UnexpectedReplyError],
	] as const)(
		"a service that does nothing but %s is given up after five connections without progress",
		async (_, misbehave, kind) => {
			await start((socket) => void misbehave(socket));
			const error = await failureOf(follow());
			expect(error).toBeInstanceOf(kind);
			expect(server.handshakes).toHaveLength(5);
		},
	);

	test("progress starts the count of failures anew", async () => {
		await start((socket, index) => {
			socket.send(logs(...range(1, Math.floor(index / 3) + 1)));
			if (index >= 11) socket.send(status("COMPLETE"));
			if (index >= 11) socket.close(1000);
			else setTimeout(() => socket.terminate(), 2);
		});
		expect(texts(await follow())).toEqual(expected(4));
	});
});

describe("a handshake that is refused", () => {
	test.each([
		[401, NotAuthenticatedError],
		[403, NotAuthorizedError],
	] as const)("with %d is final", async (code, kind) => {
		await start(
			() => {},
			() => code,
		);
		const error = await failureOf(follow());
		expect(error).toBeInstanceOf(kind);
		expect(error).toMatchObject({ status: code, serverMessage: "refused here", path: "/logs/follow/" });
		expect(server.handshakes).toHaveLength(1);
	});

	test("with 503 is tried again", async () => {
		await start(
			(socket) => {
				socket.send(status("COMPLETE"));
				socket.close(1000);
			},
			(_, index) => (index < 2 ? 503 : undefined),
		);
		expect(await follow()).toEqual([{ type: "status", status: "COMPLETE" }]);
		expect(server.handshakes).toHaveLength(3);
	});

	test("with 503 for ever ends as a server error", async () => {
		await start(
			() => {},
			() => 503,
		);
		expect(await failureOf(follow())).toBeInstanceOf(ServerError);
	});

	test("with 404 speaks of the job and not of the address", async () => {
		await start(
			() => {},
			() => 404,
		);
		expect(String(await failureOf(follow()))).toContain("Check the id or name and the team.");
	});

	test("with 200 is no redirect", async () => {
		await start(
			() => {},
			() => 200,
		);
		const error = await failureOf(follow());
		expect(error).toBeInstanceOf(UnexpectedReplyError);
		expect(String(error)).not.toContain("redirect");
	});

	test("a redirect is not followed", async () => {
		await start(
			() => {},
			() => 302,
		);
		expect(await failureOf(follow())).toBeInstanceOf(UnexpectedReplyError);
		expect(server.handshakes).toHaveLength(1);
	});
});

describe("the end by the service or the reader", () => {
	test("a message frame is final and carries the service's words without the token", async () => {
		await start((socket) => socket.send(frame({ message: `no such job ${TOKEN}` })));
		const error = await failureOf(follow());
		expect(error).toBeInstanceOf(LogStreamError);
		expect(error).toMatchObject({ serverMessage: "no such job [redacted]" });
		expect(server.handshakes).toHaveLength(1);
	});

	test("a frame beyond the size limit is final", async () => {
		await start((socket) => socket.send(frame({ logs: [{ id: 1, message: "x".repeat(3 * 2 ** 20) }] })));
		expect(await failureOf(follow())).toBeInstanceOf(LogStreamError);
	});

	test("a frame just over 1 MiB is read", async () => {
		await start((socket) => {
			socket.send(frame({ logs: [{ id: 1, message: "x".repeat(2 ** 20) }] }));
			socket.send(status("COMPLETE"));
			socket.close(1000);
		});
		expect(texts(await follow())[0]).toHaveLength(2 ** 20);
	});

	test("a cancelled signal ends a quiet log at once and closes the socket", async () => {
		await start((socket) => socket.send(logs(1)));
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 100);
		expect(await failureOf(follow({ signal: controller.signal }))).toBeInstanceOf(AbortedError);
		await vi.waitFor(() => expect(server.open()).toBe(0));
	});

	test("the deadline ends a quiet log, and does not say that nothing was sent", async () => {
		await start((socket) => socket.send(logs(1)));
		const error = await failureOf(follow({ deadlineMillis: 150 }));
		expect(error).toBeInstanceOf(TimeoutError);
		expect(String(error)).not.toContain("Nothing was sent");
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

	test("leaving the loop closes the socket", async () => {
		await start((socket) => socket.send(logs(1, 2)));
		for await (const event of client.jobs.followLogs({ job_id: JOB_ID })) {
			expect(event).toMatchObject({ id: 1 });
			break;
		}
		await vi.waitFor(() => expect(server.open()).toBe(0));
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

	test("a slow reader gets every line of a fast log", async () => {
		await start((socket) => {
			for (const id of range(1, 2000)) socket.send(logs(id));
			socket.send(status("COMPLETE"));
			socket.close(1000);
		});
		const events: LogEvent[] = [];
		for await (const event of client.jobs.followLogs({ job_id: JOB_ID })) {
			if (events.length % 200 === 0) await sleep(5);
			events.push(event);
		}
		expect(texts(events)).toEqual(expected(2000));
	});
});

describe("a stored log", () => {
	const whole = Buffer.from(`${expected(6).join("\n")}\nlast ü without newline`);

	function finishWithBlobs(socket: WebSocket, live: readonly number[], ...paths: string[]): void {
		for (const id of live) socket.send(logs(id));
		socket.send(frame({ log_blobs: paths.map((path) => `${server.url}${path}`) }));
		socket.send(status("COMPLETE"));
		socket.close(1000);
	}

	test("is fetched once and without the token, and continues what came live", async () => {
		await start((socket) => finishWithBlobs(socket, [1, 2], "/blob"));
		server.stored.set("/blob", whole);
		expect(texts(await follow())).toEqual([...expected(6), "last ü without newline"]);
		expect(server.downloads).toEqual([{ path: "/blob", authorization: undefined }]);
	});

	test("in several parts, cut within a character, reads as one", async () => {
		await start((socket) => finishWithBlobs(socket, [1], "/a", "/b"));
		const cut = whole.indexOf("ü") + 1;
		server.stored.set("/a", whole.subarray(0, cut));
		server.stored.set("/b", whole.subarray(cut));
		expect(texts(await follow())).toEqual([...expected(6), "last ü without newline"]);
	});

	test("that holds nothing new gives nothing twice", async () => {
		await start((socket) => finishWithBlobs(socket, range(1, 6), "/blob"));
		server.stored.set("/blob", Buffer.from(`${expected(6).join("\n")}\n`));
		expect(texts(await follow())).toEqual(expected(6));
	});

	test("that begins otherwise is given whole, because a repeated line does less harm than a lost one", async () => {
		await start((socket) => finishWithBlobs(socket, [1], "/blob"));
		server.stored.set("/blob", Buffer.from("header\nline 1\n"));
		expect(texts(await follow())).toEqual(["line 1", "header", "line 1"]);
	});

	test("that cannot be fetched at first is asked for again", async () => {
		await start((socket, index) => {
			if (index === 1) server.stored.set("/blob", whole);
			finishWithBlobs(socket, [1], "/blob");
		});
		expect(texts(await follow())).toEqual([...expected(6), "last ü without newline"]);
		expect(server.downloads).toHaveLength(2);
	});

	test("that breaks each time is given up, also where its lines are given again each time", async () => {
		await start((socket) => finishWithBlobs(socket, [1], "/blob", "/missing"));
		server.stored.set("/blob", Buffer.from("header\nline 1\n"));
		expect(await failureOf(follow())).toBeInstanceOf(NetworkError);
		expect(server.handshakes).toHaveLength(5);
	});

	test.each([
		"http://example.com/log",
		"file:///etc/passwd",
		"ftp://127.0.0.1/x",
		"https://user:canary@127.0.0.1/x",
		"nonsense",
	])("at %s is not fetched", async (url) => {
		await start((socket) => socket.send(frame({ log_blobs: [url] })));
		const error = await failureOf(follow());
		expect(error).toBeInstanceOf(LogStreamError);
		expect(String(error)).not.toContain(url);
	});
});
