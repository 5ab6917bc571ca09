import { createHash } from "node:crypto";

/** Values that look random and are the same in every run: for seeded ids and for faults drawn by chance. */
function repeatableBytes(seed: string): Buffer {
	return createHash("sha256").update(seed).digest();
}

/** A UUID that depends on nothing but its seed. */
export function repeatableUuid(seed: string): string {
	const hex = repeatableBytes(seed).toString("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Draws numbers in [0, 1). */
export function repeatableNumbers(seed: number): () => number {
	let drawn = 0;
	return () => repeatableBytes(`${seed}:${drawn++}`).readUInt32BE(0) / 2 ** 32;
}
