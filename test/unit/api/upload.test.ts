import { createHash } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ClientOptions, inspectFile, UploadError, type UploadSource } from "../../../src/api";
import { formBody, openSource } from "../../../src/api/upload";
import { clientFor, type Exchange, failureOf, json, startRawServer } from "../../helpers/api-servers";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "upload-body-"));
});
afterAll(() => rm(folder, { recursive: true }));

const MIB = 2 ** 20;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function file(name: string, content: string | Buffer): Promise<string> {
	const path = join(folder, name);
	await writeFile(path, content);
	return path;
}

const opened = async (source: UploadSource) => formBody(await openSource(source));
const textOf = async (chunks: AsyncIterable<unknown>) => {
	let text = "";
	for await (const chunk of chunks) text += String(chunk);
	return text;
};

describe("a body", () => {
	test.each<[string, () => Promise<UploadSource>]>([
		["a path", async () => ({ path: await file("a.txt", "abc") })],
		["a path under another name", async () => ({ path: await file("b.txt", "abc"), name: "a.txt" })],
		["a text", async () => ({ name: "a.txt", content: "abc" })],
		["bytes", async () => ({ name: "a.txt", content: Buffer.from("abc") })],
	])("of %s has one part, a known length, and a hash", async (_, source) => {
		const form = await opened(await source());
		expect([form.complete, form.failure]).toEqual([false, undefined]);
		const text = await textOf(form.body);
		const boundary = /^multipart\/form-data; boundary=(pulumi-datachain-[0-9a-f]{36})$/.exec(
			form.headers["content-type"] ?? "",
		)?.[1];
		expect(text).toBe(
			`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n` +
				`Content-Type: application/octet-stream\r\n\r\nabc\r\n--${boundary}--\r\n`,
		);
		expect(form.headers["content-length"]).toBe(String(text.length));
		expect([form.complete, form.failure]).toEqual([true, undefined]);
		expect(form.result()).toEqual({ sha256: sha256("abc"), size: 3 });
		await form.close();
	});

	test("of a text has the length of its bytes", async () => {
		const form = await opened({ name: "a", content: "é" });
		expect(await textOf(form.body)).toContain("\r\n\r\né\r\n");
		expect(form.result()).toEqual({ sha256: sha256("é"), size: 2 });
		await form.close();
	});

	test("of nothing is a body all the same", async () => {
		const form = await opened({ name: "a", content: "" });
		expect(await textOf(form.body)).toContain("\r\n\r\n\r\n--");
		expect(form.result()).toEqual({ sha256: sha256(""), size: 0 });
	});

	test("of a file that changes meanwhile is never complete, and has that for its cause", async () => {
		const path = await file("changing", "abc");
		const form = await opened({ path });
		await writeFile(path, "abcd");
		const error = await failureOf(textOf(form.body));
		expect(form.failure).toBe(error);
		expect(form.failure?.message).toBe(
			`Could not upload ${JSON.stringify(path)}: it changed while it was read. Try again when nothing writes to it.`,
		);
		expect(form.complete).toBe(false);
		await form.close();
	});

	test("that nobody reads to its end blames no source, and lets go of it", async () => {
		let released = false;
		async function* endless() {
			try {
				for (;;) yield Buffer.from("abc");
			} finally {
				released = true;
			}
		}
		const form = formBody({ name: "s", size: 3, chunks: endless(), close: async () => {} });
		await new Promise((resolve) => form.body.once("data", resolve));
		await form.close();
		await vi.waitFor(() => expect(released).toBe(true));
		expect([form.complete, form.failure, form.body.destroyed]).toEqual([false, undefined, true]);
	});

	test("that is closed closes its file", async () => {
		const source = await openSource({ path: await file("closed", "abc") });
		await formBody(source).close();
		expect(await failureOf(textOf(source.chunks))).toMatchObject({
			reason: "the system could not read it (EBADF)",
		});
	});

	test("of a source without a usable name is none", async () => {
		expect(await failureOf(openSource({ name: "a/b", content: "" }))).toBeInstanceOf(UploadError);
	});
});

describe("an upload", () => {
	async function connect(answer: (exchange: Exchange) => void, options: ClientOptions = {}) {
		const server = await startRawServer(answer);
		const client = clientFor(server.url, options);
		onTestFinished(async () => {
			await client.close();
			await server.close();
		});
		return { server, client };
	}
	/** Answers each request at its head, before the body has come. */
	async function hasty(answer: boolean) {
		let arrived = () => {};
		const head = new Promise<void>((resolve) => {
			arrived = resolve;
		});
		const server = createServer((_, response) => {
			arrived();
			if (answer) json(response, 200, { id: 1 });
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => {
			server.closeAllConnections();
			server.close();
		});
		return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, head };
	}

	test.each<[string, string | Buffer]>([
		["a text", "canary-line\n".repeat(10)],
		["bytes", Buffer.from("canary-line\n".repeat(10))],
		["a text as long as a message may quote", "canary-line\n".repeat(6_000).slice(0, 65_536)],
	])("of %s that the service quotes leaves nothing of it in the error", async (_, content) => {
		const { client } = await connect(({ response }) => json(response, 400, { message: `bad: ${content}` }));
		const error = await failureOf(client.jobs.uploadFile({ name: "a", content }));
		expect(error).toMatchObject({ name: "InvalidRequestError", serverMessage: "bad: [redacted]" });
	});

	test.each<[string, (content: Buffer) => Promise<UploadSource>, () => string]>([
		["a path", async (content) => ({ path: await file("early", content) }), () => join(folder, "early")],
		["a text", async (content) => ({ name: "early", content }), () => "early"],
	])("of %s that was answered before it was sent is not believed", async (_, source, name) => {
		const { url } = await hasty(true);
		const client = clientFor(url);
		onTestFinished(() => client.close());
		const error = await failureOf(client.jobs.uploadFile(await source(Buffer.alloc(32 * MIB))));
		expect(error).toBeInstanceOf(UploadError);
		expect((error as UploadError).message).toBe(
			`Could not upload ${JSON.stringify(name())}: the service answered before it had the whole file. ` +
				"Try again, and report it if that does not help: the file it stored is not complete.",
		);
	});

	const big = MIB + 1;
	test.each<[string, string, () => Promise<UploadSource>]>([
		["2.05 s", "a path", async () => ({ path: await file("big", Buffer.alloc(big)) })],
		["2.05 s", "a text", async () => ({ name: "big", content: "x".repeat(big) })],
	])("has %s where the call has 0.05 s and it is of %s", async (limit, _, source) => {
		const { url, head } = await hasty(false);
		const given = await source();
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
		onTestFinished(() => void vi.useRealTimers());
		const client = clientFor(url, { deadlineMillis: 50 });
		const outcome = failureOf(client.jobs.uploadFile(given));
		await head;
		vi.advanceTimersByTime(Number.parseFloat(limit) * 1000 - 1);
		const early = Promise.race([outcome, new Promise((resolve) => setImmediate(() => resolve("waiting")))]);
		expect(await early).toBe("waiting");
		vi.advanceTimersByTime(1);
		const error = await outcome;
		expect(error).toMatchObject({ name: "TimeoutError", kind: "deadline" });
		expect(String(error)).toContain(`it was not done within ${limit}, `);
		await client.close();
	});

	test.runIf(existsSync("/proc/self/fd"))("leaves no file open, whatever became of it", async () => {
		const isOpen = (path: string) =>
			readdirSync("/proc/self/fd").some((fd) => {
				try {
					return readlinkSync(`/proc/self/fd/${fd}`) === path;
				} catch {
					return false;
				}
			});
		const path = await realpath(await file("kept", "abc"));
		await inspectFile(path);
		expect(isOpen(path)).toBe(false);
		for (const status of [200, 500]) {
			const { client } = await connect(({ response }) => json(response, status, { id: 1 }));
			await client.jobs.uploadFile({ path }).catch(() => {});
			expect(isOpen(path)).toBe(false);
		}
	});

	test("of a file that is not there fails before anything is sent", async () => {
		const { server, client } = await connect(({ response }) => json(response, 200, { id: 1 }));
		const error = await failureOf(client.jobs.uploadFile({ path: join(folder, "missing") }));
		expect(error).toMatchObject({ name: "UploadError", reason: "there is no such file (ENOENT)" });
		expect(server.requests).toEqual([]);
	});
});
