import { createHash } from "node:crypto";
import { inspectFile } from "../../api";
import type { Call } from "../context";
import type { Props } from "../handler";
import { isHashOf, saltedHash } from "../shared/salted-hash";
import { holdSecrets } from "../shared/secrets";
import type { Content } from "./content";
import { fetchRemote } from "./remote";

/** The hash of the content as the state may hold it; `keys` are the inputs that give the content. */
export async function hashForState(
	call: Call,
	olds: Props,
	content: Content,
	keys: readonly string[],
): Promise<string> {
	const plain = await contentHash(content);
	return holdSecrets(call, keys) ? saltedHash(plain, olds.contentHash) : plain;
}

/** SHA-256 of the bytes as they are now. */
async function contentHash(content: Content): Promise<string> {
	if (content.kind === "text") return sha256(content.text);
	if (content.kind === "path") return (await inspectFile(content.path)).sha256;
	// The engine has read the asset already and tells its hash.
	return content.hash ?? sha256(await fetchRemote(content.uri));
}

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** The state, with its hash in the form that is declared now where both stand for one text: it became a secret, or is one no more. */
export function inOneForm(olds: Props, { contentHash: hash }: Props, content: Content | undefined): Props {
	if (olds.contentHash === hash || content?.kind !== "text") return olds;
	return isHashOf(olds.contentHash, sha256(content.text)) ? { ...olds, contentHash: hash } : olds;
}
