import { createHash } from "node:crypto";

/**
 * What the reader has been given, kept as a number, a count and a hash and not as text. Ids tell which live lines
 * are new after a reconnect; bytes and hash tell which part of a stored log the live lines already covered.
 */
export class Delivered {
	private lastId = Number.NEGATIVE_INFINITY;
	private readonly hash = createHash("sha256");
	bytes = 0;

	/** True for a live line that was not delivered yet, which it then counts as. */
	takeLine(id: number, message: string): boolean {
		if (id <= this.lastId) return false;
		this.lastId = id;
		this.takeText(Buffer.from(message));
		return true;
	}

	takeText(bytes: Uint8Array): void {
		this.hash.update(bytes);
		this.bytes += bytes.length;
	}

	/** Hex digest of everything delivered so far. */
	digest(): string {
		return this.hash.copy().digest("hex");
	}
}
