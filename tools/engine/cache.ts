import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { tempFolder } from "../process/temp-folder";
import { withLock } from "./lock";

/** Where this project keeps what is costly to make: outside the checkout, shared by all of them. */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
	if (env.PULUMI_DATACHAIN_CACHE) return env.PULUMI_DATACHAIN_CACHE;
	const home = env.HOME || homedir();
	if (process.platform === "win32") {
		return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "pulumi-datachain");
	}
	if (process.platform === "darwin")
		return join(home, "Library", "Caches", "pulumi-datachain");
	return join(env.XDG_CACHE_HOME || join(home, ".cache"), "pulumi-datachain");
}

export interface Kept {
	/** Folder of the cache for things of this sort. */
	readonly shelf: string;
	/** Its own folder there: what differs in anything that matters has another one. */
	readonly key: string;
	/** For people: "the Pulumi engine". */
	readonly title: string;
	/** Whether what lies in the folder can be used. */
	isComplete(folder: string): boolean | Promise<boolean>;
	make(folder: string): Promise<void>;
	/** Tells the person who waits; on standard error unless given. */
	readonly say?: ((line: string) => void) | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Longer than any build: the process that waits would only start the same one. */
const lockWaitMs = 60 * 60_000;

/**
 * The folder of something that is made once, by one process at a time. It is made aside and moved into place whole, so
 * that what is interrupted leaves nothing that could pass for finished.
 */
export async function keep(kept: Kept): Promise<string> {
	const { shelf, key, title, say = console.error, env = process.env } = kept;
	const parent = join(cacheRoot(env), shelf);
	const folder = join(parent, key);
	if (await kept.isComplete(folder)) return folder;
	const onWait = (holder: string) =>
		say(`Waiting for process ${holder}, which makes ${title}.`);
	const make = async () => {
		// Whoever held the lock before us may just have made it.
		if (await kept.isComplete(folder)) return;
		removeLeftovers(parent, key);
		const work = tempFolder(`.${key}-`, parent);
		try {
			await kept.make(work.path);
			rmSync(folder, { recursive: true, force: true });
			renameSync(work.path, folder);
		} finally {
			work.remove();
		}
	};
	mkdirSync(parent, { recursive: true });
	await withLock(join(parent, `${key}.lock`), { onWait, waitMs: lockWaitMs }, make);
	return folder;
}

/** What a killed run left behind; only the holder of the lock may remove it. */
function removeLeftovers(parent: string, key: string): void {
	for (const name of readdirSync(parent)) {
		if (name.startsWith(`.${key}-`))
			rmSync(join(parent, name), { recursive: true, force: true });
	}
}
