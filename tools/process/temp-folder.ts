import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onExit } from "./cleanup";

export interface TempFolder {
	readonly path: string;
	/** Safe to call twice. */
	remove(): void;
	/** Leaves the folder in place when this process ends. */
	keep(): void;
}

/** A new private folder that is gone when this process ends, however it ends (SIGKILL apart). */
export function tempFolder(prefix: string, parent = tmpdir()): TempFolder {
	mkdirSync(parent, { recursive: true });
	const path = realpathSync(mkdtempSync(join(parent, prefix)));
	const removeTree = () =>
		rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
	const withdraw = onExit(removeTree);
	return {
		path,
		remove: () => {
			withdraw();
			removeTree();
		},
		keep: withdraw,
	};
}
