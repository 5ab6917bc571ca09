import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { UploadSource } from "../../api";
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

export async function uploadSource(content: Content, name: string): Promise<UploadSource> {
	if (content.kind === "path") return { path: content.path, name };
	if (content.kind === "text") return { name, content: content.text };
	return { name, content: await fetchRemote(content.uri) };
}
