import { spawn } from "node:child_process";
import type { StoredSecret } from "../export";

export interface ConfigTarget {
	/** The project's folder. */
	readonly folder: string;
	/** Made where it does not exist. */
	readonly stack: string;
	readonly signal: AbortSignal;
}

/** Stores the secrets in the stack's configuration, encrypted. Values travel over stdin: arguments can be seen by others. */
export async function writeConfig(
	target: ConfigTarget,
	secrets: readonly StoredSecret[],
	onProgress: (done: number, total: number) => void,
): Promise<void> {
	await pulumi(target, ["stack", "select", "--create", target.stack], "", "the stack could not be selected");
	for (const [index, { key, value }] of secrets.entries()) {
		const args = ["config", "set", "--secret", "--stack", target.stack, key];
		await pulumi(target, args, value, `the value of ${key} could not be stored`);
		onProgress(index + 1, secrets.length);
	}
}

const COMMAND_MILLIS = 120_000;

function pulumi(
	{ folder, stack, signal }: ConfigTarget,
	args: readonly string[],
	input: string,
	problem: string,
): Promise<void> {
	const failed = (why: string) =>
		new Error(
			`The project is written to "${folder}", but ${problem} in stack "${stack}": ${why} ` +
				"Its README.md has the commands to go on with.",
		);
	return new Promise((resolve, reject) => {
		const child = spawn("pulumi", [...args, "--non-interactive"], {
			cwd: folder,
			env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
			stdio: ["pipe", "ignore", "pipe"],
			// Not `timeout`: its timer keeps the process alive where the program could not be started.
			signal: AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MILLIS)]),
			windowsHide: true,
		});
		let said = "";
		child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			if (said.length < 4_000) said += chunk;
		});
		child.on("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT")
				reject(
					failed("the Pulumi CLI is not on PATH; install it from https://www.pulumi.com/docs/install/."),
				);
			else if (error.name === "AbortError")
				reject(failed(signal.aborted ? "it was stopped." : "the Pulumi CLI did not end in time."));
			else reject(failed("the Pulumi CLI could not be run."));
		});
		child.on("close", (code) => {
			if (code === 0) resolve();
			else reject(failed(withoutValue(said.trim(), input) || "the Pulumi CLI gave no reason."));
		});
		// A child that ends without reading would otherwise end us.
		child.stdin.on("error", () => {});
		child.stdin.end(input);
	});
}

const withoutValue = (text: string, value: string): string =>
	value === "" ? text : text.replaceAll(value, "[secret]");
