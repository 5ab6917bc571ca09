import { randomBytes } from "node:crypto";

const KEPT = 1_000;

/** Logs of finished jobs as the service hands them out: behind an address that is its own permission. */
export class LogBlobs {
	readonly #blobs = new Map<string, () => string>();

	constructor(readonly enabled: boolean) {}

	/** Returns the path at which the text can be fetched without a token. */
	publish(text: () => string): string {
		const name = randomBytes(24).toString("hex");
		this.#blobs.set(name, text);
		const [oldest] = this.#blobs.keys();
		if (this.#blobs.size > KEPT && oldest !== undefined) this.#blobs.delete(oldest);
		return `/api/_blobs/${name}`;
	}

	read(name: string): string | undefined {
		return this.#blobs.get(name)?.();
	}
}
