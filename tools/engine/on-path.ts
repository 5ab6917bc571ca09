import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { askVersion, type Engine, engineAt } from "./engine";
import { findIn, pathFolders } from "./environment";
import { isAtLeast, minimumVersion } from "./versions";

/** The user's own CLI, or why it will not do. */
export async function engineOnPath(
	env: NodeJS.ProcessEnv,
	signal?: AbortSignal,
): Promise<Engine | { problem: string; found: boolean }> {
	const folders = pathFolders(env);
	const command = findIn(folders, "pulumi");
	if (command === undefined) return { problem: "no `pulumi` found", found: false };
	const answer = await askVersion(command, env, signal);
	if ("problem" in answer) return { problem: `${command}: ${answer.problem}`, found: true };
	if (!isAtLeast(answer.version, minimumVersion)) {
		return {
			problem: `${command} is version ${answer.version}, and ${minimumVersion} or newer is needed`,
			found: true,
		};
	}
	const beside = [dirname(command), dirname(realpathSync(command))];
	if (findIn([...beside, ...folders], "pulumi-language-nodejs") === undefined) {
		return { problem: `${command} comes without its language host pulumi-language-nodejs`, found: true };
	}
	return engineAt(command, answer.version, "PATH");
}
