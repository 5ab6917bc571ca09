/** One process as the system shows it. */
export interface ProcessInfo {
	readonly pid: number;
	readonly parent: number;
	/** User and system time of its own. */
	readonly ownMs: number;
	/** That of the children that it has waited for, and of theirs. */
	readonly reapedMs: number;
}

/** Keeps the last that was seen of each process, ended ones too. */
export class UsageTree {
	readonly #seen = new Map<number, ProcessInfo>();

	constructor(readonly root: number) {}

	has(pid: number): boolean {
		return this.#seen.has(pid);
	}

	get pids(): number[] {
		return [...this.#seen.keys()];
	}

	see(info: ProcessInfo): void {
		// An orphan gets a new parent; it belongs to the first all the same.
		const parent = this.#seen.get(info.pid)?.parent ?? info.parent;
		this.#seen.set(info.pid, { ...info, parent });
	}

	/**
	 * The time of the whole tree. What a parent has waited for is exact and counts also what was too short to be seen;
	 * what nobody waited for (Pulumi kills its plugins) is known as of the last look. So the larger of the two counts.
	 */
	totalMs(pid = this.root): number {
		const info = this.#seen.get(pid);
		if (info === undefined) return 0;
		const children = this.pids.filter((child) => child !== pid && this.#seen.get(child)?.parent === pid);
		const below = children.reduce((sum, child) => sum + this.totalMs(child), 0);
		return info.ownMs + Math.max(info.reapedMs, below);
	}
}
