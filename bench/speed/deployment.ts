import { copyFileSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryProject } from "../../test/helpers/engine";
import type { Engine } from "../../tools/engine";
import { withPath } from "../../tools/engine/environment";
import type { TempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { createStack } from "../../tools/stack";
import { timed } from "./measure";
import type { Cost, Step, Variant } from "./samples";

/** What each deployment is made from. */
export interface DeploymentContext {
	readonly n: number;
	readonly engine: Engine;
	/** Where the server is, and what else the engine's processes get. */
	readonly environment: NodeJS.ProcessEnv;
	/** Folder of the floor's plugin. */
	readonly pluginFolder: string | undefined;
}

/** N schedules in one variant's hands. */
export interface Deployment {
	/** Undefined for a step that the variant does not have. */
	run(step: Step): Promise<Cost> | undefined;
	dispose(): void;
}

/** The update changes the cron expression of every schedule from the one to the other. */
const [cronBefore, cronAfter] = ["0 3 * * *", "0 4 * * *"];

const host = /^\S*node\S* .*cmd[\\/]dynamic-provider/;

/** The program, the plugin that a blank program names, and the command line of the process that holds the provider. */
const variants: Readonly<Record<Variant, { program: string; plugin: string; provider: RegExp }>> = {
	ours: { program: "ours.js", plugin: "", provider: host },
	idle: { program: "blank.js", plugin: "pulumi-nodejs", provider: host },
	floor: { program: "blank.js", plugin: "schedulefloor", provider: /pulumi-resource-schedulefloor/ },
};

/**
 * Each step is one operation of the engine: without --skip-preview an up would be two. `--expect-no-changes` makes a
 * settled step fail where it is not, so that nothing else is measured in its name.
 */
const operations: Partial<Record<Step, readonly string[]>> = {
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
export async function deploy(name: Variant, context: DeploymentContext): Promise<Deployment> {
	const { engine, n, pluginFolder, environment } = context;
	const { program, plugin, provider } = variants[name];
	const project = projectOf(program);
	const path = pluginFolder ? withPath({ PATH: process.env.PATH }, pluginFolder) : {};
	const stack = await createStack({ projectDir: project.path, engine, env: { ...path, ...environment } });
	const stateSize = () => statSync(stack.checkpointFile).size;
	const empty = stateSize();
	const where = ["--stack", stack.name, "--config-file", stack.configFile];
	const quiet = ["--non-interactive", "--suppress-progress"];
	const drift = [join(repository, "dist", "commands", "main.js"), "drift", "--stack", stack.name, "--json"];
	let cron = cronBefore;
	const run = async (step: Step, command: string, args: readonly string[]): Promise<Cost> => {
		if (step === "update") cron = cronAfter;
		const env = { ...stack.env, BENCH_N: String(n), BENCH_CRON: cron, BENCH_PLUGIN: plugin };
		const cost = await timed(command, args, { cwd: project.path, env, timeoutMs: stepMs }, provider);
		return { ...cost, stateBytes: step === "up" ? (stateSize() - empty) / n : undefined };
	};
	return {
		run: (step) => {
			const operation = operations[step];
			if (operation) return run(step, engine.command, [...operation, ...where, ...quiet]);
			// `pulumi-datachain drift` knows no resources but ours.
			return name === "ours" ? run(step, process.execPath, drift) : undefined;
		},
		dispose: () => {
			stack.dispose();
			project.remove();
		},
	};
}

/** A Pulumi project of its own with one of the programs, and what a user's project has installed. */
function projectOf(program: string): TempFolder {
	const programs = join(__dirname, "programs");
	const folder = temporaryProject("bench", readFileSync(join(programs, program), "utf8"), program);
	copyFileSync(join(programs, "provider.cjs"), join(folder.path, "provider.cjs"));
	for (const name of ["typescript", "ts-node"])
		symlinkSync(join(repository, "node_modules", name), join(folder.path, "node_modules", name), "dir");
	return folder;
}
