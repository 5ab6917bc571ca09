import { UploadError } from "../errors";
import { checkFileName, openFile } from "./open-file";
import { CHUNK_BYTES, readFile } from "./read-file";

/** What can be uploaded. A stream is sent once; the others are read again where the upload may be repeated. */
export type UploadSource =
	| {
			readonly path: string;
			/** Default: the last part of the path. */
			readonly name?: string | undefined;
	  }
	| { readonly name: string; readonly content: string | Uint8Array }
	| {
			readonly name: string;
			readonly stream: AsyncIterable<Uint8Array | string>;
			/** Checked against what the stream gives; sent in chunks of unknown total where left out. */
			readonly size?: number | undefined;
	  };

/** A source ready to be read once. */
export interface OpenSource {
	readonly name: string;
	/** Undefined for a stream of unknown length. */
	readonly size: number | undefined;
	readonly chunks: AsyncIterable<Uint8Array>;
	close(): Promise<void>;
}

export async function openSource(source: UploadSource, root: string | undefined): Promise<OpenSource> {
	if ("path" in source) {
		const file = await openFile(source.path, { root, name: source.name });
		return { name: file.name, size: file.size, chunks: readFile(file), close: () => file.handle.close() };
	}
	const name = checkFileName(source.name);
	const close = async () => {};
	if ("content" in source) {
		const bytes = Buffer.from(source.content);
		return { name, size: bytes.length, chunks: chunksOf(bytes), close };
	}
	return { name, size: source.size, chunks: measured(name, source.stream, source.size), close };
}

/** As files are read: of one big chunk it would not be known how much the connection has taken. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function* measured(
	name: string,
	stream: AsyncIterable<Uint8Array | string>,
	size: number | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
	let seen = 0;
	const wrong = () =>
		new UploadError(
			name,
			`its stream does not have the ${size} bytes that were announced`,
			"Give the right size, or none.",
		);
	for await (const part of stream) {
		const bytes = typeof part === "string" ? Buffer.from(part) : part;
		seen += bytes.length;
		if (size !== undefined && seen > size) throw wrong();
		yield bytes;
	}
	if (size !== undefined && seen !== size) throw wrong();
}
