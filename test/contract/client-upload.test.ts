import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AbortedError, ServerError, TimeoutError, UploadError, type UploadSource } from "../../src/api";
import { clientFor, failureOf, json, startRawServer } from "../helpers/api-raw-server";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "client-upload-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Counts bytes in a process of its own, so that the memory of this one is the client's. */
const COUNTING_SERVER = `
require("node:http").createServer((request, response) => {
	let size = 0;
	request.on("data", (chunk) => { size += chunk.length; });
	request.on("end", () => {
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify({ id: "f1", size }));
	});
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

test("a file of 2 GiB is uploaded with flat memory", async () => {
	const size = 2 * 2 ** 30;
	const path = join(folder, "big.bin");
	const handle = await open(path, "w");
	await handle.truncate(size);
	await handle.close();
	const server = spawn(process.execPath, ["-e", COUNTING_SERVER], { stdio: ["ignore", "pipe", "inherit"] });
	try {
		const [port] = await once(server.stdout, "data");
		const client = clientFor(`http://127.0.0.1:${Number(port)}`);
		// What any upload needs; the rest would be what grows with the file.
		const small = join(folder, "small.bin");
		await writeFile(small, "");
		await truncate(small, 64 * 2 ** 20);
		await client.jobs.uploadFile({ path: small });
		const before = process.memoryUsage.rss();
		let most = before;
		const watch = setInterval(() => {
			most = Math.max(most, process.memoryUsage.rss());
		}, 20);
		const result = await client.jobs.uploadFile({ path });
		clearInterval(watch);
		expect(result).toMatchObject({
			size,
			// SHA-256 of 2 GiB of zero bytes.
			sha256: "a7c744c13cc101ed66c29f672f92455547889cc586ce6d44fe76ae824958ea51",
		});
		const framing = (result.file.size ?? 0) - size;
		expect(framing).toBeGreaterThan(100);
		expect(framing).toBeLessThan(1000);
		expect((most - before) / 2 ** 20).toBeLessThan(64);
		await client.close();
	} finally {
		server.kill();
	}
}, 60_000);

describe("sources", () => {
	test("a path, a text, bytes and a stream arrive byte for byte", async () => {
		const server = await startRawServer(({ response }) => json(response, 200, { id: 1 }));
		const client = clientFor(server.url);
		const text = 'line\r\n--boundary\r\n"ü\u0000';
		const path = join(folder, "in.txt");
		await writeFile(path, text);
		async function* parts() {
			yield text.slice(0, 5);
			yield Buffer.from(text.slice(5));
		}
		const results = [
			await client.jobs.uploadFile({ path }),
			await client.jobs.uploadFile({ path, name: "other.txt" }),
			await client.jobs.uploadFile({ name: "in.txt", content: text }),
			await client.jobs.uploadFile({ name: "in.txt", content: new TextEncoder().encode(text) }),
			await client.jobs.uploadFile({ name: "in.txt", stream: parts(), size: Buffer.byteLength(text) }),
			await client.jobs.uploadFile({ name: "in.txt", stream: parts() }, { team_name: "other" }),
		];
		const sha256 = createHash("sha256").update(text).digest("hex");
		for (const result of results)
			expect(result).toEqual({ file: { id: 1 }, sha256, size: Buffer.byteLength(text) });
		for (const { body } of server.requests)
			expect(body.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toContain(text);
		expect(server.requests[0]?.body).toContain('filename="in.txt"');
		expect(server.requests[1]?.body).toContain('filename="other.txt"');
		expect(server.requests[5]?.headers["transfer-encoding"]).toBe("chunked");
		expect(server.requests[5]?.query).toEqual([["team_name", "other"]]);
		await client.close();
		await server.close();
	});

	test("an empty file is uploaded", async () => {
		const server = await startRawServer(({ response }) => json(response, 200, { id: 1 }));
		const client = clientFor(server.url);
		expect(await client.jobs.uploadFile({ name: "empty", content: "" })).toMatchObject({ size: 0 });
		await client.close();
		await server.close();
	});
});

describe("nothing half-sent counts as sent", () => {
	test("a file outside the client's upload root is refused before a request is made", async () => {
		const server = await startRawServer(({ response }) => json(response, 200, { id: 1 }));
		const client = clientFor(server.url, { uploadRoot: folder });
		expect(await failureOf(client.jobs.uploadFile({ path: "/etc/hostname" }))).toBeInstanceOf(UploadError);
		expect(server.requests).toHaveLength(0);
		await client.close();
		await server.close();
	});

	test("a file that shrinks while it is sent fails, and the server never sees a complete request", async () => {
		const path = join(folder, "shrinking");
		await writeFile(path, Buffer.alloc(64 * 2 ** 20));
		let complete = 0;
		const server = createServer((request, response) => {
			request.once("data", () => void truncate(path, 10));
			request.on("error", () => {});
			request.on("data", () => {});
			request.on("end", () => {
				complete += 1;
				json(response, 200, { id: 1 });
			});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const error = await failureOf(client.jobs.uploadFile({ path }));
		expect(error).toBeInstanceOf(UploadError);
		expect(String(error)).toContain("changed while it was read");
		expect(complete).toBe(0);
		await client.close();
		server.close();
	});

	test.each([4, 2])("a stream that does not have the announced size of %d bytes fails", async (size) => {
		const server = await startRawServer(({ response }) => json(response, 200, { id: 1 }));
		const client = clientFor(server.url);
		async function* three() {
			yield "abc";
		}
		const error = await failureOf(client.jobs.uploadFile({ name: "s", stream: three(), size }));
		expect(error).toBeInstanceOf(UploadError);
		expect(server.requests).toHaveLength(0);
		await client.close();
		await server.close();
	});

	test("a stream's own error is the cause, and its text is not passed on", async () => {
		const server = await startRawServer(({ response }) => json(response, 200, { id: 1 }));
		const client = clientFor(server.url);
		async function* failing() {
			yield "abc";
			throw new Error("canary");
		}
		const error = await failureOf(client.jobs.uploadFile({ name: "s", stream: failing() }));
		expect(error).toBeInstanceOf(UploadError);
		expect(String(error)).not.toContain("canary");
		await client.close();
		await server.close();
	});

	test("a reply of success before the whole file was sent is not believed", async () => {
		const server = createServer((_, response) => json(response, 200, { id: 1 }));
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const path = join(folder, "early");
		await writeFile(path, Buffer.alloc(64 * 2 ** 20));
		expect(await failureOf(client.jobs.uploadFile({ path }))).toBeInstanceOf(UploadError);
		await client.close();
		server.closeAllConnections();
		server.close();
	});

	test("a stream is never sent a second time once it was touched", async () => {
		const server = await startRawServer(({ response }) => json(response, 429, {}));
		const client = clientFor(server.url);
		async function* single() {
			yield "abc";
		}
		expect(await failureOf(client.jobs.uploadFile({ name: "s", stream: single() }))).toMatchObject({
			attempts: 1,
		});
		expect(server.requests).toHaveLength(1);
		await client.close();
		await server.close();
	});

	test("a refusal in the middle of the upload is the error, and not the connection it cuts", async () => {
		const server = createServer((request, response) => {
			request.once("data", () => json(response, 507, { message: "disk full" }));
			request.on("error", () => {});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const path = join(folder, "refused");
		await writeFile(path, Buffer.alloc(16 * 2 ** 20));
		const error = await failureOf(client.jobs.uploadFile({ path }));
		expect(error).toBeInstanceOf(ServerError);
		expect(error).toMatchObject({ status: 507, serverMessage: "disk full", received: "unknown" });
		await client.close();
		server.closeAllConnections();
		server.close();
	});
});

describe("an upload that is stopped from here", () => {
	/** Takes the first bytes and then nothing, so that the rest of the file waits to be sent. */
	async function stalling() {
		const server = createServer((request) => {
			request.on("error", () => {});
			request.once("data", () => request.pause());
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => {
			server.closeAllConnections();
			server.close();
		});
		const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		onTestFinished(() => client.close());
		return client;
	}
	async function* endless() {
		for (;;) yield Buffer.alloc(64 * 1024);
	}
	const sources: readonly (readonly [string, () => Promise<UploadSource>])[] = [
		[
			"a path",
			async () => {
				const path = join(folder, "stopped");
				await writeFile(path, Buffer.alloc(64 * 2 ** 20));
				return { path };
			},
		],
		["a text", async () => ({ name: "stopped", content: "x".repeat(64 * 2 ** 20) })],
		["a stream", async () => ({ name: "stopped", stream: endless() })],
	];

	test.each(sources)("by its deadline says so, and does not blame %s", async (_, source) => {
		const client = await stalling();
		const error = await failureOf(client.jobs.uploadFile(await source(), { deadlineMillis: 500 }));
		expect(error).toBeInstanceOf(TimeoutError);
		expect(String(error)).toMatch(/deadline|500/);
	});

	test.each(sources)("by its caller says so, and does not blame %s", async (_, source) => {
		const client = await stalling();
		const signal = AbortSignal.timeout(500);
		expect(await failureOf(client.jobs.uploadFile(await source(), { signal }))).toBeInstanceOf(AbortedError);
	});
});
