import { run } from "./run";

const limitMs = 10 * 60_000;

export interface MustOptions {
	readonly cwd?: string;
	readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program whose failure is ours, and answers what it printed. */
export async function must(
	command: string,
	args: readonly string[],
	options: MustOptions = {},
): Promise<string> {
	const { code, stdout, stderr } = await run(command, args, { ...options, timeoutMs: limitMs });
	if (code === 0) return stdout;
	const said = `${stdout}\n${stderr}`.trim().slice(-4_000);
	throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${said}`);
}
