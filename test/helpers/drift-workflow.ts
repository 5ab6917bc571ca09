import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Result, run } from "../../tools/process/run";
import { repository } from "./engine";

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

/**
 * Stand-ins, first on the PATH, for programs that talk to the outside. Each call is a line in `calls`; `replies` has
 * what a call prints that has a text in it, and every other one prints nothing.
 */
export function standIns(
	folder: string,
	env: NodeJS.ProcessEnv,
	programs: readonly string[],
	replies: Readonly<Record<string, string>> = {},
): { env: NodeJS.ProcessEnv; calls: () => string[] } {
	const bin = join(folder, "stand-ins");
	const log = join(folder, "calls.txt");
	mkdirSync(bin, { recursive: true });
	writeFileSync(log, "");
	const cases = Object.entries(replies)
		.map(([text, reply]) => `*'${text}'*) printf '%s\\n' '${reply}' ;;\n`)
		.join("");
	for (const program of programs) {
		const path = join(bin, program);
		writeFileSync(
			path,
			`#!/bin/sh\ncall="${program} $*"\nprintf '%s\\n' "$call" >> "${log}"\ncase "$call" in\n${cases}esac\n`,
		);
		chmodSync(path, 0o755);
	}
	return {
		env: { ...env, PATH: `${bin}${delimiter}${env.PATH ?? ""}` },
		calls: () =>
			readFileSync(log, "utf8")
				.split("\n")
				.filter((line) => line !== ""),
	};
}
