import type { StoredSecret } from "../export";
import { runPulumi } from "./run-pulumi";

const COMMAND_MILLIS = 120_000;

/** Stores the secrets, encrypted, in the configuration of the project's stack, which is made where it does not exist. */
export async function writeConfig(
	{ folder, stack, signal }: { folder: string; stack: string; signal: AbortSignal },
	secrets: readonly StoredSecret[],
	onProgress: (done: number, total: number) => void,
): Promise<void> {
	const pulumi = (args: readonly string[], problem: string, input?: string) =>
		runPulumi(args, { folder, input, signal, limitMillis: COMMAND_MILLIS }).catch((error: Error) => {
			throw new Error(
				`The project is written to "${folder}", but ${problem} in stack "${stack}": ${error.message} ` +
					"Its README.md has the commands to go on with.",
			);
		});
	await pulumi(["stack", "select", "--create", stack], "the stack could not be selected");
	for (const [index, { key, value }] of secrets.entries()) {
		const args = ["config", "set", "--secret", "--stack", stack, key];
		await pulumi(args, `the value of ${key} could not be stored`, value);
		onProgress(index + 1, secrets.length);
	}
}
