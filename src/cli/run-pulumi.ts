import { spawn } from "node:child_process";

/** A state of thousands of resources is a few MiB; anything beyond this is not one. */
const OUTPUT_LIMIT = 512 * 1024 * 1024;
const TIME_LIMIT_MILLIS = 5 * 60_000;
const MOST_COMPLAINT = 10_000;

export interface RunOptions {
	/** Where it runs; the current folder unless given. */
	readonly folder?: string | undefined;
	/** Written to its standard input, as arguments can be seen by others; no message repeats it. */
	readonly input?: string | undefined;
	readonly signal?: AbortSignal | undefined;
	readonly limitMillis?: number | undefined;
}

/**
 * Runs the Pulumi CLI with the user's own environment, and answers what it prints. Fails with the reason alone, one
 * line that can follow a colon; what was being done is the caller's to say.
 */
export function runPulumi(args: readonly string[], options: RunOptions = {}): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn("pulumi", [...args, "--non-interactive"], {
			cwd: options.folder,
			env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
			stdio: "pipe",
			signal: options.signal,
			windowsHide: true,
		});
		// Not spawn's own timeout: where the program does not exist, that one keeps the process alive until it ends.
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			child.kill();
		}, options.limitMillis ?? TIME_LIMIT_MILLIS);
		const out: Buffer[] = [];
		let [size, complaint] = [0, ""];
		child.stdout.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > OUTPUT_LIMIT) child.kill();
			else out.push(chunk);
		});
		child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			complaint = (complaint + chunk).slice(0, MOST_COMPLAINT);
		});
		child.on("error", (error) => {
			clearTimeout(timer);
			reject(new Error(startFailure(error)));
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
			else if (isLate) reject(new Error("the Pulumi CLI did not end in time."));
			else reject(new Error(explain(withoutValue(complaint, options.input), code)));
		});
		// A child that ends without reading would otherwise end us.
		child.stdin.on("error", () => {});
		child.stdin.end(options.input ?? "");
	});
}

function startFailure(error: Error): string {
	if (error.name === "AbortError") return "it was stopped.";
	if ("code" in error && error.code === "ENOENT") {
		return "the Pulumi CLI is not on PATH. Install it (https://www.pulumi.com/docs/install/) and try again.";
	}
	return `the Pulumi CLI could not be run (${error.message}).`;
}

/** What the CLI says on stderr; its stdout may hold secrets and is never repeated. */
function explain(complaint: string, code: number | null): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
	const text = complaint.replace(/\u001b\[[0-9;]*m/g, "").replace(/^error: /gm, "");
	const line = text.replace(/\s+/g, " ").trim().slice(0, 600);
	if (line !== "") return line;
	return code === null ? "it was ended before it was done." : `it ended with code ${code}.`;
}

const withoutValue = (text: string, value = ""): string =>
	value === "" ? text : text.replaceAll(value, "[secret]");
