import { type ExecFileException, execFile } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import type { ConnectionSources, SettingName } from "../client";
import { CONNECTION_VARIABLES, SETTING_NAMES } from "../client/connection";
import {
	EncryptedStateError,
	readPrinted,
	readState,
	type StackState,
} from "../team/stack-state";
import { findProject } from "./project-file";
import { progress } from "./terminal";

export interface PulumiOptions {
	readonly stack?: string | undefined;
	readonly signal: AbortSignal;
}

/** Asks the Pulumi CLI about the project in the current folder, and answers what it prints. */
export async function askPulumi(
	args: readonly string[],
	{ stack, signal }: PulumiOptions,
): Promise<string> {
	const where = stack === undefined ? [] : ["--stack", stack];
	return runPulumi([...args, ...where], { signal }).catch((error: Error) => {
		const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
		throw new Error(`\`${command}\` failed: ${error.message}`);
	});
}

const configSchema = z.record(
	z.string(),
	z.looseObject({ value: z.string().optional() }),
);

/**
 * Where the connection comes from, as for the provider itself: what the command line says (`explicit`), the environment,
 * then the stack's config, then the files of the service's own client. The CLI is asked only if there is a project, and
 * only if the command line and the environment leave a setting open.
 */
export async function connectionSources({
	explicit,
	...options
}: PulumiOptions & Pick<ConnectionSources, "explicit">): Promise<ConnectionSources> {
	const isSet = (name: SettingName) =>
		explicit?.[name] ?? process.env[CONNECTION_VARIABLES[name]]?.trim();
	if (SETTING_NAMES.every(isSet)) return { explicit };
	if (findProject(process.cwd()) === undefined) {
		if (options.stack === undefined) return { explicit };
		// Another service or team than the one that was meant would be asked, or changed.
		throw new Error(
			`There is no Pulumi project in this folder, nor above it, so stack ${JSON.stringify(options.stack)} cannot be read. ` +
				"Run the command in the project's folder, or leave --stack out.",
		);
	}
	const text = await askPulumi(["config", "--json", "--show-secrets"], options);
	const config = readPrinted(configSchema, text, "config");
	return { explicit, config: (key) => config[`datachain:${key}`]?.value };
}

/** The stack's state, and where its service is. */
export async function readStack(options: PulumiOptions) {
	progress.step("Reading the stack's state…");
	const [state, sources] = await Promise.all([
		exportState(options),
		connectionSources(options),
	]);
	return { state, sources };
}

/** To decrypt a state takes the CLI longer than to print it, and most stacks have no secrets of ours: they are asked for if needed. */
async function exportState(options: PulumiOptions): Promise<StackState> {
	const exported = async (...flags: string[]) =>
		readState(await askPulumi(["stack", "export", ...flags], options), options.stack);
	try {
		return await exported();
	} catch (error) {
		if (!(error instanceof EncryptedStateError)) throw error;
		return exported("--show-secrets");
	}
}

/** A state of thousands of resources is a few MiB; anything beyond this is not one. */
const OUTPUT_LIMIT = 512 * 1024 * 1024;
const TIME_LIMIT_MILLIS = 5 * 60_000;

interface RunOptions {
	/** Where it runs; the current folder unless given. */
	readonly folder?: string | undefined;
	/** Written to its standard input, as arguments can be seen by others; no message repeats it. */
	readonly input?: string | undefined;
	/** Variables beside the user's own; no message repeats their values. */
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the Pulumi CLI with the user's own environment, and answers what it prints. Fails with the reason alone, one
 * line that can follow a colon; what was being done is the caller's to say.
 */
export function runPulumi(
	args: readonly string[],
	options: RunOptions = {},
): Promise<string> {
	const { folder: cwd, input = "", signal, env: own = {} } = options;
	const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true", ...own };
	return new Promise((resolve, reject) => {
		const child = execFile(
			"pulumi",
			[...args, "--non-interactive"],
			// A buffer, because no text can be as long as the limit.
			{
				cwd,
				env,
				signal,
				timeout: TIME_LIMIT_MILLIS,
				maxBuffer: OUTPUT_LIMIT,
				encoding: "buffer",
				windowsHide: true,
			},
			(error, stdout, stderr) => {
				if (error === null) return resolve(stdout.toString());
				const complaint =
					input === ""
						? stderr.toString()
						: stderr.toString().replaceAll(input, "[secret]");
				reject(new Error(explain(error, complaint)));
			},
		);
		// A child that ends without reading would otherwise end us.
		child.stdin?.on("error", () => {}).end(input);
	});
}

/** Why it failed: what the CLI says on stderr, if it could be run. Its stdout may hold secrets and is never repeated. */
function explain(error: ExecFileException, complaint: string): string {
	const { name, message, killed, code } = error;
	if (name === "AbortError") return "it was stopped.";
	if (code === "ENOENT")
		return "the Pulumi CLI is not on PATH. Install it (https://www.pulumi.com/docs/install/) and try again.";
	if ("syscall" in error) return `the Pulumi CLI could not be run (${message}).`;
	if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
		return "it printed more than can be read.";
	if (killed) return "the Pulumi CLI did not end in time.";
	const text = stripVTControlCharacters(complaint).replace(/^error: /gm, "");
	const line = text.replace(/\s+/g, " ").trim().slice(0, 600);
	if (line !== "") return line;
	return typeof code === "number"
		? `it ended with code ${code}.`
		: "it was ended before it was done.";
}
