import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";

const SALTED = "scrypt";
const BYTES = 32;

/**
 * What the state holds in place of a secret name, or of a secret content's hash. A plain hash of something short can be
 * guessed; this one has a salt and is slow to try. The salt of the last deployment is kept, so that the same stays the same.
 */
export function saltedHash(text: string, before?: unknown): string {
	const salt = saltOf(before) ?? randomBytes(16).toString("hex");
	return `${SALTED}:${salt}:${scryptSync(text, salt, BYTES).toString("hex")}`;
}

const saltOf = (stored: unknown): string | undefined => {
	const [kind, salt] = String(stored).split(":");
	return kind === SALTED ? salt : undefined;
};

export const isSalted = (stored: unknown): boolean => saltOf(stored) !== undefined;

/** Whether the stored form, plain or salted, stands for this text. */
export function isHashOf(stored: unknown, text: string): boolean {
	if (!isSalted(stored)) return stored === text;
	const [ours, theirs] = [
		Buffer.from(saltedHash(text, stored)),
		Buffer.from(String(stored)),
	];
	return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
