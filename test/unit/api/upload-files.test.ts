import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectFile, UploadError } from "../../../src/api";
import { checkFileName } from "../../../src/api/upload/file-name";
import { openFile } from "../../../src/api/upload/open-file";
import { readFile } from "../../../src/api/upload/read-file";
import { failureOf } from "../../helpers/api-raw-server";

let folder: string;
let root: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "upload-files-"));
	root = join(folder, "root");
	await mkdir(join(root, "inner"), { recursive: true });
	await mkdir(join(folder, "root-sibling"));
	await writeFile(join(root, "inner", "a.txt"), "abc");
	await writeFile(join(folder, "outside.txt"), "secret");
	await writeFile(join(folder, "root-sibling", "near.txt"), "near");
});
afterAll(() => rm(folder, { recursive: true }));

const refusal = async (path: string, options = {}): Promise<UploadError> => {
	const error = await failureOf(inspectFile(path, options));
	if (error instanceof UploadError) return error;
	throw error;
};

describe("files that may be uploaded", () => {
	test("a regular file gives its name, size and hash", async () => {
		expect(await inspectFile(join(root, "inner", "a.txt"), { root })).toEqual({
			name: "a.txt",
			size: 3,
			sha256: createHash("sha256").update("abc").digest("hex"),
		});
	});

	test("an empty file is a file", async () => {
		await writeFile(join(root, "empty"), "");
		expect(await inspectFile(join(root, "empty"))).toMatchObject({ size: 0, name: "empty" });
	});

	test("a symlink within the root is followed and keeps its own name", async () => {
		await symlink(join(root, "inner", "a.txt"), join(root, "link.txt"));
		expect(await inspectFile(join(root, "link.txt"), { root })).toMatchObject({ name: "link.txt", size: 3 });
	});

	test("a root that is itself reached over a symlink holds its files", async () => {
		await symlink(root, join(folder, "root-link"));
		expect(
			await inspectFile(join(folder, "root-link", "inner", "a.txt"), { root: join(folder, "root-link") }),
		).toMatchObject({ size: 3 });
	});
});

describe("refused with the reason, before anything is read", () => {
	test("a directory", async () => {
		expect((await refusal(root)).reason).toContain("a directory");
	});

	test("a FIFO, without waiting for a writer", async () => {
		execFileSync("mkfifo", [join(root, "fifo")]);
		expect((await refusal(join(root, "fifo"))).reason).toContain("a FIFO");
	});

	test("a device", async () => {
		expect((await refusal("/dev/zero")).reason).toContain("a device");
	});

	test("a socket", async () => {
		const server = createServer();
		const path = join(root, "socket");
		await new Promise<void>((resolve) => server.listen(path, resolve));
		expect((await refusal(path)).reason).toContain("a socket");
		await new Promise((resolve) => server.close(resolve));
	});

	test("a missing file", async () => {
		expect((await refusal(join(root, "missing"))).reason).toContain("no such file");
	});

	test("a path through a file", async () => {
		expect((await refusal(join(root, "inner", "a.txt", "b"))).reason).toContain("not a folder");
	});

	test("symlinks in a circle", async () => {
		await symlink(join(root, "loop"), join(root, "loop"));
		expect((await refusal(join(root, "loop"))).reason).toContain("circle");
	});

	test.skipIf(process.getuid?.() === 0)("a file that this user may not read", async () => {
		await writeFile(join(root, "locked"), "x", { mode: 0o000 });
		expect((await refusal(join(root, "locked"))).reason).toContain("may not be read");
	});

	test.each([
		["a file outside the root", () => join(folder, "outside.txt")],
		["a path that climbs out of the root", () => `${root}/inner/../../outside.txt`],
		["a folder whose name only starts like the root's", () => join(folder, "root-sibling", "near.txt")],
	])("%s", async (_, path) => {
		expect((await refusal(path(), { root })).reason).toContain("outside the allowed folder");
	});

	test("a symlink that leads out of the root", async () => {
		await symlink(join(folder, "outside.txt"), join(root, "innocent.txt"));
		expect((await refusal(join(root, "innocent.txt"), { root })).reason).toContain(
			"outside the allowed folder",
		);
	});

	test("a root that does not exist", async () => {
		expect((await refusal(join(root, "inner", "a.txt"), { root: join(folder, "nowhere") })).reason).toContain(
			"does not exist",
		);
	});

	test.each(["a\nb", "a\u0000b", "a\u001bb", "a\u007fb", "a\u0085b", "a\u2028b", "a\ud800b"])(
		"a name with a control character: %j",
		(name) => {
			expect(() => checkFileName(name)).toThrow(UploadError);
			expect(() => checkFileName(name)).not.toThrow(/[\p{Cc}\u2028]/u);
		},
	);

	test("a path with a control character", async () => {
		expect((await refusal(`${root}/a\nb`)).reason).toContain("control character");
		expect((await refusal(`${root}/a\nb/c`, { name: "c" })).reason).toContain("control character");
	});

	test.each(["", ".", "..", "a/b", "a\\b"])("%j is not a file name", (name) => {
		expect(() => checkFileName(name)).toThrow(UploadError);
	});

	test.each(["a b.txt", 'quo"te', "ünïcode-файл.py", "%22", "-rf", ".hidden"])(
		"%j is a file name",
		(name) => {
			expect(checkFileName(name)).toBe(name);
		},
	);
});

describe("a file that changes while it is read", () => {
	const changes: readonly (readonly [string, (path: string) => Promise<void>])[] = [
		["grows", (path) => appendFile(path, "more")],
		["shrinks", (path) => truncate(path, 300_000)],
		["is rewritten with the same size", (path) => utimes(path, new Date(), new Date(Date.now() + 60_000))],
	];
	test.each(changes)("that %s fails the read", async (_, change) => {
		const path = join(root, "changing");
		await writeFile(path, Buffer.alloc(600_000));
		const file = await openFile(path);
		const chunks = readFile(file);
		await chunks.next();
		await change(path);
		const rest = async () => {
			for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
		};
		const error = await failureOf(rest());
		expect(error).toBeInstanceOf(UploadError);
		expect(String(error)).toContain("changed while it was read");
		await file.handle.close();
	});
});
