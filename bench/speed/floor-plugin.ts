import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot } from "../../tools/engine";
import { executable, findIn, pathFolders } from "../../tools/engine/environment";
import { go } from "../../tools/engine/go-tool";
import { createProgress } from "../../tools/engine/progress";
import { tempFolder } from "../../tools/process/temp-folder";

const sources = join(__dirname, "floor", "go");
const program = "pulumi-resource-schedulefloor";

/** Compiles the native plugin once for these sources, into the cache, and answers with its folder. */
export async function buildFloor(env: NodeJS.ProcessEnv = process.env): Promise<string> {
	const parent = join(cacheRoot(env), "bench-floor");
	const folder = join(parent, `${hashOf(sources)}-${process.platform}-${process.arch}`);
	if (existsSync(join(folder, executable(program)))) return folder;
	const command = findIn(pathFolders(env), "go");
	if (command === undefined) {
		throw new Error(
			"The native floor is built with Go, and there is no `go` on PATH. Install Go 1.25 or newer (https://go.dev/dl/), " +
				"or leave the floor out with --variants ours,naive.",
		);
	}
	const progress = createProgress();
	progress.phase("Building the native floor with Go: once, it is kept for later runs.");
	const work = tempFolder(".building-", parent);
	try {
		const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
		const output = join(work.path, executable(program));
		await go({ command, env, progress }, sources, ["build", ...flags, "-o", output, "."]);
		// In one step, so that a run that is interrupted leaves nothing that could pass for a plugin.
		rmSync(folder, { recursive: true, force: true });
		renameSync(work.path, folder);
		return folder;
	} finally {
		work.remove();
		progress.end();
	}
}

function hashOf(folder: string): string {
	const hash = createHash("sha256");
	for (const name of readdirSync(folder).sort()) {
		hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
	}
	return hash.digest("hex").slice(0, 16);
}
