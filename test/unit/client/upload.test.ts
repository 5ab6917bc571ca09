import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	appendFileSync,
	existsSync,
	readdirSync,
	readlinkSync,
	symlinkSync,
	truncateSync,
	utimesSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
	type ClientOptions,
	inspectFile,
	UploadError,
	type UploadSource,
} from "../../../src/client";
import {
	checkFileName,
	formBody,
	openSource,
	uploadError,
} from "../../../src/client/upload";
import { clientFor, failureOf, json, loopbackOfTest } from "../../helpers/api-servers";
import { testFile, testFolder } from "../../helpers/test-folder";

const MIB = 2 ** 20;
const sha256 = (text: string | Buffer) =>
	createHash("sha256").update(text).digest("hex");

const emptyFolder = () => testFolder("upload-");

describe("a file that may be uploaded", () => {
	test("has a name, a size and a hash, however many chunks it has", async () => {
		const content = Buffer.from(
			Array.from({ length: 200_000 }, (_, index) => index % 251),
		);
		const facts = { size: 200_000, sha256: sha256(content) };
		expect(await inspectFile(testFile("a", content))).toEqual({ name: "a", ...facts });
	});

	test.each(["a b.txt", "...", 'quo"te', "ünïcode-файл.py"])(
		"may be called %j",
		(name) => {
			expect(checkFileName(name)).toBe(name);
		},
	);
});

describe("a file is refused with the reason, before anything is read:", () => {
	const refusalOf = async (work: () => unknown): Promise<UploadError> => {
		const error = await failureOf(Promise.resolve().then(work));
		if (error instanceof UploadError) return error;
		throw error;
	};

	const made = (make: (path: string) => void) => () => {
		const path = join(emptyFolder(), "made");
		make(path);
		return path;
	};
	const listenAt = (path: string) => {
		const server = createServer().listen(path);
		onTestFinished(() => void server.close());
	};

	const IRREGULAR = "it is not a regular file. Name a regular file.";
	const DIRECTORY = "it is a directory and not a regular file. Name a regular file.";
	const MISSING =
		"there is no such file (ENOENT). Check the path; a relative one starts at the current folder.";
	const CIRCLE = "its symlinks lead in a circle (ELOOP). Name the file itself.";
	test.each<[string, () => string, string]>([
		["a directory", emptyFolder, DIRECTORY],
		[
			"a FIFO, without waiting for a writer",
			made((path) => execFileSync("mkfifo", [path])),
			IRREGULAR,
		],
		["a socket", made(listenAt), IRREGULAR],
		["a device", () => "/dev/null", IRREGULAR],
		["a missing file", () => join(emptyFolder(), "missing"), MISSING],
		["symlinks in a circle", made((path) => symlinkSync(path, path)), CIRCLE],
	])("%s", async (_, given, says) => {
		const path = given();
		const error = await refusalOf(() => inspectFile(path));
		expect(error.message).toBe(`Could not upload ${JSON.stringify(path)}: ${says}`);
		expect(error).toMatchObject({ file: path, received: false });
	});

	test("for any reason of the system, which is named by its code alone", () => {
		const failure = (code: string) =>
			uploadError("a", Object.assign(new Error("canary"), { code })).message;
		expect(failure("EIO")).toBe(
			'Could not upload "a": the system could not read it (EIO). Check the file and its disk.',
		);
		expect(failure("EACCES")).toBe(
			'Could not upload "a": this user may not read it (EACCES). Give this user read access to the file and its folders.',
		);
	});

	const CONTROL = "its name has a control character or a line break";
	test.each([
		["a\nb", "a b", CONTROL],
		["a\u2028b", "a b", CONTROL],
		["a\ud800b", "a b", CONTROL],
		["", "", "that is not a file name"],
		[".", ".", "that is not a file name"],
		["..", "..", "that is not a file name"],
		["a\\b", "a\\\\b", "its name has a slash or backslash"],
		[`${"x".repeat(300)}/`, `${"x".repeat(200)}…`, "its name has a slash or backslash"],
	])("the name %j", async (name, shown, why) => {
		expect((await refusalOf(() => checkFileName(name))).message).toBe(
			`Could not upload "${shown}": ${why}. Rename the file, or give another name for it.`,
		);
	});
});

test.each<[string, (path: string) => void]>([
	["grows", (path) => appendFileSync(path, "more")],
	["shrinks", (path) => truncateSync(path, 300_000)],
	[
		"is rewritten with the same size",
		(path) => utimesSync(path, new Date(), new Date(Date.now() + 60_000)),
	],
])("reading a file fails if it %s meanwhile", async (_, change) => {
	const path = testFile("changing", Buffer.alloc(600_000));
	const { chunks, close } = await openSource({ path });
	onTestFinished(close);
	let size = 0;
	const read = async () => {
		for await (const { length } of chunks) {
			size += length;
			change(path);
		}
	};
	expect(await failureOf(read())).toMatchObject({
		name: "UploadError",
		message: `Could not upload ${JSON.stringify(path)}: it changed while it was read. Try again when nothing writes to it.`,
	});
	expect(size).toBeLessThanOrEqual(600_000);
});

const NAME = 'ü"a.txt';
test.each<[string, () => UploadSource]>([
	["a path", () => ({ path: testFile(NAME, "é") })],
	["a path under another name", () => ({ path: testFile("b.txt", "é"), name: NAME })],
	["a text", () => ({ name: NAME, content: "é" })],
	["bytes", () => ({ name: NAME, content: Buffer.from("é") })],
])("a body of %s has one part, a known length, and a hash", async (_, source) => {
	const form = formBody(await openSource(source()));
	expect(form.sent).toBeUndefined();
	const text = String(Buffer.concat(await form.body.toArray()));
	const boundary =
		/^multipart\/form-data; boundary=(pulumi-datachain-[0-9a-f]{36})$/.exec(
			form.headers["content-type"] ?? "",
		)?.[1];
	expect(text).toBe(
		`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="ü%22a.txt"\r\n` +
			`Content-Type: application/octet-stream\r\n\r\né\r\n--${boundary}--\r\n`,
	);
	expect(form.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
	expect(form.sent).toEqual({ sha256: sha256("é"), size: 2 });
	await form.close();
});

describe("an upload", () => {
	/** A client of a server that does with each request what the test says. */
	async function connect(serve: RequestListener, options: ClientOptions = {}) {
		const { url } = await loopbackOfTest(createServer(serve));
		return clientFor(url, options);
	}

	test.each<[string, string | Buffer]>([
		[
			"a text as long as a message may quote",
			"canary-line\n".repeat(6_000).slice(0, 65_536),
		],
		["bytes", Buffer.from("canary-line\n".repeat(10))],
	])(
		"of %s whose content the service quotes does not show it in the error",
		async (_, content) => {
			const client = await connect((request, response) => {
				request
					.resume()
					.on("end", () => json(response, 400, { message: `bad: ${content}` }));
			});
			const error = await failureOf(client.jobs.uploadFile({ name: "a", content }));
			expect(error).toMatchObject({
				name: "InvalidRequestError",
				serverMessage: "bad: [redacted]",
			});
		},
	);

	test.each<[string, (content: Buffer) => UploadSource]>([
		["a path", (content) => ({ path: testFile("early", content) })],
		["bytes", (content) => ({ name: "early", content })],
	])(
		"of %s that was answered before all of it was sent is an error",
		async (_, sourceOf) => {
			const client = await connect((_, response) => json(response, 200, { id: 1 }));
			const source = sourceOf(Buffer.alloc(32 * MIB));
			const shown = JSON.stringify("path" in source ? source.path : source.name);
			expect(await failureOf(client.jobs.uploadFile(source))).toMatchObject({
				name: "UploadError",
				message:
					`Could not upload ${shown}: the service answered before it had the whole file. ` +
					"Try again, and report it if that does not help: the file it stored is not complete.",
			});
		},
	);

	test.each<[string, () => UploadSource]>([
		["a path", () => ({ path: testFile("big", Buffer.alloc(MIB + 1)) })],
		["a text", () => ({ name: "big", content: "x".repeat(MIB + 1) })],
	])("of %s has one second more for each MiB", async (_, source) => {
		let arrived = () => {};
		const head = new Promise<void>((resolve) => {
			arrived = resolve;
		});
		const client = await connect(() => arrived(), { deadlineMillis: 50 });
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
		onTestFinished(() => void vi.useRealTimers());
		const outcome = failureOf(client.jobs.uploadFile(source()));
		await head;
		vi.advanceTimersByTime(2_050);
		expect(String(await outcome)).toContain("it was not done within 2.05 s, ");
	});

	test.runIf(existsSync("/proc/self/fd"))(
		"leaves no file open, even if it fails",
		async () => {
			const isOpen = (path: string) =>
				readdirSync("/proc/self/fd").some((fd) => {
					try {
						return readlinkSync(`/proc/self/fd/${fd}`) === path;
					} catch {
						return false;
					}
				});
			const path = testFile("kept", "abc");
			await inspectFile(path);
			expect(isOpen(path)).toBe(false);
			const client = await connect((request, response) => {
				request.resume().on("end", () => json(response, 500, {}));
			});
			await failureOf(client.jobs.uploadFile({ path }));
			expect(isOpen(path)).toBe(false);
		},
	);

	test("of a file that shrinks meanwhile fails, and the service never sees a complete request", async () => {
		const path = testFile("shrinking", Buffer.alloc(16 * MIB));
		let complete = false;
		const client = await connect((request) => {
			request.once("data", () => truncateSync(path, 10));
			request.resume().on("end", () => {
				complete = true;
			});
		});
		const error = await failureOf(client.jobs.uploadFile({ path }));
		expect(error).toMatchObject({
			name: "UploadError",
			reason: "it changed while it was read",
		});
		expect(complete).toBe(false);
	});

	test("that is refused halfway fails with the refusal, and not with the cut connection", async () => {
		const client = await connect((request, response) => {
			request.once("data", () => json(response, 507, { message: "disk full" }));
		});
		const path = testFile("refused", Buffer.alloc(16 * MIB));
		expect(await failureOf(client.jobs.uploadFile({ path }))).toMatchObject({
			name: "ServerError",
			status: 507,
			serverMessage: "disk full",
			received: "unknown",
		});
	});

	test.each([
		["its deadline", "TimeoutError", () => ({ deadlineMillis: 100 })],
		[
			"its caller",
			"AbortedError",
			() => ({ signal: AbortSignal.timeout(100), deadlineMillis: 2_000 }),
		],
	])(
		"that is stopped by %s says so, and does not blame the file",
		async (_, name, options) => {
			// Takes the first bytes and then nothing, so that the rest of the file waits to be sent.
			const client = await connect(
				(request) => void request.once("data", () => request.pause()),
			);
			const path = testFile("stopped", Buffer.alloc(16 * MIB));
			expect(
				await failureOf(client.jobs.uploadFile({ path }, options())),
			).toMatchObject({ name });
		},
	);
});
