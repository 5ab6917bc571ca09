import { createHash } from "node:crypto";
import { UploadError } from "../errors";
import { type OpenFile, type OpenFileOptions, openFile, systemError } from "./open-file";

export const CHUNK_BYTES = 64 * 1024;

/** The file's bytes from the start. Throws, after the last byte at the latest, where it changed meanwhile. */
export async function* readFile(file: OpenFile): AsyncGenerator<Buffer, void, undefined> {
	const { handle, size } = file;
	let position = 0;
	try {
		for (;;) {
			// The socket may still hold the last chunk, so each has memory of its own.
			const memory = Buffer.allocUnsafe(CHUNK_BYTES);
			const { bytesRead } = await handle.read({ buffer: memory, position });
			if (bytesRead === 0) break;
			position += bytesRead;
			if (position > size) throw changed(file);
			yield memory.subarray(0, bytesRead);
		}
		const { mtimeMs } = await handle.stat();
		if (position !== size || mtimeMs !== file.modifiedMillis) throw changed(file);
	} catch (error) {
		throw error instanceof UploadError ? error : systemError(file.shown, error);
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
export async function inspectFile(path: string, options: OpenFileOptions = {}): Promise<FileFacts> {
	const file = await openFile(path, options);
	try {
		const hash = createHash("sha256");
		for await (const chunk of readFile(file)) hash.update(chunk);
		return { sha256: hash.digest("hex"), size: file.size, name: file.name };
	} finally {
		await file.handle.close();
	}
}

const changed = (file: OpenFile) =>
	new UploadError(file.shown, "it changed while it was read", "Try again when nothing writes to it.");
