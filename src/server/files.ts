import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { fileName, uploadedFileSchema } from "../schemas/job";
import type { ReplyOf } from "../schemas/wire/endpoints";
import { invalid } from "./inputs";
import { type FileRecord, shown } from "./state";
import type { Call } from "./world";

export type ReceivedFile = Pick<FileRecord, "filename" | "size">;

/** The content is not kept: the API has no way to read a file back. */
export function addFile({ world, team, input }: Call<ReceivedFile>): ReplyOf<"uploadFile"> {
	const { filename, size } = input;
	// The documentation shows `pending` as the state of a file that was just sent.
	const record: FileRecord = { id: world.state.nextFileId++, filename, size, state: "pending" };
	team.files.push(record);
	world.changed(team);
	return shown(uploadedFileSchema, record);
}

const ONE_PART = "The body must be multipart/form-data with exactly one part, a file named file.";

/** Reads the one part `file`, keeping nothing of it but name and size, so that memory stays flat. */
export async function receiveFile(incoming: IncomingMessage): Promise<ReceivedFile> {
	const files: (ReceivedFile & { readonly field: string })[] = [];
	const gone = new AbortController();
	incoming.once("close", () => incoming.complete || gone.abort());
	try {
		// Without the path a name such as ../x would pass as x; it is refused instead.
		const parser = new Busboy({ headers: incoming.headers as BusboyHeaders, preservePath: true });
		// Also after the first error, when nobody waits for another one.
		parser.on("error", () => {});
		parser.on("file", (field, content, filename) => {
			content.on("error", (error) => parser.emit("error", error));
			content.on("end", () => files.push({ field, filename, size: content.bytesRead }));
			content.resume();
		});
		await once(incoming.pipe(parser), "finish", { signal: gone.signal });
	} catch {
		throw invalid(ONE_PART);
	}
	const [file] = files;
	if (file?.field !== "file" || files.length > 1) throw invalid(ONE_PART);
	const { error } = fileName.safeParse(file.filename);
	if (error !== undefined) throw invalid(`file: the filename ${error.issues[0]?.message}.`);
	return file;
}
