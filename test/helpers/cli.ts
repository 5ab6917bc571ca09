import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
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
	return run(process.execPath, [command, ...args], {
		cwd: place.folder,
		env: place.env,
		timeoutMs: 120_000,
	});
}

interface Workflow {
	readonly jobs?: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}
interface Step {
	readonly name?: string;
	readonly run?: string;
}

/** The steps of all jobs of a GitHub workflow. */
export const stepsIn = (text: string): Step[] =>
	Object.values((parse(text) as Workflow).jobs ?? {}).flatMap(({ steps }) => steps);

/** The shell text of a step of a GitHub workflow, or of the job of that name in a GitLab file. */
export function commandsOf(file: string, name: string): string {
	const text = readFileSync(join(repository, "examples", "ci", file), "utf8");
	const commands =
		stepsIn(text).find((step) => step.name === name)?.run ??
		parse(text)[name]?.script.join("\n");
	if (commands === undefined)
		throw new Error(`${file} has no step ${name} with commands`);
	return commands;
}

/** Runs them as a runner does: bash, ending at the first failure. */
export function runCommands(
	text: string,
	cwd: string,
	env: NodeJS.ProcessEnv,
): Promise<Result> {
	return run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", text], {
		cwd,
		env,
		timeoutMs: 120_000,
	});
}
