import { basename } from "node:path";
import { shellWord } from "../../src/report/report";
import { type Result, type Running, run, start } from "../process/run";
import type { Operation, StackOptions } from "./types";

export interface CommandContext {
	readonly options: StackOptions;
	readonly name: string;
	readonly configFile: string;
	readonly env: NodeJS.ProcessEnv;
}

export interface Commands {
	/** Shown to whoever watches, and ended by `killAll`. */
	start(args: readonly string[]): Running;
	operation(operation: Operation, args?: readonly string[]): Running;
	/** Not shown; throws where it fails, naming it as `what`. */
	ask(args: readonly string[], what: string): Promise<string>;
	killAll(): void;
}

const commandMs = 5 * 60_000;

/** The CLI, spawned as a user would run it. */
export function stackCommands({ options, name, configFile, env }: CommandContext): Commands {
	const { command } = options.engine;
	const base = { cwd: options.projectDir, env, timeoutMs: options.timeoutMs ?? commandMs };
	const live = new Set<Running>();
	const startCommand = (args: readonly string[]) => {
		options.onCommand?.(typed(command, args));
		const running = start(command, args, { ...base, onOutput: options.onOutput });
		live.add(running);
		void running.finished.then(() => live.delete(running));
		return running;
	};
	return {
		start: startCommand,
		operation: (operation, args = []) => {
			const confirmed = operation === "preview" || args.includes("--preview-only") ? [] : ["--yes"];
			const where = ["--stack", name, "--config-file", configFile];
			const quiet = ["--non-interactive", "--suppress-progress"];
			return startCommand([operation, ...confirmed, ...args, ...where, ...quiet]);
		},
		ask: async (args, what) => ensure(await run(command, [...args, "--stack", name], base), what),
		killAll: () => {
			for (const running of live) running.kill();
		},
	};
}

/** The standard output; a failure names the command but not its arguments, which may hold a secret. */
export function ensure(result: Result, what: string): string {
	if (result.code === 0) return result.stdout;
	const why = result.timedOut ? "it did not end in time" : result.stderr.trim() || `exit code ${result.code}`;
	throw new Error(`\`${what}\` failed: ${why}`);
}

function typed(command: string, args: readonly string[]): string {
	return [basename(command, ".exe"), ...args].map(shellWord).join(" ");
}
