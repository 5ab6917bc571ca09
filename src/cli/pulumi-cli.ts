import { spawn } from "node:child_process";
import { z } from "zod";
import type { ConnectionSources } from "../api";
import { CONNECTION_VARIABLES } from "../api/settings";

/** A state of thousands of resources is a few MiB; anything beyond this is not one. */
const OUTPUT_LIMIT = 512 * 1024 * 1024;
const TIME_LIMIT_MILLIS = 5 * 60_000;

export interface PulumiOptions {
	readonly stack?: string | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** Runs the Pulumi CLI in the current folder, with the user's own environment, and answers what it prints. */
export async function runPulumi(args: readonly string[], options: PulumiOptions = {}): Promise<string> {
	const where = options.stack === undefined ? [] : ["--stack", options.stack];
	const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
	return new Promise((resolve, reject) => {
		const child = spawn("pulumi", [...args, ...where, "--non-interactive"], {
			stdio: ["ignore", "pipe", "pipe"],
			windowsHide: true,
			env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
			...(options.signal && { signal: options.signal }),
		});
		// Not spawn's own timeout: where the program does not exist, that one keeps the process alive until it ends.
		const timer = setTimeout(() => child.kill(), TIME_LIMIT_MILLIS);
		const out: Buffer[] = [];
		let [size, complaint] = [0, ""];
		child.stdout.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > OUTPUT_LIMIT) child.kill();
			else out.push(chunk);
		});
		child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			complaint = (complaint + chunk).slice(0, 10_000);
		});
		child.on("error", (error) => {
			clearTimeout(timer);
			reject(startFailure(command, error));
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
			else reject(new Error(`\`${command}\` failed: ${explain(complaint, code)}`));
		});
	});
}

function startFailure(command: string, error: Error): Error {
	if ("code" in error && error.code === "ENOENT") {
		return new Error(
			`\`${command}\` could not be run: there is no pulumi on the PATH. Install the Pulumi CLI ` +
				"(https://www.pulumi.com/docs/install/) and try again.",
		);
	}
	return new Error(`\`${command}\` could not be run: ${error.message}`);
}

/** What the CLI says on stderr; its stdout may hold secrets and is never repeated. */
function explain(complaint: string, code: number | null): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
	const text = complaint.replace(/\u001b\[[0-9;]*m/g, "").replace(/^error: /gm, "");
	const line = text.replace(/\s+/g, " ").trim().slice(0, 600);
	if (line !== "") return line;
	return code === null ? "it was ended before it was done." : `it ended with code ${code}.`;
}

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/**
 * Where the connection comes from: the environment, then the stack's config, as for the provider itself. The CLI is
 * asked only for what the environment leaves open.
 */
export async function connectionSources(options: PulumiOptions): Promise<ConnectionSources> {
	if (Object.values(CONNECTION_VARIABLES).every((name) => process.env[name]?.trim())) return {};
	const text = await runPulumi(["config", "--json", "--show-secrets"], options);
	const config = configSchema.safeParse(jsonOf(text));
	if (!config.success) {
		throw new Error(
			"The Pulumi CLI did not print a config that can be read. Run `pulumi config` to see why.",
		);
	}
	return { config: (key) => config.data[`datachain:${key}`]?.value };
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
