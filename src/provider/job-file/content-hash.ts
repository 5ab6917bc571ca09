import { createHash, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { inspectFile } from "../../api";
import type { Call } from "../context";
import type { Props } from "../handler";
import { holdSecrets } from "../shared/secrets";
import type { Content } from "./content";
import { fetchRemote } from "./remote";

const SALTED = "scrypt";
const BYTES = 32;

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

/**
 * What the state holds in place of a secret content's hash. The plain hash of a short secret can be guessed; this one
 * has a salt and is slow to try. The salt of the last deployment is kept, so that the same content stays the same.
 */
export function saltedHash(hash: string, before: unknown): string {
	const salt = saltOf(before) ?? randomBytes(16).toString("hex");
	return `${SALTED}:${salt}:${scryptSync(hash, salt, BYTES).toString("hex")}`;
}

const saltOf = (stored: unknown): string | undefined => {
	const [kind, salt] = typeof stored === "string" ? stored.split(":") : [];
	return kind === SALTED ? salt : undefined;
};

/** Whether the stored form, plain or salted, stands for content of this plain hash. */
export function isHashOf(stored: unknown, hash: string): boolean {
	if (typeof stored !== "string") return false;
	const salt = saltOf(stored);
	if (salt === undefined) return stored === hash;
	const [ours, theirs] = [Buffer.from(saltedHash(hash, stored)), Buffer.from(stored)];
	return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/** The state, with its hash in the form that is declared now where both stand for one text: it became a secret, or is one no more. */
export function inOneForm(olds: Props, { contentHash: hash }: Props, content: Content | undefined): Props {
	if (olds.contentHash === hash || content?.kind !== "text") return olds;
	return isHashOf(olds.contentHash, sha256(content.text)) ? { ...olds, contentHash: hash } : olds;
}
