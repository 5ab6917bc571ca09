import type { StoredSecret } from "../export";
import { runPulumi } from "./run-pulumi";

export interface ConfigTarget {
	/** The project's folder. */
	readonly folder: string;
	/** Made where it does not exist. */
	readonly stack: string;
	readonly signal: AbortSignal;
}

/** Stores the secrets in the stack's configuration, encrypted. */
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

async function pulumi(
	{ folder, stack, signal }: ConfigTarget,
	args: readonly string[],
	input: string,
	problem: string,
): Promise<void> {
	await runPulumi(args, { folder, input, signal, limitMillis: COMMAND_MILLIS }).catch((error: Error) => {
		throw new Error(
			`The project is written to "${folder}", but ${problem} in stack "${stack}": ${error.message} ` +
				"Its README.md has the commands to go on with.",
		);
	});
}
