import { homedir } from "node:os";
import { join } from "node:path";
import { engineVersion } from "./versions";

/** Where this project keeps what is costly to make: outside the checkout, shared by all of them. */
export function cacheRoot(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
	if (env.PULUMI_DATACHAIN_CACHE) return env.PULUMI_DATACHAIN_CACHE;
	const home = env.HOME || homedir();
	if (platform === "win32") {
		return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "pulumi-datachain");
	}
	if (platform === "darwin") return join(home, "Library", "Caches", "pulumi-datachain");
	return join(env.XDG_CACHE_HOME || join(home, ".cache"), "pulumi-datachain");
}

export interface EngineCache {
	/** Holds every engine, and their locks. */
	readonly parent: string;
	/** Name of our engine's folder in there. */
	readonly key: string;
	readonly folder: string;
}

export function engineCache(env: NodeJS.ProcessEnv): EngineCache {
	const parent = join(cacheRoot(env), "engine");
	const key = `${engineVersion}-${process.platform}-${process.arch}`;
	return { parent, key, folder: join(parent, key) };
}
