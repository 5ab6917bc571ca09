import { join } from "node:path";
import { buildWithGo } from "./build";
import { type EngineCache, engineCache } from "./cache";
import { addToCache, cachedEngine, removeLeftovers } from "./cached";
import type { Engine, EngineSource } from "./engine";
import { type Install, installWithSdk } from "./install";
import { withLock } from "./lock";
import { engineOnPath } from "./on-path";
import { createProgress, type Progress } from "./progress";
import { type Attempt, EngineUnavailableError } from "./unavailable-error";

export { cacheRoot } from "./cache";
export type { Engine, EngineSource } from "./engine";
export { EngineUnavailableError } from "./unavailable-error";

export interface EngineOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly progress?: Progress | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Stands in for PulumiCommand.install(), which needs the network. */
	readonly install?: Install | undefined;
}

type Settings = Required<Omit<EngineOptions, "signal">> & Pick<EngineOptions, "signal">;

/** Longer than any build: the process that waits would only start the same one. */
const lockWaitMs = 60 * 60_000;

/**
 * Finds the Pulumi CLI, or makes one: a CLI on PATH; else the one made earlier; else the SDK's own
 * PulumiCommand.install(); else, where Go is present, a build from pinned sources.
 * Throws EngineUnavailableError where nothing works.
 */
export async function ensureEngine(options: EngineOptions = {}): Promise<Engine> {
	const settings: Settings = {
		env: options.env ?? process.env,
		progress: options.progress ?? createProgress(),
		signal: options.signal,
		install: options.install ?? installWithSdk,
	};
	const { env, progress, signal } = settings;
	const own = await engineOnPath(env, signal);
	if ("command" in own) return own;
	if (own.found) progress.note(`The Pulumi CLI on PATH is passed over: ${own.problem}.`);

	const cache = engineCache(env);
	const cached = await cachedEngine(cache, env);
	if (cached) return cached;
	const lock = {
		onWait: (holder: string) =>
			progress.note(`Waiting for process ${holder}, which is making the Pulumi engine.`),
		waitMs: lockWaitMs,
		signal,
	};
	return withLock(join(cache.parent, `${cache.key}.lock`), lock, () =>
		makeEngine(cache, settings, { what: "a Pulumi CLI on PATH", problem: own.problem }),
	).finally(() => progress.end());
}

async function makeEngine(cache: EngineCache, settings: Settings, first: Attempt): Promise<Engine> {
	const { env, progress, signal, install } = settings;
	// Whoever held the lock before us may just have made it.
	const made = await cachedEngine(cache, env);
	if (made) return made;
	removeLeftovers(cache);
	const ways: [EngineSource & ("installed" | "built"), string, (root: string) => Promise<void>][] = [
		["installed", "PulumiCommand.install() of @pulumi/pulumi", (root) => install(root, { env, signal })],
		["built", "a build with Go", (root) => buildWithGo(root, { env, progress, signal })],
	];
	const attempts = [first];
	for (const [source, what, make] of ways) {
		try {
			await addToCache(cache, source, env, make);
			const engine = await cachedEngine(cache, env);
			if (engine) {
				progress.note(`The Pulumi engine ${engine.version} is ready (${source}), kept in ${cache.folder}`);
				return engine;
			}
			attempts.push({ what, problem: `it did not start from ${cache.folder}` });
		} catch (error) {
			signal?.throwIfAborted();
			attempts.push({ what, problem: error instanceof Error ? error.message : String(error) });
		}
	}
	throw new EngineUnavailableError(attempts);
}
