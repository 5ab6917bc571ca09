import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { tempFolder } from "../process/temp-folder";
import type { EngineCache } from "./cache";
import { askVersion, type Engine, type EngineSource, engineAt } from "./engine";
import { executable } from "./environment";
import { engineVersion } from "./versions";

const recordFile = "engine.json";
const recordSchema = z.object({ version: z.string(), source: z.enum(["installed", "built"]) });

/** The engine in the cache, if there is one and it still runs. */
export async function cachedEngine(cache: EngineCache, env: NodeJS.ProcessEnv): Promise<Engine | undefined> {
	const record = readRecord(join(cache.folder, recordFile));
	if (record === undefined) return undefined;
	const command = join(cache.folder, "bin", executable("pulumi"));
	const answer = await askVersion(command, env);
	if ("problem" in answer || answer.version !== record.version) return undefined;
	return engineAt(command, record.version, record.source);
}

/**
 * Makes an engine in a folder beside its final place, has it answer, and moves it there in one step: what
 * is interrupted leaves nothing that could pass for an engine.
 */
export async function addToCache(
	cache: EngineCache,
	source: Exclude<EngineSource, "PATH">,
	env: NodeJS.ProcessEnv,
	make: (root: string) => Promise<void>,
): Promise<void> {
	const work = tempFolder(`.${cache.key}-`, cache.parent);
	try {
		await make(work.path);
		const answer = await askVersion(join(work.path, "bin", executable("pulumi")), env);
		if ("problem" in answer) throw new Error(answer.problem);
		if (answer.version !== engineVersion) {
			throw new Error(`it answers with version ${answer.version}, not ${engineVersion}`);
		}
		writeFileSync(join(work.path, recordFile), JSON.stringify({ version: answer.version, source }));
		rmSync(cache.folder, { recursive: true, force: true });
		renameSync(work.path, cache.folder);
	} finally {
		work.remove();
	}
}

/** Removes what a killed run left behind; only for the holder of the lock. */
export function removeLeftovers(cache: EngineCache): void {
	mkdirSync(cache.parent, { recursive: true });
	for (const name of readdirSync(cache.parent)) {
		if (name.startsWith(`.${cache.key}-`)) rmSync(join(cache.parent, name), { recursive: true, force: true });
	}
}

function readRecord(file: string): z.infer<typeof recordSchema> | undefined {
	if (!existsSync(file)) return undefined;
	try {
		return recordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		return undefined;
	}
}
