import type { ConnectionSettings } from "../../../../src/api";
import type { Declared } from "./plan";

/** What the state holds of one schedule. */
export interface Known {
	readonly id: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	readonly outs: Readonly<Record<string, unknown>>;
	/** Made, but not everything came out as declared: the engine updates it next time, whatever the diff says. */
	readonly incomplete?: boolean;
}

export interface Connections {
	/** While the program is checked and compared. */
	readonly checking: ConnectionSettings;
	/** While something is created, updated or deleted. */
	readonly writing: ConnectionSettings;
	/** How long one attempt may wait for a reply. */
	readonly attemptMillis: number;
	/** Draws for jitter, so that the seed decides it too. */
	readonly random: () => number;
}

/** What is left after one try: the state, and the error where there was one. */
export interface Tried {
	readonly known: Known | undefined;
	readonly error?: unknown;
}

/** A way of doing it: one `pulumi up` of one schedule. */
export interface Contender {
	readonly name: string;
	up(at: Connections, known: Known | undefined, declared: Declared | undefined): Promise<Tried>;
}
