import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { LocalServer } from "../../src/server";
import { type Api, bearer, testServer } from "../helpers/server-harness";

function follow(server: LocalServer, query: string, token = server.token): WebSocket {
	const url = `${server.url.replace("http", "ws")}/api/logs/follow/?${query}`;
	return new WebSocket(url, { headers: { Authorization: `token ${token}` } });
}

/** The status and body with which a handshake is refused. */
async function refusal(socket: WebSocket): Promise<{ status: number; body: string }> {
	socket.on("error", () => {});
	const [, response] = await once(socket, "unexpected-response");
	let body = "";
	for await (const chunk of response) body += chunk;
	return { status: response.statusCode, body };
}

const createJob = async (api: Api, query: string) =>
	(await api.post("/jobs/", { query, query_type: "PYTHON" })).textAt("id");

describe("following a job's log", () => {
	it("keeps every frame under a mebibyte, however long or odd the text", async () => {
		const server = await testServer();
		const odd = "\u0001".repeat(165_000);
		const id = await createJob(
			server.api,
			`# local-server: lines=20000\nprint("${odd}")\nprint("${"😀".repeat(10_000)}")`,
		);
		server.clock.advance(20_000);
		const frames: Buffer[] = [];
		const socket = follow(server, `job_id=${id}`).on("message", (data: Buffer) => frames.push(data));
		await once(socket, "close");
		expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(1024 * 1024);
		const lines = frames.flatMap((frame) => JSON.parse(frame.toString()).logs ?? []);
		const text = lines.map((line) => line.message).join("");
		expect(text).toContain(`${odd}\n`);
		expect(text).toContain(`${"😀".repeat(10_000)}\n`);
		expect(text).toContain("line 20000\n");
	});

	it("is refused at the handshake without a right token, team or path", async () => {
		const tokens = [{ token: "write-only-token", user: "w", teams: ["vision"], read: false, write: true }];
		const server = await testServer({ tokens });
		expect(await refusal(follow(server, "job_id=x", "wrong"))).toMatchObject({
			status: 401,
			body: expect.stringMatching(/^\{"message":/),
		});
		expect((await refusal(follow(server, "job_id=x&team_name=nobody"))).status).toBe(403);
		expect((await refusal(follow(server, "job_id=x", "write-only-token"))).status).toBe(403);
		const url = `${server.url.replace("http", "ws")}/api/logs/follow`;
		expect((await refusal(new WebSocket(url, { headers: bearer(server.token) }))).status).toBe(404);
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
});
