import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { inspectFile, UploadError } from "../../../src/api";
import { checkFileName, openFile, readFile, systemError } from "../../../src/api/upload";
import { failureOf } from "../../helpers/api-servers";

let folder: string;
let root: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "upload-files-"));
	root = join(folder, "root");
	await mkdir(join(root, "inner"), { recursive: true });
	await writeFile(join(root, "inner", "a.txt"), "abc");
});
afterAll(() => rm(folder, { recursive: true }));

const refusal = async (path: string, options = {}): Promise<UploadError> => {
	const error = await failureOf(inspectFile(path, options));
	if (error instanceof UploadError) return error;
	throw error;
};

const nameRefusal = (name: string): string => {
	try {
		checkFileName(name);
	} catch (error) {
		if (error instanceof UploadError) return error.message;
		throw error;
	}
	throw new Error(`${name} was taken`);
};

describe("files that may be uploaded", () => {
	test("a regular file gives its name, size and hash", async () => {
		expect(await inspectFile(join(root, "inner", "a.txt"))).toEqual({
			name: "a.txt",
			size: 3,
			sha256: createHash("sha256").update("abc").digest("hex"),
		});
	});

	test("a file may go by another name", async () => {
		expect(await inspectFile(join(root, "inner", "a.txt"), { name: "b" })).toMatchObject({ name: "b" });
	});

	test("a file of many chunks is read whole", async () => {
		const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
		await writeFile(join(root, "chunks"), content);
		expect(await inspectFile(join(root, "chunks"))).toMatchObject({
			size: 200_000,
			sha256: createHash("sha256").update(content).digest("hex"),
		});
	});

	test("a symlink is followed and keeps its own name", async () => {
		await symlink(join(root, "inner", "a.txt"), join(root, "link.txt"));
		expect(await inspectFile(join(root, "link.txt"))).toMatchObject({ name: "link.txt", size: 3 });
	});
});

describe("refused with the reason, before anything is read", () => {
	const REGULAR = "Name a regular file.";
	test.each<[string, () => Promise<string> | string, string]>([
		["a directory", () => root, `it is a directory and not a regular file. ${REGULAR}`],
		["a device", () => "/dev/zero", `it is a device and not a regular file. ${REGULAR}`],
		[
			"a FIFO, without waiting for a writer",
			() => {
				execFileSync("mkfifo", [join(root, "fifo")]);
				return join(root, "fifo");
			},
			`it is a FIFO and not a regular file. ${REGULAR}`,
		],
		[
			"a socket",
			async () => {
				const server = createServer();
				const path = join(root, "socket");
				await new Promise<void>((resolve) => server.listen(path, resolve));
				onTestFinished(() => void server.close());
				return path;
			},
			`it is a socket and not a regular file. ${REGULAR}`,
		],
		[
			"a missing file",
			() => join(root, "missing"),
			"there is no such file (ENOENT). Check the path; a relative one starts at the current folder.",
		],
		[
			"a path through a file",
			() => join(root, "inner", "a.txt", "b"),
			"a part of its path is not a folder (ENOTDIR). Check the path.",
		],
		[
			"symlinks in a circle",
			async () => {
				await symlink(join(root, "loop"), join(root, "loop"));
				return join(root, "loop");
			},
			"its symlinks lead in a circle (ELOOP). Name the file itself.",
		],
		[
			"a path that is too long",
			() => join(root, "x".repeat(300)),
			"its path is too long (ENAMETOOLONG). Use a shorter path.",
		],
	])("%s", async (_, given, says) => {
		const path = await given();
		const error = await refusal(path);
		expect(error.message).toBe(`Could not upload ${JSON.stringify(path)}: ${says}`);
		expect(error).toMatchObject({ file: path, received: false });
	});

	test("with the system's code where it has no words of its own", () => {
		const failure = (error: unknown) => systemError("a", error).message;
		expect(failure(Object.assign(new Error("canary"), { code: "EIO" }))).toBe(
			'Could not upload "a": the system could not read it (EIO). Check the file and its disk.',
		);
		expect(failure(new Error("canary"))).toContain("(unknown)");
		expect(failure({ code: "EIO" })).toContain("(unknown)");
	});

	test.skipIf(process.getuid?.() === 0)("a file that this user may not read", async () => {
		await writeFile(join(root, "locked"), "x", { mode: 0o000 });
		expect((await refusal(join(root, "locked"))).reason).toContain("may not be read");
	});

	test.each(["a\nb", "a\u0000b", "a\u001bb", "a\u007fb", "a\u0085b", "a\u2028b", "a\ud800b"])(
		"a name with a control character: %j",
		(name) => {
			expect(nameRefusal(name)).toBe(
				'Could not upload "a?b": its name has a control character or a line break. ' +
					"Rename the file, or give another name for it.",
			);
		},
	);

	test("a path with a control character", async () => {
		for (const options of [{}, { name: "c" }]) {
			expect((await refusal(`a\nb\u0007/c`, options)).message).toBe(
				'Could not upload "a?b?/c": its path has a control character. Rename the file.',
			);
		}
	});

	test.each([
		["", "that is not a file name"],
		[".", "that is not a file name"],
		["..", "that is not a file name"],
		["a/b", "its name has a slash or backslash"],
		["a\\b", "its name has a slash or backslash"],
	])("%j is not a file name: %s", (name, why) => {
		expect(nameRefusal(name)).toBe(
			`Could not upload ${JSON.stringify(name)}: ${why}. Rename the file, or give another name for it.`,
		);
	});

	test("a name is shown to at most 200 characters", () => {
		expect(nameRefusal(`${"x".repeat(300)}/`)).toContain(`"${"x".repeat(200)}"`);
	});

	test.each(["a b.txt", "...", "x".repeat(255), 'quo"te', "ünïcode-файл.py", "%22", "-rf", ".hidden"])(
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
		expect((error as UploadError).message).toBe(
			`Could not upload ${JSON.stringify(path)}: it changed while it was read. Try again when nothing writes to it.`,
		);
		await file.handle.close();
	});
});

test("a file that cannot be read any more fails with the system's code", async () => {
	const file = await openFile(join(root, "inner", "a.txt"));
	await file.handle.close();
	const error = await failureOf(readFile(file).next());
	expect(error).toBeInstanceOf(UploadError);
	expect((error as UploadError).reason).toBe("the system could not read it (EBADF)");
});
