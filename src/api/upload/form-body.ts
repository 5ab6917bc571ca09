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
	// As browsers do it (RFC 7578 with the HTML standard's escapes): UTF-8 as it is, the quote percent-encoded.
	const name = source.name.replaceAll('"', "%22");
	const head = Buffer.from(
		`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
			"Content-Type: application/octet-stream\r\n\r\n",
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const hash = createHash("sha256");
	let size = 0;

	const blame = (error: unknown): never => {
		// Whatever a caller's stream throws may hold anything; its text is not passed on.
		const reason = "its stream failed while it was read";
		const next = "Look at the stream's own error.";
		form.failure = error instanceof UploadError ? error : new UploadError(source.name, reason, next);
		throw form.failure;
	};

	async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
		form.started = true;
		yield head;
		// By hand, because an error that ends this stream from outside is no failure of the source.
		const chunks = source.chunks[Symbol.asyncIterator]();
		try {
			for (;;) {
				const { done, value } = await chunks.next().catch(blame);
				if (done) break;
				hash.update(value);
				size += value.length;
				yield value;
			}
		} finally {
			await chunks.return?.();
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
			...(source.size !== undefined && { "content-length": `${head.length + source.size + tail.length}` }),
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
