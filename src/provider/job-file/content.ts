import { createHash } from "node:crypto";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { inspectFile, type UploadSource } from "../../api";
import { assetSchema } from "../../schemas/job-file-args";
import type { Props } from "../handler";
import { fetchRemote } from "./remote";

/** Where a file's bytes come from: the forms in which a program can give them, brought to one. */
export type Content =
	| { readonly kind: "path"; readonly path: string }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "remote"; readonly uri: string; readonly hash: string | undefined };

/** Undefined where the inputs give none, or one that cannot be used. */
export function contentOf(inputs: Props): Content | undefined {
	if (typeof inputs.text === "string") return { kind: "text", text: inputs.text };
	if (typeof inputs.source === "string") return { kind: "path", path: inputs.source };
	const asset = assetSchema.safeParse(inputs.source).data;
	if (asset?.path !== undefined) return { kind: "path", path: asset.path };
	if (asset?.text !== undefined) return { kind: "text", text: asset.text };
	if (asset?.uri === undefined) return undefined;
	if (asset.uri.startsWith("file:")) return { kind: "path", path: fileURLToPath(asset.uri) };
	return { kind: "remote", uri: asset.uri, hash: asset.hash };
}

/** The name the file gets where the program names none; a text has no name of its own. */
export function defaultName(content: Content): string | undefined {
	if (content.kind === "path") return basename(content.path);
	if (content.kind === "remote") return basename(new URL(content.uri).pathname) || undefined;
	return undefined;
}

/** SHA-256 of the bytes as they are now. */
export async function contentHash(content: Content): Promise<string> {
	if (content.kind === "text") return createHash("sha256").update(content.text).digest("hex");
	if (content.kind === "path") return (await inspectFile(content.path)).sha256;
	// The engine has read the asset already and tells its hash.
	if (content.hash !== undefined) return content.hash;
	return createHash("sha256")
		.update(await fetchRemote(content.uri))
		.digest("hex");
}

export async function uploadSource(content: Content, name: string): Promise<UploadSource> {
	if (content.kind === "path") return { path: content.path, name };
	if (content.kind === "text") return { name, content: content.text };
	return { name, content: await fetchRemote(content.uri) };
}
