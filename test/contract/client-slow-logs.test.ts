import { describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { LogEvent } from "../../src/api";
import { JOB_ID } from "../helpers/api-calls";
import { frame, logs, startLogServer, status } from "../helpers/api-log-server";
import { clientFor } from "../helpers/api-raw-server";

/** Follows the log of a job that has ended when its first connection breaks. */
async function followBroken(
	second: (socket: WebSocket) => void,
	handshakeMillis: (index: number) => number = () => 0,
): Promise<LogEvent[]> {
	const first = (socket: WebSocket) => {
		socket.send(logs(1, 2));
		socket.send(status("COMPLETE"));
		setTimeout(() => socket.terminate(), 50);
	};
	const server = await startLogServer(
		(socket, index) => (index === 0 ? first : second)(socket),
		() => undefined,
		handshakeMillis,
	);
	const client = clientFor(server.url);
	try {
		const events: LogEvent[] = [];
		for await (const event of client.jobs.followLogs({ job_id: JOB_ID })) events.push(event);
		return events;
	} finally {
		await client.close();
		await server.close();
	}
}

const ids = (events: readonly LogEvent[]) =>
	events.flatMap((event) => (event.type === "line" ? [event.id] : []));

// At the same time: each of them waits longer than the silence that ends a log.
describe.concurrent("a log that breaks off after the job's end", () => {
	test("is complete, though the next connection takes 10 s to open", async () => {
		const second = (socket: WebSocket) => {
			socket.send(logs(1, 2, 3));
			socket.send(status("COMPLETE"));
			socket.close(1000);
		};
		const events = await followBroken(second, (index) => (index === 1 ? 10_000 : 0));
		expect(ids(events)).toEqual([1, 2, 3]);
	}, 30_000);

	test("is complete, though the next connection says nothing for 7 s, twice", async () => {
		const second = (socket: WebSocket) => {
			setTimeout(() => socket.send(logs(1, 2, 3)), 7_000);
			setTimeout(() => {
				socket.send(logs(4));
				socket.close(1000);
			}, 14_000);
		};
		expect(ids(await followBroken(second))).toEqual([1, 2, 3, 4]);
	}, 30_000);

	test("is asked for again where the service goes away before it told of the end", async () => {
		let connections = 0;
		const second = (socket: WebSocket) => {
			connections += 1;
			socket.send(connections === 1 ? logs(1, 2) : logs(1, 2, 3));
			socket.close(connections === 1 ? 1001 : 1000);
		};
		expect(ids(await followBroken(second))).toEqual([1, 2, 3]);
	});

	test("ends after a grace time, though the service goes on to ping", async () => {
		const second = (socket: WebSocket) => {
			socket.send(logs(1, 2, 3));
			socket.send(status("COMPLETE"));
			const pings = setInterval(() => {
				socket.ping();
				socket.send(frame({ type: "ping" }));
			}, 500);
			socket.on("close", () => clearInterval(pings));
		};
		expect(ids(await followBroken(second))).toEqual([1, 2, 3]);
	}, 30_000);
});
