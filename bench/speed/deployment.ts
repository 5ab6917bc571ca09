import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import type { Engine } from "../../tools/engine";
import { withPath } from "../../tools/engine/environment";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { checkpointSchema, createStack, managedResources } from "../../tools/stack";
import { templateOptions } from "../../tools/template-options";
import { timed } from "./measure";
import type { Cost, StepName, VariantName } from "./model";

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

/** N schedules in one variant's hands. */
export interface Deployment {
	/** Undefined for a step that the variant does not have. */
	run(step: StepName): Promise<Cost> | undefined;
	dispose(): void;
}

/** The update changes the cron expression of every schedule from the one to the other. */
const [cronBefore, cronAfter] = ["0 3 * * *", "0 4 * * *"];

interface Variant {
	/** Folder of the program. */
	readonly program: string;
	/** The plugin that the blank program names. */
	readonly plugin?: string;
	/** The command line of the process that holds the provider. */
	readonly provider: RegExp;
}

const provider = /^\S*node\S* .*cmd[\\/]dynamic-provider/;

const variants: Readonly<Record<VariantName, Variant>> = {
	ours: { program: "ours", provider },
	idle: { program: "blank", plugin: "pulumi-nodejs", provider },
	floor: { program: "blank", plugin: "schedulefloor", provider: /pulumi-resource-schedulefloor/ },
};

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
};

/** Quadratic at 3,000 on a slow disk is some ten minutes; this is for far worse. */
const stepMs = 60 * 60_000;

/** A stack in a backend of its own, run by the real engine. */
export async function deploy(name: VariantName, context: DeploymentContext): Promise<Deployment> {
	const variant = variants[name];
	const project = programProject(variant.program, context.language);
	const stack = await createStack({
		projectDir: project.path,
		engine: context.engine,
		env: environmentOf(context),
	});
	const empty = stateSize(stack.checkpointFile);
	const where = ["--stack", stack.name, "--config-file", stack.configFile];
	const quiet = ["--non-interactive", "--suppress-progress"];
	const drift = [join(repository, "dist", "commands", "main.js"), "drift", "--stack", stack.name, "--json"];
	let cron = cronBefore;
	const run = async (step: StepName, command: string, args: readonly string[]): Promise<Cost> => {
		if (step === "update") cron = cronAfter;
		const own = { BENCH_N: String(context.n), BENCH_CRON: cron, BENCH_PLUGIN: variant.plugin ?? "" };
		const options = { cwd: project.path, env: { ...stack.env, ...own }, timeoutMs: stepMs };
		const cost = await timed(command, args, options, variant.provider);
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
			if (operation) return run(step, context.engine.command, [...operation, ...where, ...quiet]);
			// `pulumi-datachain drift` knows no resources but ours.
			return step === "drift" && name === "ours" ? run(step, process.execPath, drift) : undefined;
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

/**
 * How large a checkpoint is, and its resources alone. A stack trace a resource is as long as the way to node_modules, and
 * ours leaves most of it out: without it the two sizes say what the dynamic form itself adds.
 */
function stateSize(file: string): { bytes: number; bareBytes: number } {
	const text = readFileSync(file, "utf8");
	const bare = managedResources(checkpointSchema.parse(JSON.parse(text))).map(
		({ sourcePosition: _, stackTrace: __, ...rest }) => Buffer.byteLength(JSON.stringify(rest)),
	);
	return { bytes: Buffer.byteLength(text), bareBytes: bare.reduce((sum, size) => sum + size, 0) };
}

/** What a user's project has installed; the rest is found beside it. */
const dependencies = ["@pulumi/pulumi", "@types/node", "typescript", "ts-node"];

/** A Pulumi project of its own with the program of a folder here, as it is or transpiled. */
function programProject(program: string, language: "ts" | "js"): TempFolder {
	const folder = tempFolder(`bench-${program}-`);
	const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
	write(
		"Pulumi.yaml",
		`name: bench\nruntime:\n  name: nodejs\n  options:\n    typescript: ${language === "ts"}\n`,
	);
	write("package.json", JSON.stringify({ name: "bench", private: true, main: `index.${language}` }));
	if (language === "ts")
		write("tsconfig.json", JSON.stringify({ compilerOptions: templateOptions, files: ["index.ts"] }));
	const source = join(__dirname, program);
	for (const file of readdirSync(source)) {
		const text = readFileSync(join(source, file), "utf8");
		if (language === "ts" || !file.endsWith(".ts")) write(file, text);
		else write(file.replace(/ts$/, "js"), transpile(text));
	}
	const link = (target: string, name: string) => {
		const path = join(folder.path, "node_modules", name);
		mkdirSync(dirname(path), { recursive: true });
		symlinkSync(target, path, "dir");
	};
	for (const name of dependencies) link(join(repository, "node_modules", name), name);
	link(repository, "pulumi-datachain");
	return folder;
}

function transpile(text: string): string {
	const options = { target: ScriptTarget.ES2020, module: ModuleKind.CommonJS, esModuleInterop: true };
	return transpileModule(text, { compilerOptions: options }).outputText;
}
