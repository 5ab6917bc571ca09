import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AbortedError, ServerError, TimeoutError, UploadError, type UploadSource } from "../../src/api";
import { clientFor, failureOf, json } from "../helpers/api-servers";

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
}, 240_000);

describe("nothing half-sent counts as sent", () => {
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
