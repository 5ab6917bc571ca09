import { join } from "node:path";
import { type DriftReport, driftReportSchema } from "../../src/drift/report";
import { type Result, type Running, run, start } from "../../tools/process/run";
import { repository } from "./engine";

const command = join(repository, "dist", "cli", "main.js");

/** Where a command of ours runs: a project's folder and the environment of its stack. */
export interface Place {
	readonly folder: string;
	readonly env: NodeJS.ProcessEnv;
}

/** The built command, as a user runs it. */
export function runCli(place: Place, args: readonly string[]): Promise<Result> {
	return run(process.execPath, [command, ...args], { cwd: place.folder, env: place.env, timeoutMs: 120_000 });
}

/** The same, still running; told each line it prints. */
export function startCli(place: Place, args: readonly string[], onLine: (line: string) => void): Running {
	let rest = "";
	return start(process.execPath, [command, ...args], {
		cwd: place.folder,
		env: place.env,
		timeoutMs: 120_000,
		onOutput: (chunk, stream) => {
			if (stream !== "stdout") return;
			const lines = (rest + chunk).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) onLine(line);
		},
	});
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
