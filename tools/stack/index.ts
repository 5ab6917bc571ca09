import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { shellWord } from "../../src/text/report";
import type { Engine } from "../engine";
import { succeeded } from "../process/must";
import { type Result, type Running, run, start } from "../process/run";
import { type TempFolder, tempFolder } from "../process/temp-folder";
import { backendOf, stackEnvironment } from "./environment";

export type { Result, Running } from "../process/run";

/** What `pulumi stack export` prints, as far as our tools read it. */
export const deploymentSchema = z.looseObject({
	version: z.number(),
	deployment: z.looseObject({
		resources: z
			.array(
				z.looseObject({
					urn: z.string(),
					type: z.string(),
					custom: z.boolean().optional(),
					id: z.string().optional(),
					inputs: z.record(z.string(), z.unknown()).optional(),
					outputs: z.record(z.string(), z.unknown()).optional(),
				}),
			)
			.optional(),
		pending_operations: z.array(z.unknown()).optional(),
	}),
});

/** A state in the file of the backend: the same, under other names. */
export const checkpointSchema = z
	.looseObject({
		version: z.number(),
		checkpoint: z.looseObject({ latest: deploymentSchema.shape.deployment.optional() }),
	})
	.transform(({ version, checkpoint }) => ({
		version,
		deployment: checkpoint.latest ?? {},
	}));

export type Deployment = z.infer<typeof deploymentSchema>;
export type StateResource = NonNullable<Deployment["deployment"]["resources"]>[number];

/** The resources that stand for something outside: no stack, no providers. */
export function managedResources(state: Deployment): StateResource[] {
	return (state.deployment.resources ?? []).filter(
		({ custom, type }) => custom === true && !type.startsWith("pulumi:providers:"),
	);
}

/** The last part of a URN: the name that the program gave. */
export function resourceName({ urn }: StateResource): string {
	return urn.slice(urn.lastIndexOf("::") + 2);
}

/** `pulumi-nodejs:dynamic/datachain:PipelineSchedule` → `PipelineSchedule`. */
export function resourceKind({ type }: StateResource): string {
	return type.slice(type.lastIndexOf(":") + 1);
}

export type Operation = "up" | "preview" | "refresh" | "destroy";

export interface StackOptions {
	/** Folder of the Pulumi.yaml to be run; nothing is written to it. */
	readonly projectDir: string;
	readonly engine: Engine;
	/** Added to the environment of every command. */
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Default `dev`. */
	readonly stackName?: string | undefined;
	/** Told the command line of each operation before it runs. */
	readonly onCommand?: ((line: string) => void) | undefined;
	/** Limit for each command; five minutes unless given. */
	readonly timeoutMs?: number | undefined;
	/** Sees what operations print, as it comes. */
	readonly onOutput?:
		| ((chunk: string, stream: "stdout" | "stderr") => void)
		| undefined;
}

/** A stack in a backend of its own that goes away with `dispose`, or with this process. */
export interface Stack {
	readonly name: string;
	readonly projectDir: string;
	/** Holds home, backend and configuration of the stack. */
	readonly folder: string;
	/** The Pulumi.<stack>.yaml, kept out of the project's folder. */
	readonly configFile: string;
	/** The backend's file that holds the state. */
	readonly checkpointFile: string;
	readonly env: NodeJS.ProcessEnv;
	/** The Pulumi variables of `env`: what to export to go on by hand. */
	readonly ownEnv: Readonly<Record<string, string>>;
	up(args?: readonly string[]): Promise<Result>;
	preview(args?: readonly string[]): Promise<Result>;
	refresh(args?: readonly string[]): Promise<Result>;
	destroy(args?: readonly string[]): Promise<Result>;
	/** One of the four above, still running: to be interrupted or killed. */
	start(operation: Operation, args?: readonly string[]): Running;
	/** Any other command, given in full: `run(["stack", "ls"])`. */
	run(args: readonly string[]): Promise<Result>;
	setConfig(key: string, value: string, options?: { secret?: boolean }): Promise<void>;
	export(): Promise<Deployment>;
	/** The state as that file holds it, without asking the engine. */
	checkpoint(): Deployment;
	/** The stack's outputs, secrets in plain text. */
	outputs(): Promise<Record<string, unknown>>;
	/** Ends what still runs and removes the folder. Destroys nothing remote. */
	dispose(): void;
	/** Leaves the folder in place when this process ends, so that someone can go on by hand. */
	keep(): void;
}

/** Makes a stack for the project, in a backend of its own. */
export async function createStack(options: StackOptions): Promise<Stack> {
	const folder = tempFolder("pulumi-datachain-stack-");
	try {
		const stack = assemble(options, folder);
		await initialise(stack, options);
		return stack;
	} catch (error) {
		folder.remove();
		throw error;
	}
}

function assemble(options: StackOptions, folder: TempFolder): Stack {
	const name = options.stackName ?? "dev";
	const configFile = join(folder.path, `Pulumi.${name}.yaml`);
	const stacks = join(
		backendOf(folder.path),
		".pulumi",
		"stacks",
		projectName(options),
	);
	const checkpointFile = join(stacks, `${name}.json`);
	const { env, own } = stackEnvironment(folder.path, options.engine, options.env ?? {});
	const { command } = options.engine;
	const base = {
		cwd: options.projectDir,
		env,
		timeoutMs: options.timeoutMs ?? 5 * 60_000,
	};
	const live = new Set<Running>();
	/** Shown to whoever watches, and ended by `dispose`. */
	const startCommand = (args: readonly string[]): Running => {
		options.onCommand?.(typed(command, args));
		const running = start(command, args, { ...base, onOutput: options.onOutput });
		live.add(running);
		void running.finished.then(() => live.delete(running));
		return running;
	};
	const operation = (verb: Operation, args: readonly string[] = []): Running => {
		const confirmed =
			verb === "preview" || args.includes("--preview-only") ? [] : ["--yes"];
		const where = ["--stack", name, "--config-file", configFile];
		const quiet = ["--non-interactive", "--suppress-progress"];
		return startCommand([verb, ...confirmed, ...args, ...where, ...quiet]);
	};
	/** Not shown. A failure names the command but not its arguments, which may hold a secret. */
	const ask = async (args: readonly string[], what: string): Promise<string> =>
		succeeded(what, await run(command, [...args, "--stack", name], base));
	return {
		name,
		projectDir: options.projectDir,
		folder: folder.path,
		configFile,
		checkpointFile,
		env,
		ownEnv: own,
		up: (args) => operation("up", args).finished,
		preview: (args) => operation("preview", args).finished,
		refresh: (args) => operation("refresh", args).finished,
		destroy: (args) => operation("destroy", args).finished,
		start: operation,
		run: (args) => startCommand(args).finished,
		setConfig: async (key, value, { secret = false } = {}) => {
			const kind = secret ? "--secret" : "--plaintext";
			const args = [
				"config",
				"set",
				key,
				value,
				kind,
				"--config-file",
				configFile,
				"--non-interactive",
			];
			await ask(args, `pulumi config set ${key}`);
		},
		export: async () =>
			deploymentSchema.parse(
				JSON.parse(await ask(["stack", "export"], "pulumi stack export")),
			),
		checkpoint: () =>
			checkpointSchema.parse(JSON.parse(readFileSync(checkpointFile, "utf8"))),
		outputs: async () =>
			JSON.parse(
				await ask(
					["stack", "output", "--json", "--show-secrets"],
					"pulumi stack output",
				),
			),
		dispose: () => {
			for (const running of live) running.kill();
			folder.remove();
		},
		keep: folder.keep,
	};
}

/**
 * `pulumi stack init` writes Pulumi.<stack>.yaml beside the Pulumi.yaml and takes no other place for it. So it
 * runs beside a copy in our own folder, and every later command is pointed at that file.
 */
async function initialise(stack: Stack, options: StackOptions): Promise<void> {
	writeFileSync(
		join(stack.folder, "Pulumi.yaml"),
		`name: ${projectName(options)}\nruntime: nodejs\n`,
	);
	const args = ["stack", "init", stack.name, "--non-interactive"];
	const result = await run(options.engine.command, args, {
		cwd: stack.folder,
		env: stack.env,
		timeoutMs: 60_000,
	});
	succeeded(`pulumi stack init ${stack.name}`, result);
}

function projectName({ projectDir }: StackOptions): string {
	const project = readFileSync(join(projectDir, "Pulumi.yaml"), "utf8");
	return /^name:\s*(.+)$/m.exec(project)?.[1] ?? basename(projectDir);
}

function typed(command: string, args: readonly string[]): string {
	return [basename(command, ".exe"), ...args].map(shellWord).join(" ");
}
