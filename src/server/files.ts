import { fileName, uploadedFileSchema } from "../schemas/job";
import type { ReplyOf } from "../schemas/wire/endpoints";
import { invalid } from "./inputs";
import { type FileRecord, visibleFields } from "./state";
import type { Call } from "./world";

export type ReceivedFile = Pick<FileRecord, "filename" | "size">;

/** The content is not kept: the API has no way to read a file back. */
export function addFile({
	world,
	team,
	input,
}: Call<ReceivedFile>): ReplyOf<"uploadFile"> {
	const { filename, size } = input;
	// The documentation shows `pending` as the state of a file that was just sent.
	const record: FileRecord = {
		id: world.state.nextFileId++,
		filename,
		size,
		state: "pending",
	};
	team.files.push(record);
	world.changed(team);
	return visibleFields(uploadedFileSchema, record);
}

const ONE_PART =
	"The body must be multipart/form-data with exactly one part, a file named file.";

/** Reads the one part `file`; nothing of it is kept but name and size. */
export async function receiveFile(
	request: Pick<Request, "formData">,
): Promise<ReceivedFile> {
	const form = await request.formData().catch(() => {
		throw invalid(ONE_PART);
	});
	const file = form.get("file");
	if (!(file instanceof File) || [...form].length > 1) throw invalid(ONE_PART);
	const { error } = fileName.safeParse(file.name);
	if (error !== undefined)
		throw invalid(`file: the filename ${error.issues[0]?.message}.`);
	return { filename: file.name, size: file.size };
}
