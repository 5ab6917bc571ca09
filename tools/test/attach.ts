import { spawn } from "node:child_process";
import { onExit } from "../process/cleanup";
import { endTree } from "../process/kill-tree";
import { repository } from "../repository";

/** Takes what a script prints. */
export type Collect = (chunk: string) => void;

/**
 * Runs a Node.js script with our own terminal, so that it shows its progress as it would by hand, or with its output
 * collected. Answers its exit code; 124 where it had to be ended.
 */
export function attach(
	args: readonly string[],
	limitMs: number,
	collect?: Collect,
): Promise<number> {
	const output = collect ? "pipe" : "inherit";
	return new Promise((done) => {
		const child = spawn(process.execPath, args, {
			cwd: repository,
			stdio: ["ignore", output, output],
		});
		for (const stream of [child.stdout, child.stderr])
			stream?.setEncoding("utf8").on("data", (chunk: string) => collect?.(chunk));
		const end = () => {
			if (child.pid !== undefined) endTree(child.pid);
		};
		const withdraw = onExit(end);
		let late = false;
		const timer = setTimeout(() => {
			late = true;
			console.error(`Ended after ${limitMs / 60_000} minutes without a result.`);
			end();
		}, limitMs);
		const finish = (code: number) => {
			clearTimeout(timer);
			withdraw();
			done(late ? 124 : code);
		};
		child.on("error", (error) => {
			console.error(error.message);
			finish(127);
		});
		child.on("close", (code) => finish(code ?? 1));
	});
}
