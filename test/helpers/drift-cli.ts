import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type DriftReport, driftReportSchema } from "../../src/commands/drift-report";
import { type Result, run } from "../../tools/process/run";
import type { TestDeployment } from "./e2e-deployment";
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

/** `drift --json`: the report, checked against its documented schema, and the exit code. */
export async function driftJson(
	place: Place,
	args: readonly string[] = [],
): Promise<{ report: DriftReport; code: number; stdout: string }> {
	const { code, stdout, stderr } = await runCli(place, ["drift", "--stack", "dev", "--json", ...args]);
	if (code !== 0 && code !== 2) throw new Error(`drift failed (${code}):\n${stdout}\n${stderr}`);
	return { report: driftReportSchema.strict().parse(JSON.parse(stdout)), code, stdout };
}

const eventSchema = z.looseObject({
	resOutputsEvent: z
		.looseObject({ metadata: z.looseObject({ op: z.string(), urn: z.string(), type: z.string() }) })
		.optional(),
});

export type Verdict = "same" | "changed" | "missing";

const VERDICTS: Readonly<Record<string, Verdict>> = { update: "changed", delete: "missing" };

/**
 * What `pulumi refresh --preview-only` decides for each resource of ours, by URN. Taken from the engine's own events:
 * its --json leaves out which resources changed when a provider gives no detailed diff, as no dynamic one does.
 */
export async function refreshVerdicts(test: TestDeployment): Promise<Map<string, Verdict>> {
	const log = join(test.stack.folder, "events.json");
	const { code, stdout, stderr } = await test.stack.refresh(["--preview-only", "--event-log", log]);
	if (code !== 0) throw new Error(`refresh failed (${code}):\n${stdout}\n${stderr}`);
	const verdicts = new Map<string, Verdict>();
	for (const line of readFileSync(log, "utf8").split("\n")) {
		if (line.trim() === "") continue;
		const done = eventSchema.parse(JSON.parse(line)).resOutputsEvent?.metadata;
		if (done?.type.includes("datachain:")) verdicts.set(done.urn, VERDICTS[done.op] ?? "same");
	}
	return verdicts;
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
