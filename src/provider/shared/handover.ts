import type { Props } from "../handler";

interface Left {
	readonly by: string;
	/** The resource as its state had it: the values that it set, and the memory of what was there before them. */
	readonly outs: Props;
}

/**
 * What a resource of this run leaves on an object that cannot be deleted, such as a pipeline's settings. Whoever takes
 * the object next finds values of our own there, which need no consent.
 */
export class Handover {
	private readonly left = new Map<string, Left>();
	private readonly inherited = new Set<string>();

	/** Called with each state that passes by: a replacement's create is handed none. */
	note(id: string, urn: string, outs: Props): void {
		this.left.set(id, { by: urn, outs });
	}

	/** The values were cleared or put back: nothing of ours is left. */
	forget(id: string): void {
		this.left.delete(id);
	}

	of(id: string): Left | undefined {
		return this.left.get(id);
	}

	/** Whoever has the object now knows what was there before. */
	inherit(id: string): Left | undefined {
		const left = this.left.get(id);
		if (left) this.inherited.add(id);
		return left;
	}

	wasInherited(id: string): boolean {
		return this.inherited.has(id);
	}
}
