import { type Result, run } from "../process/run";
import type { Progress } from "./progress";

/** What a Go command runs with. */
export interface GoTool {
	readonly command: string;
	readonly env: NodeJS.ProcessEnv;
	readonly progress: Progress;
	readonly signal?: AbortSignal | undefined;
}

/** Cold, on two slow cores, the larger module takes about five minutes; this is for far worse. */
const stepMs = 45 * 60_000;

export async function go(
	tool: GoTool,
	cwd: string,
	args: readonly string[],
	onLine?: (line: string) => void,
) {
	const result = await run(tool.command, args, {
		cwd,
		// A go.work of the surroundings, or vendoring switched on by the user, would change what is built.
		env: { ...tool.env, GOWORK: "off", GO111MODULE: "on" },
		timeoutMs: stepMs,
		signal: tool.signal,
		onOutput: onLine && lineSplitter(onLine),
	});
	if (result.code !== 0) throw new Error(reason(args, result));
	return result.stdout;
}

function lineSplitter(onLine: (line: string) => void) {
	let rest = "";
	return (chunk: string, stream: "stdout" | "stderr") => {
		if (stream !== "stderr") return;
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) onLine(line);
	};
}

function reason(args: readonly string[], result: Result): string {
	const what = `\`go ${args.slice(0, 2).join(" ")}\``;
	if (result.timedOut) return `${what} was not done after ${stepMs / 60_000} minutes`;
	// Progress lines come first; the cause is the last thing that Go says.
	const said = result.stderr.split("\n").filter((line) => line.trim() !== "" && !isProgress(line));
	return `${what} failed: ${said.at(-1)?.slice(0, 300) ?? `exit code ${result.code}`}`;
}

function isProgress(line: string): boolean {
	return line.startsWith("go: downloading ") || /^[\w.-]+(\/[\w.~-]+)*$/.test(line);
}
