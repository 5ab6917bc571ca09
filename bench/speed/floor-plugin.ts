import { existsSync } from "node:fs";
import { join } from "node:path";
import { go, goTool } from "../../tools/engine/build";
import { keep } from "../../tools/engine/cache";
import { executable } from "../../tools/engine/environment";
import { hashOf } from "../../tools/engine/hosts";
import { createProgress } from "../../tools/engine/progress";

const sources = join(__dirname, "floor", "go");
const program = "pulumi-resource-schedulefloor";

/** Compiles the native plugin once for these sources, into the cache, and answers with its folder. */
export function buildFloor(env: NodeJS.ProcessEnv = process.env): Promise<string> {
	const progress = createProgress();
	return keep({
		shelf: "bench-floor",
		key: `${hashOf(sources)}-${process.platform}-${process.arch}`,
		title: "the native floor",
		isComplete: (folder) => existsSync(join(folder, executable(program))),
		make: async (folder) => {
			progress.phase("Building the native floor with Go: once, it is kept for later runs.");
			const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
			const output = join(folder, executable(program));
			await go(goTool({ env, progress }), sources, ["build", ...flags, "-o", output, "."]);
		},
		progress,
		env,
	});
}
