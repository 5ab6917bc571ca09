import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import type { UploadedFile } from "../schemas/wire/job";
import type { Caller, OpenBody } from "./call";
import { errorCode, UploadError } from "./errors";
import type { CallOptions } from "./options";
import { printable } from "./redaction";

export interface UploadOptions extends CallOptions {
	/** Default: the client's team. */
	readonly team_name?: string | undefined;
}

export interface UploadResult {
	readonly file: UploadedFile;
	/** Hex digest of the bytes that were sent. */
	readonly sha256: string;
	readonly size: number;
}

const MILLIS_PER_MIB = 1_000;

/** Sends a file as it is read, and hashes it on the way. */
export async function uploadFile(
	caller: Caller,
	source: UploadSource,
	options: UploadOptions = {},
): Promise<UploadResult> {
	let form: FormBody | undefined;
	const file = await caller.call(
		"uploadFile",
		{ team_name: options.team_name },
		options,
		{
			openBody: async () => {
				form = formBody(await openSource(source));
				return form;
			},
			privateText: textOf(source),
			extraMillis: Math.ceil((await sizeHint(source)) / 2 ** 20) * MILLIS_PER_MIB,
		},
	);
	if (form?.sent === undefined) {
		throw new UploadError(
			"path" in source ? source.path : source.name,
			"the service answered before it had the whole file",
			"Try again, and report it if that does not help: the file it stored is not complete.",
		);
	}
	return { file, ...form.sent };
}

/** Longer ones are files, and no message repeats a file. */
const LONGEST_TEXT = 64 * 1024;

function textOf(source: UploadSource): string | undefined {
	if (!("content" in source) || source.content.length > LONGEST_TEXT) return undefined;
	return Buffer.from(source.content).toString("utf8");
}

/** Only for the deadline, so a file that cannot be read counts as empty here and fails when it is opened. */
async function sizeHint(source: UploadSource): Promise<number> {
	if ("content" in source) return source.content.length;
	return (await stat(source.path).catch(() => undefined))?.size ?? 0;
}

/** What can be uploaded; it is read again for each attempt. */
export type UploadSource =
	| {
			readonly path: string;
			/** Default: the last part of the path. */
			readonly name?: string | undefined;
	  }
	| { readonly name: string; readonly content: string | Uint8Array };

/** A source ready to be read once. */
interface OpenSource {
	readonly name: string;
	readonly size: number;
	readonly chunks: AsyncIterable<Uint8Array>;
	close(): Promise<void>;
}

export async function openSource(source: UploadSource): Promise<OpenSource> {
	if ("path" in source) return openFile(source.path, source.name);
	const bytes = Buffer.from(source.content);
	return {
		name: checkFileName(source.name),
		size: bytes.length,
		chunks: chunksOf(bytes),
		close: async () => {},
	};
}

/** In chunks, as files are read: of one big chunk nobody could tell how much of it was sent. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
		yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** A multipart body with the one part `file`, and what is known once it is sent. */
interface FormBody extends OpenBody {
	/** The bytes of the file, once the last one was handed over. */
	sent?: { readonly sha256: string; readonly size: number };
}

export function formBody(source: OpenSource): FormBody {
	const boundary = `pulumi-datachain-${randomBytes(18).toString("hex")}`;
	// As browsers do it (RFC 7578 with the HTML standard's escapes): UTF-8 as it is, the quote percent-encoded.
	const name = source.name.replaceAll('"', "%22");
	const head = Buffer.from(
		`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
			"Content-Type: application/octet-stream\r\n\r\n",
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const hash = createHash("sha256");

	async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
		yield head;
		for await (const chunk of source.chunks) {
			hash.update(chunk);
			yield chunk;
		}
		// A file of another size by now was refused by who reads it.
		form.sent = { sha256: hash.digest("hex"), size: source.size };
		yield tail;
	}

	const body = Readable.from(parts(), { objectMode: false, highWaterMark: 256 * 1024 });
	// The transport may be done with the body, and no longer listen, when it fails.
	body.on("error", () => {});
	const form: FormBody = {
		headers: {
			"content-type": `multipart/form-data; boundary=${boundary}`,
			"content-length": `${head.length + source.size + tail.length}`,
		},
		body,
		close: async () => {
			body.destroy();
			await source.close();
		},
	};
	return form;
}

/**
 * Opens a file that may be uploaded. It is looked at before, because opening a FIFO waits for a writer and opening a
 * device may act on it. Another file that takes its place meanwhile counts as a change of it.
 */
async function openFile(path: string, name = basename(path)): Promise<OpenSource> {
	checkFileName(name);
	try {
		const stats = await stat(path);
		if (!stats.isFile()) {
			const kindOfFile = stats.isDirectory()
				? "a directory and not a regular file"
				: "not a regular file";
			throw new UploadError(path, `it is ${kindOfFile}`, "Name a regular file.");
		}
		const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const chunks = readFile(path, handle, stats);
		return { name, size: stats.size, chunks, close: () => handle.close() };
	} catch (error) {
		throw uploadError(path, error);
	}
}

/** The name under which a file is stored, checked: what could break out of a header or a folder is refused. */
export function checkFileName(name: string): string {
	const refuse = (reason: string) =>
		new UploadError(
			printable(name, 200),
			reason,
			"Rename the file, or give another name for it.",
		);
	if (name === "" || name === "." || name === "..")
		throw refuse("that is not a file name");
	if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
		throw refuse("its name has a control character or a line break");
	// Form readers cut names at either slash, so the file would arrive under another name.
	if (/[/\\]/.test(name)) throw refuse("its name has a slash or backslash");
	return name;
}

const REASONS: Readonly<Record<string, readonly [reason: string, next: string]>> = {
	ENOENT: [
		"there is no such file",
		"Check the path; a relative one starts at the current folder.",
	],
	ENOTDIR: ["a part of its path is not a folder", "Check the path."],
	EACCES: [
		"this user may not read it",
		"Give this user read access to the file and its folders.",
	],
	EPERM: [
		"this user may not read it",
		"Give this user read access to the file and its folders.",
	],
	ELOOP: ["its symlinks lead in a circle", "Name the file itself."],
	ENAMETOOLONG: ["its path is too long", "Use a shorter path."],
	EMFILE: ["this process has too many files open", "Upload fewer files at a time."],
};

/** System errors carry the path and a stack; only their code is kept. */
export function uploadError(path: string, error: unknown): UploadError {
	if (error instanceof UploadError) return error;
	const code = errorCode(error);
	const [reason, next] = REASONS[code] ?? [
		"the system could not read it",
		"Check the file and its disk.",
	];
	return new UploadError(path, `${reason} (${code})`, next);
}

const CHUNK_BYTES = 64 * 1024;

/** The file's bytes from the start. Throws, after the last byte at the latest, if it changed meanwhile. */
async function* readFile(
	path: string,
	handle: FileHandle,
	{ size, mtimeMs }: Stats,
): AsyncGenerator<Buffer> {
	const changed = () =>
		new UploadError(
			path,
			"it changed while it was read",
			"Try again when nothing writes to it.",
		);
	let position = 0;
	try {
		for (;;) {
			// The socket may still hold the last chunk, so each has memory of its own.
			const memory = Buffer.allocUnsafe(CHUNK_BYTES);
			const { bytesRead } = await handle.read({ buffer: memory, position });
			if (bytesRead === 0) break;
			position += bytesRead;
			if (position > size) throw changed();
			yield memory.subarray(0, bytesRead);
		}
		const now = await handle.stat();
		if (position !== size || now.mtimeMs !== mtimeMs) throw changed();
	} catch (error) {
		throw uploadError(path, error);
	}
}

export interface FileFacts {
	/** Hex digest of the content. */
	readonly sha256: string;
	readonly size: number;
	/** The name it would be stored under. */
	readonly name: string;
}

/** Reads a file that may be uploaded once, with flat memory, and tells its hash and size. Throws an UploadError. */
export async function inspectFile(path: string): Promise<FileFacts> {
	const { name, size, chunks, close } = await openFile(path);
	try {
		const hash = createHash("sha256");
		for await (const chunk of chunks) hash.update(chunk);
		return { sha256: hash.digest("hex"), size, name };
	} finally {
		await close();
	}
}
