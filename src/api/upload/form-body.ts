import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { OpenBody } from "../call";
import { UploadError } from "../errors";
import type { OpenSource } from "./source";

/** A multipart body with the one part `file`, and what is known once it is sent. */
export interface FormBody extends OpenBody {
	/** True when reading of the source has begun. */
	readonly started: boolean;
	/** True when the last byte was handed over. */
	readonly complete: boolean;
	/** Of the bytes that were sent; call it once. */
	result(): { sha256: string; size: number };
}

export function formBody(source: OpenSource): FormBody {
	const boundary = `pulumi-datachain-${randomBytes(18).toString("hex")}`;
	const head = Buffer.from(
		`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(source.name)}"\r\n` +
			"Content-Type: application/octet-stream\r\n\r\n",
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const hash = createHash("sha256");
	let size = 0;

	async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
		form.started = true;
		yield head;
		// Not yield*, which would hand an error that ends this stream from outside on to the source.
		for await (const chunk of blamed(source, (failure) => (form.failure = failure))) {
			hash.update(chunk);
			size += chunk.length;
			yield chunk;
		}
		form.complete = true;
		yield tail;
	}

	const body = Readable.from(parts(), { objectMode: false, highWaterMark: 256 * 1024 });
	// The transport may be done with the body, and no longer listen, when it fails.
	body.on("error", () => {});
	const form = {
		headers: {
			"content-type": `multipart/form-data; boundary=${boundary}`,
			...(source.size === undefined
				? {}
				: { "content-length": String(head.length + source.size + tail.length) }),
		},
		body,
		started: false,
		complete: false,
		failure: undefined as UploadError | undefined,
		result: () => ({ sha256: hash.digest("hex"), size }),
		close: async () => {
			body.destroy();
			await source.close();
		},
	};
	return form;
}

/** The source's bytes; tells of a failure of the source itself, and of none that comes from whoever reads it. */
async function* blamed(
	source: OpenSource,
	tell: (failure: UploadError) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	const chunks = source.chunks[Symbol.asyncIterator]();
	try {
		for (;;) {
			const { done, value } = await chunks.next().catch((error: unknown) => {
				const failure = failureOf(source, error);
				tell(failure);
				throw failure;
			});
			if (done) return;
			yield value;
		}
	} finally {
		await chunks.return?.();
	}
}

/** Whatever a caller's stream throws may hold anything; its text is not passed on. */
function failureOf(source: OpenSource, error: unknown): UploadError {
	if (error instanceof UploadError) return error;
	return new UploadError(
		source.name,
		"its stream failed while it was read",
		"Look at the stream's own error.",
	);
}

/** As browsers do it (RFC 7578 with the HTML standard's escapes): UTF-8 as it is, the quote percent-encoded. */
function quoted(name: string): string {
	return name.replaceAll('"', "%22");
}
