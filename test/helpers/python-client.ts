import { execFile } from "node:child_process";
import { PythonEnvironment } from "./python-environment";

/** The service's own client, unmodified. */
export const pythonClient = new PythonEnvironment("the Python client datachain", { datachain: "0.62.0" });

/** What its console script does; the script itself names the interpreter of the folder it was made in. */
const COMMAND = "import sys; from datachain.cli import main; sys.exit(main())";

export interface CommandResult {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs one command of the client to its end. */
export function runClient(
	python: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandResult> {
	return new Promise((resolve) => {
		execFile(python, ["-c", COMMAND, ...args], { ...options, timeout: 60_000 }, (error, stdout, stderr) => {
			const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
			resolve({ code, stdout, stderr });
		});
	});
}
