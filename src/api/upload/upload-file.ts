import { stat } from "node:fs/promises";
import type { UploadedFile } from "../../schemas/wire/job";
import type { Caller } from "../caller";
import { UploadError } from "../errors";
import type { CallOptions } from "../options";
import { type FormBody, formBody } from "./form-body";
import { openSource, type UploadSource } from "./source";

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
	root: string | undefined,
	source: UploadSource,
	options: UploadOptions = {},
): Promise<UploadResult> {
	let form: FormBody | undefined;
	const file = await caller.call("uploadFile", { team_name: options.team_name }, options, {
		openBody: async () => {
			form = formBody(await openSource(source, root));
			return form;
		},
		privateText: textOf(source),
		repeatable: () => !("stream" in source) || form?.started !== true,
		extraMillis: Math.ceil((await sizeHint(source)) / 2 ** 20) * MILLIS_PER_MIB,
	});
	if (form?.complete !== true) {
		throw new UploadError(
			"path" in source ? source.path : source.name,
			"the service answered before it had the whole file",
			"Try again, and report it if it stays: the file it stored is not complete.",
		);
	}
	return { file, ...form.result() };
}

/** Longer ones are files, and no message repeats a file. */
const LONGEST_TEXT = 64 * 1024;

function textOf(source: UploadSource): string | undefined {
	if (!("content" in source) || source.content.length > LONGEST_TEXT) return undefined;
	return typeof source.content === "string" ? source.content : Buffer.from(source.content).toString("utf8");
}

/** Only for the deadline, so a file that cannot be looked at counts as empty and fails where it is opened. */
async function sizeHint(source: UploadSource): Promise<number> {
	if ("path" in source) return (await stat(source.path).catch(() => undefined))?.size ?? 0;
	return "content" in source ? source.content.length : (source.size ?? 0);
}
