import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { LocalServer } from "../../src/server";
import { type Api, bearer, eventually, testServer } from "../helpers/server-harness";

interface Frame {
	type?: string;
	logs?: { id: number; message: string }[];
	log_blobs?: string[];
	job?: { status: string };
	message?: string;
}

interface Follower {
	readonly frames: Frame[];
	readonly sizes: number[];
	readonly closed: Promise<number>;
	readonly socket: WebSocket;
}

function follow(server: LocalServer, query: string, token = server.token): Follower {
	const url = `${server.url.replace("http", "ws")}/api/logs/follow/?${query}`;
	const socket = new WebSocket(url, { headers: { Authorization: `token ${token}` } });
	const frames: Frame[] = [];
	const sizes: number[] = [];
	socket.on("message", (data: Buffer) => {
		sizes.push(data.length);
		frames.push(JSON.parse(data.toString()));
	});
	const closed = new Promise<number>((resolve) => socket.on("close", resolve));
	return { frames, sizes, closed, socket };
}

/** The status with which a handshake is refused. */
async function refusal(
	server: LocalServer,
	query: string,
	token?: string,
): Promise<{ status: number; body: string }> {
	const { socket } = follow(server, query, token);
	socket.on("error", () => {});
	const [, response] = await once(socket, "unexpected-response");
	let body = "";
	for await (const chunk of response) body += chunk;
	return { status: response.statusCode, body };
}

const lines = (frames: Frame[]) => frames.flatMap((frame) => frame.logs ?? []);
const statuses = (frames: Frame[]) => frames.flatMap((frame) => frame.job?.status ?? []);
const createJob = async (api: Api, query: string) =>
	(await api.post("/jobs/", { query, query_type: "PYTHON" })).textAt("id");

describe("following a job's log", () => {
	it("brings every line and status as they come, and ends with the job", async () => {
		const server = await testServer();
		const id = await createJob(server.api, 'print("one")\nprint("two")\n');
		const { frames, closed } = follow(server, `job_id=${id}&team_name=vision`);
		await eventually(() => statuses(frames).includes("CREATED") || undefined);
		for (let step = 0; step < 8; step++) server.clock.advance(1_000);
		expect(await closed).toBe(1000);
		expect(statuses(frames)).toEqual(["CREATED", "QUEUED", "INIT", "RUNNING", "COMPLETE"]);
		const received = lines(frames);
		expect(received.map((line) => line.id)).toEqual(received.map((_, at) => at + 1));
		expect(received.map((line) => line.message).join("")).toContain("one\ntwo\n");
		expect({ logs: received }).toEqual((await server.api.get(`/jobs/${id}/logs`)).json);
	});

	it("starts again from the first line after a reconnect", async () => {
		const server = await testServer();
		const id = await createJob(server.api, "# local-server: lines=10\n");
		server.clock.advance(4_000);
		const first = follow(server, `job_id=${id}`);
		await eventually(() => lines(first.frames).length > 2 || undefined);
		first.socket.terminate();
		server.clock.advance(10_000);
		const second = follow(server, `job_id=${id}`);
		await second.closed;
		expect(lines(second.frames).slice(0, lines(first.frames).length)).toEqual(lines(first.frames));
	});

	it("keeps every frame under a mebibyte, however long or odd the text", async () => {
		const server = await testServer();
		const odd = "\u0001".repeat(165_000);
		const id = await createJob(
			server.api,
			`# local-server: lines=20000\nprint("${odd}")\nprint("${"😀".repeat(10_000)}")`,
		);
		server.clock.advance(20_000);
		const { frames, sizes, closed } = follow(server, `job_id=${id}`);
		await closed;
		expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
		const text = lines(frames)
			.map((line) => line.message)
			.join("");
		expect(text).toContain(`${odd}\n`);
		expect(text).toContain(`${"😀".repeat(10_000)}\n`);
		expect(text).toContain("line 20000\n");
	});

	it("with no_follow brings statuses only", async () => {
		const server = await testServer();
		const id = await createJob(server.api, 'print("one")\n');
		const { frames, closed } = follow(server, `job_id=${id}&no_follow=true`);
		await eventually(() => statuses(frames).length > 0 || undefined);
		server.clock.advance(10_000);
		await closed;
		expect(lines(frames)).toEqual([]);
		expect(statuses(frames).at(-1)).toBe("COMPLETE");
	});

	it("of an unknown job ends with a message", async () => {
		const server = await testServer();
		const { frames, closed } = follow(server, "job_id=nope");
		await closed;
		expect(frames).toEqual([{ message: expect.stringContaining('no job "nope"') }]);
	});

	it("is refused at the handshake without a right token, team or path", async () => {
		const tokens = [{ token: "write-only-token", user: "w", teams: ["vision"], read: false, write: true }];
		const server = await testServer({ tokens });
		expect(await refusal(server, "job_id=x", "wrong")).toMatchObject({
			status: 401,
			body: expect.stringMatching(/^\{"message":/),
		});
		expect((await refusal(server, "job_id=x&team_name=nobody")).status).toBe(403);
		expect((await refusal(server, "job_id=x", "write-only-token")).status).toBe(403);
		const elsewhere = new WebSocket(`${server.url.replace("http", "ws")}/api/logs/follow`, {
			headers: bearer(server.token),
		});
		elsewhere.on("error", () => {});
		const [, response] = await once(elsewhere, "unexpected-response");
		expect(response.statusCode).toBe(404);
	});

	it("survives readers that talk nonsense", async () => {
		const server = await testServer();
		const id = await createJob(server.api, "# local-server: hold\n");
		const { hostname, port } = new URL(server.url);
		const key =
			"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
		const head = `HTTP/1.1\r\nHost: x\r\n${key}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
		const nonsense = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
		const good = `/api/logs/follow/?job_id=${id}`;
		const talks: [string, Buffer][] = [
			["//", nonsense],
			["/api/logs/follow/?job_id=nope", nonsense],
			["/api/logs/follow/?%%%", nonsense],
			[good, nonsense],
			[good, Buffer.from([0x81, 0x02, 0x68, 0x69])], // Unmasked.
			[good, Buffer.from([0x83, 0x80, 0, 0, 0, 0])], // A reserved opcode.
			[good, Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])], // No UTF-8.
			[good, Buffer.from([0x82, 0xff, 0x40, ...Array(11).fill(0)])], // 2^62 bytes.
			[good, Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 2, ...Array(131_078).fill(0)])], // Over the limit.
		];
		for (const [path, frame] of talks) {
			const socket = connect(Number(port), hostname);
			socket.on("error", () => {});
			socket.write(`GET ${path} ${head}`);
			await once(socket, "data");
			socket.write(frame);
			await once(socket, "close");
		}
		expect((await server.api.get("/clusters/")).status).toBe(200);
	});

	it("meets faults at the handshake", async () => {
		const server = await testServer({ faults: true });
		server.faults.add({ endpoint: "followLogs", kind: "status", status: 503, times: 1 });
		expect((await refusal(server, "job_id=x")).status).toBe(503);
	});

	it("ends when the server closes", async () => {
		const server = await testServer();
		const id = await createJob(server.api, "# local-server: hold\n");
		const { frames, closed } = follow(server, `job_id=${id}`);
		await eventually(() => frames.length > 0 || undefined);
		await server.close();
		expect(await closed).toBe(1006);
	});
});
