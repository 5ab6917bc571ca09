import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../tools/engine";
import { withPath } from "../../tools/engine/environment";
import { start } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { checkpointSchema, createStack, managedResources, type Stack } from "../../tools/stack";
import { watchProcesses } from "./measure";
import type { Cost, Deployment, StepName, VariantName } from "./model";
import { programProject } from "./project";

/** What each deployment is made from. */
export interface DeploymentContext {
	readonly n: number;
	readonly engine: Engine;
	/** Where the server is. */
	readonly environment: Readonly<Record<string, string>>;
	readonly skipCheckpoints: boolean;
	readonly language: "ts" | "js";
	/** Folder of the floor's plugin. */
	readonly pluginFolder: string | undefined;
}

/** The update changes the cron expression of every schedule from the one to the other. */
const cronBefore = "0 3 * * *";
const cronAfter = "0 4 * * *";

interface Variant {
	/** Folder of the program. */
	readonly program: string;
	/** The plugin that the blank program names. */
	readonly plugin?: string;
	/** The command line of the process that holds the provider. */
	readonly provider: RegExp;
	/** Whether `pulumi-datachain drift` knows these resources. */
	readonly drift: boolean;
}

const dynamicHost = /^\S*node\S* .*cmd[\\/]dynamic-provider/;

const variants: Readonly<Record<VariantName, Variant>> = {
	ours: { program: "ours", provider: dynamicHost, drift: true },
	idle: { program: "blank", plugin: "pulumi-nodejs", provider: dynamicHost, drift: false },
	naive: { program: "naive", provider: dynamicHost, drift: false },
	floor: {
		program: "blank",
		plugin: "schedulefloor",
		provider: /pulumi-resource-schedulefloor/,
		drift: false,
	},
};

export const deploy = (variant: VariantName, context: DeploymentContext): Promise<Deployment> =>
	deployProgram(variants[variant], context);

/** A program of nothing but lookups. */
export const deployLookups = (context: DeploymentContext): Promise<Deployment> =>
	deployProgram({ program: "lookups", provider: dynamicHost, drift: false }, context);

/**
 * Each step is one operation of the engine: without --skip-preview an up would be two. `--expect-no-changes` makes a
 * settled step fail where it is not, so that nothing else is measured in its name.
 */
const operations: Partial<Record<StepName, readonly string[]>> = {
	up: ["up", "--skip-preview", "--yes"],
	"no-op": ["up", "--skip-preview", "--yes", "--expect-no-changes"],
	preview: ["preview", "--expect-no-changes"],
	update: ["up", "--skip-preview", "--yes"],
	refresh: ["refresh", "--skip-preview", "--yes", "--expect-no-changes"],
	"preview-refresh": ["preview", "--refresh", "--expect-no-changes"],
	destroy: ["destroy", "--skip-preview", "--yes"],
	lookups: ["up", "--skip-preview", "--yes"],
};

/** Quadratic at 3,000 on a slow disk is some ten minutes; this is for far worse. */
const stepMs = 60 * 60_000;

/** A stack in a backend of its own, run by the real engine. */
async function deployProgram(variant: Variant, context: DeploymentContext): Promise<Deployment> {
	const project = programProject(variant.program, context.language);
	const stack = await createStack({
		projectDir: project.path,
		engine: context.engine,
		env: environmentOf(context),
	});
	const empty = stateSize(stack.checkpointFile);
	let cron = cronBefore;
	const run = async (step: StepName, command: string, args: readonly string[]): Promise<Cost> => {
		if (step === "update") cron = cronAfter;
		const env = {
			...stack.env,
			BENCH_N: String(context.n),
			BENCH_CRON: cron,
			BENCH_PLUGIN: variant.plugin ?? "",
		};
		const cost = await timed(command, args, { cwd: project.path, env, timeoutMs: stepMs }, variant.provider);
		const size = step === "up" ? stateSize(stack.checkpointFile) : undefined;
		return {
			...cost,
			stateBytes: size && (size.bytes - empty.bytes) / context.n,
			bareStateBytes: size && size.bareBytes / context.n,
		};
	};
	return {
		run: (step) => {
			const operation = operations[step];
			if (operation) return run(step, context.engine.command, [...operation, ...common(stack)]);
			return step === "drift" && variant.drift ? run(step, process.execPath, drift(stack)) : undefined;
		},
		dispose: () => {
			stack.dispose();
			project.remove();
		},
	};
}

function environmentOf({ environment, pluginFolder, skipCheckpoints }: DeploymentContext): NodeJS.ProcessEnv {
	// Of the user's environment only the path: whatever else is given here wins over the stack's own backend and home.
	const path = Object.entries(process.env).filter(([name]) => name.toUpperCase() === "PATH");
	return {
		...(pluginFolder ? withPath(Object.fromEntries(path), pluginFolder) : {}),
		...environment,
		...(skipCheckpoints ? { PULUMI_SKIP_CHECKPOINTS: "true" } : {}),
	};
}

function common({ name, configFile }: Stack): string[] {
	return ["--stack", name, "--config-file", configFile, "--non-interactive", "--suppress-progress"];
}

function drift({ name }: Stack): string[] {
	return [join(repository, "dist", "commands", "main.js"), "drift", "--stack", name, "--json"];
}

async function timed(
	command: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
	provider: RegExp,
): Promise<Omit<Cost, "stateBytes" | "bareStateBytes">> {
	const started = performance.now();
	const running = start(command, args, options);
	const watch = watchProcesses(running.pid ?? -1, provider);
	const { code, stdout, stderr, timedOut } = await running.finished;
	const wallMs = performance.now() - started;
	const usage = watch.stop();
	if (code === 0) return { wallMs, ...usage };
	const why = timedOut ? `it was not done after ${stepMs / 60_000} minutes` : `it ended with ${code}`;
	throw new Error(`\`${args.join(" ")}\` failed: ${why}.\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`);
}

interface StateSize {
	/** The whole file. */
	readonly bytes: number;
	/** The resources alone, without the lines of the program that the SDK puts into the state. */
	readonly bareBytes: number;
}

/**
 * How large a checkpoint is. A stack trace a resource is as long as the way to node_modules, and ours leaves most of
 * it out: without it the two sizes say what the dynamic form itself adds.
 */
function stateSize(file: string): StateSize {
	const text = readFileSync(file, "utf8");
	const bare = managedResources(checkpointSchema.parse(JSON.parse(text))).map(
		({ sourcePosition: _, stackTrace: __, ...rest }) => Buffer.byteLength(JSON.stringify(rest)),
	);
	return { bytes: Buffer.byteLength(text), bareBytes: bare.reduce((sum, size) => sum + size, 0) };
}
