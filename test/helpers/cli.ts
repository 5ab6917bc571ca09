import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Result, run } from "../../tools/process/run";
import { repository } from "./engine";

/** What `npm test` built before. */
export const command = join(repository, "dist", "commands", "main.js");

/** Where a command of ours runs: a project's folder and the environment of its stack. */
export interface Place {
	readonly folder: string;
	readonly env: NodeJS.ProcessEnv;
}

/** The built command, as a user runs it. */
export function runCli(place: Place, args: readonly string[]): Promise<Result> {
	return run(process.execPath, [command, ...args], { cwd: place.folder, env: place.env, timeoutMs: 120_000 });
}

/**
 * The shell text of a step: of `- name: X` with `run: |` in a GitHub workflow, or of the job `X:` with a `- |` script
 * in a GitLab file.
 */
export function commandsOf(file: string, name: string): string {
	const lines = readFileSync(join(repository, "examples", "ci", file), "utf8").split("\n");
	const start = lines.findIndex((line) => line.trim() === `- name: ${name}` || line === `${name}:`);
	const opening = lines.findIndex((line, index) => index > start && /^\s+(run: \||- \|)$/.test(line));
	if (start < 0 || opening < 0) throw new Error(`${file} has no step ${name} with commands`);
	const indent = /^\s*/.exec(lines[opening + 1] ?? "")?.[0] ?? "";
	const end = lines.findIndex((line, index) => index > opening && line !== "" && !line.startsWith(indent));
	return lines
		.slice(opening + 1, end < 0 ? undefined : end)
		.map((line) => line.slice(indent.length))
		.join("\n");
}

/** Runs them as a runner does: bash, ending at the first failure. */
export function runCommands(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Result> {
	return run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", text], {
		cwd,
		env,
		timeoutMs: 120_000,
	});
}
