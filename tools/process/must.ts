import { type Result, run } from "./run";

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
	const result = await run(command, args, { ...options, timeoutMs: limitMs });
	return succeeded(`${command} ${args.join(" ")}`, result);
}

/** The standard output of what succeeded; else an error with the end of everything that it printed. */
export function succeeded(
	what: string,
	{ code, stdout, stderr, timedOut }: Result,
): string {
	if (code === 0) return stdout;
	const why = timedOut ? "did not end in time" : `ended with ${code}`;
	throw new Error(`${what} ${why}:\n${`${stdout}\n${stderr}`.trim().slice(-4_000)}`);
}
