import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { fileName, uploadedFileSchema } from "../schemas/job";
import type { ReplyOf } from "../schemas/wire/endpoints";
import { invalid, Refusal } from "./inputs";
import { type FileRecord, shown, type TeamState } from "./state";
import type { World } from "./world";

export type ReceivedFile = Pick<FileRecord, "filename" | "size" | "sha256">;

/** The content is not kept: the API has no way to read a file back. `failure` is why it could not be stored. */
export function addFile(
	world: World,
	team: TeamState,
	{ filename, size, sha256 }: ReceivedFile,
	failure: string | undefined,
): ReplyOf<"uploadFile"> {
	// The documentation shows `pending` as the state of a file that was just sent.
	const state = failure === undefined ? "pending" : "failed";
	const record: FileRecord = { id: world.state.nextFileId++, filename, size, sha256, state, error: failure };
	team.files.push(record);
	world.changed(team);
	return shown(uploadedFileSchema, record);
}

/** Refuses names that would mean another place than the folder they are put in. */
function requireFileName(name: string): void {
	const { error } = fileName.safeParse(name);
	if (error !== undefined) throw invalid(`file: the filename ${error.issues[0]?.message}.`);
}

const MALFORMED = "The multipart body is not well-formed.";
const ONE_PART = "The body must have exactly one part, a file named file.";

const MOST_BYTES = 8 * 2 ** 30;

/** Reads the one part `file`, keeping nothing of it but name, size and hash, so that memory stays flat. */
export function receiveFile(incoming: IncomingMessage): Promise<ReceivedFile> {
	const type = incoming.headers["content-type"] ?? "";
	if (!/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
		throw invalid("The body must be multipart/form-data with one part named file.");
	}
	return new Promise((resolve, reject) => {
		const parser = makeParser(incoming);
		let received: ReceivedFile | undefined;
		let files = 0;
		const settle = (finish: () => void): void => {
			incoming.off("close", onClose).unpipe(parser);
			finish();
		};
		const fail = (reason: unknown): void => settle(() => reject(reason));
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
				fail(new Refusal(413, `The file is larger than ${MOST_BYTES} bytes.`, { Connection: "close" })),
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
		incoming.on("close", onClose).pipe(parser);
	});
}

function makeParser(incoming: IncomingMessage): BusboyInstance {
	try {
		return new Busboy({
			headers: incoming.headers as BusboyHeaders,
			// Without the path a name such as ../x would pass as x; it is refused instead.
			preservePath: true,
			limits: { fileSize: MOST_BYTES, files: 2, fields: 1, fieldSize: 1024, parts: 3, headerPairs: 50 },
		});
	} catch {
		throw invalid("The Content-Type of the multipart body is not well-formed.");
	}
}
