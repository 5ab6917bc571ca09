import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { requireFileName } from "../domain/files";
import { invalid, Refusal } from "../refusal";
import type { FileRecord } from "../state";
import type { ServerContext } from "./context";
import { makeHeadCheck } from "./part-head";

export type ReceivedFile = Pick<FileRecord, "filename" | "size" | "sha256">;

const MALFORMED = "The multipart body is not well-formed.";
const ONE_PART = "The body must have exactly one part, a file named file.";

/** Reads the one part `file`, keeping nothing of it but name, size and hash, so that memory stays flat. */
export function receiveFile(
	incoming: IncomingMessage,
	{ uploadBytes, bodyMillis }: ServerContext["limits"],
): Promise<ReceivedFile> {
	const type = incoming.headers["content-type"] ?? "";
	if (!/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
		throw invalid("The body must be multipart/form-data with one part named file.");
	}
	return new Promise((resolve, reject) => {
		const parser = makeParser(incoming, uploadBytes);
		let received: ReceivedFile | undefined;
		let files = 0;
		const settle = (finish: () => void): void => {
			clearTimeout(idle);
			incoming.off("data", onData).off("close", onClose).unpipe(parser);
			finish();
		};
		const fail = (reason: unknown): void => settle(() => reject(reason));
		const slow = (): void => fail(new Refusal(408, "The upload stopped arriving.", { Connection: "close" }));
		const idle = setTimeout(slow, bodyMillis);
		const checkHead = makeHeadCheck();
		const onData = (chunk: Buffer): void => {
			idle.refresh();
			try {
				checkHead(chunk);
			} catch (error) {
				fail(error);
			}
		};
		const onClose = (): void => {
			if (!incoming.complete) fail(invalid("The upload ended early."));
		};
		parser.on("file", (field, content, filename) => {
			content.on("error", () => fail(invalid(MALFORMED)));
			try {
				if (++files > 1 || field !== "file") throw invalid(ONE_PART);
				requireFileName(filename ?? "");
			} catch (error) {
				content.resume();
				return fail(error);
			}
			content.on("limit", () =>
				fail(new Refusal(413, `The file is larger than ${uploadBytes} bytes.`, { Connection: "close" })),
			);
			const hash = createHash("sha256");
			content.on("data", (chunk: Buffer) => hash.update(chunk));
			content.on("end", () => {
				received = { filename, size: content.bytesRead, sha256: hash.digest("hex") };
			});
		});
		parser.on("field", () => fail(invalid(ONE_PART)));
		parser.on("error", () => fail(invalid(MALFORMED)));
		parser.on("finish", () => {
			const file = received;
			if (file === undefined) fail(invalid("The body has no part named file with a filename."));
			else settle(() => resolve(file));
		});
		incoming.on("data", onData).on("close", onClose).pipe(parser);
	});
}

function makeParser(incoming: IncomingMessage, bytes: number): BusboyInstance {
	try {
		return new Busboy({
			headers: incoming.headers as BusboyHeaders,
			// Without the path a name such as ../x would pass as x; it is refused instead.
			preservePath: true,
			limits: { fileSize: bytes, files: 2, fields: 20, fieldSize: 64 * 1024, parts: 25, headerPairs: 50 },
		});
	} catch {
		throw invalid("The Content-Type of the multipart body is not well-formed.");
	}
}
