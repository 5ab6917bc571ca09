import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "../process/run";
import { type TempFolder, tempFolder } from "../process/temp-folder";
import { ensure, stackCommands } from "./commands";
import { checkpointSchema, deploymentSchema } from "./deployment";
import { backendOf, stackEnvironment } from "./environment";
import type { Stack, StackOptions } from "./types";

export type { Result, Running } from "../process/run";
export * from "./deployment";
export type { Operation, Stack, StackOptions } from "./types";

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
	const checkpointFile = join(
		backendOf(folder.path),
		".pulumi",
		"stacks",
		projectName(options),
		`${name}.json`,
	);
	const { env, own } = stackEnvironment(folder.path, options.engine, options.env ?? {});
	const commands = stackCommands({ options, name, configFile, env });
	return {
		name,
		projectDir: options.projectDir,
		folder: folder.path,
		configFile,
		checkpointFile,
		env,
		ownEnv: own,
		up: (args) => commands.operation("up", args).finished,
		preview: (args) => commands.operation("preview", args).finished,
		refresh: (args) => commands.operation("refresh", args).finished,
		destroy: (args) => commands.operation("destroy", args).finished,
		start: commands.operation,
		run: (args) => commands.start(args).finished,
		setConfig: async (key, value, { secret = false } = {}) => {
			const kind = secret ? "--secret" : "--plaintext";
			const args = ["config", "set", key, value, kind, "--config-file", configFile, "--non-interactive"];
			await commands.ask(args, `pulumi config set ${key}`);
		},
		export: async () => {
			const text = await commands.ask(["stack", "export"], "pulumi stack export");
			return deploymentSchema.parse(JSON.parse(text));
		},
		checkpoint: () => checkpointSchema.parse(JSON.parse(readFileSync(checkpointFile, "utf8"))),
		outputs: async () =>
			JSON.parse(await commands.ask(["stack", "output", "--json", "--show-secrets"], "pulumi stack output")),
		dispose: () => {
			commands.killAll();
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
	writeFileSync(join(stack.folder, "Pulumi.yaml"), `name: ${projectName(options)}\nruntime: nodejs\n`);
	const args = ["stack", "init", stack.name, "--non-interactive"];
	const result = await run(options.engine.command, args, {
		cwd: stack.folder,
		env: stack.env,
		timeoutMs: 60_000,
	});
	ensure(result, `pulumi stack init ${stack.name}`);
}

function projectName({ projectDir }: StackOptions): string {
	const project = readFileSync(join(projectDir, "Pulumi.yaml"), "utf8");
	return /^name:\s*(.+)$/m.exec(project)?.[1] ?? basename(projectDir);
}
