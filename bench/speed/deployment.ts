import { copyFileSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { addPlugin, temporaryProject } from "../../test/helpers/engine";
import type { Engine } from "../../tools/engine";
import { withPath } from "../../tools/engine/environment";
import { descendants } from "../../tools/process/kill-tree";
import { succeeded } from "../../tools/process/must";
import { readProcFile } from "../../tools/process/proc";
import { type Running, start } from "../../tools/process/run";
import type { TempFolder } from "../../tools/process/temp-folder";
import { linkPackages, repository } from "../../tools/repository";
import { createStack, type Operation } from "../../tools/stack";
import { endedChildrenMs } from "../cpu-time";
import type { Cost, Step, Variant } from "./samples";

/** What each deployment is made from. */
export interface DeploymentContext {
	readonly n: number;
	readonly engine: Engine;
	/** Where the server is, and what else the engine's processes get. */
	readonly environment: NodeJS.ProcessEnv;
	/** Folder of the floor's plugin. */
	readonly pluginFolder?: string | undefined;
	/** Checkout of the package that the program uses; this one unless given. */
	readonly packageFolder?: string | undefined;
}

/** The update changes the cron expression of every schedule from the one to the other. */
const [cronBefore, cronAfter] = ["0 3 * * *", "0 4 * * *"];

const host = /^\S*node\S* .*cmd[\\/]dynamic-provider/;

/** The program, the plugin that a blank program names, and the command line of the process that holds the provider. */
const variants: Readonly<
	Record<
		Variant | "mixed",
		{ program: string; plugin: string; provider: RegExp; hasDrift?: boolean }
	>
> = {
	ours: { program: "ours.js", plugin: "", provider: host, hasDrift: true },
	plugin: {
		program: "plugin.js",
		plugin: "",
		provider: /pulumi-resource-datachain/,
		hasDrift: true,
	},
	other: { program: "ours.js", plugin: "", provider: host, hasDrift: true },
	mixed: { program: "mixed.js", plugin: "", provider: host, hasDrift: true },
	naive: { program: "naive.js", plugin: "", provider: host },
	idle: { program: "blank.js", plugin: "pulumi-nodejs", provider: host },
	floor: {
		program: "blank.js",
		plugin: "schedulefloor",
		provider: /pulumi-resource-schedulefloor/,
	},
};

/**
 * Each step is one operation of the engine: without --skip-preview an up would be two. `--expect-no-changes` makes a
 * settled step fail where it is not, so that nothing else is measured in its name.
 */
const operations: Readonly<
	Record<Exclude<Step, "drift">, readonly [Operation, ...string[]]>
> = {
	up: ["up", "--skip-preview"],
	"no-op": ["up", "--skip-preview", "--expect-no-changes"],
	preview: ["preview", "--expect-no-changes"],
	update: ["up", "--skip-preview"],
	refresh: ["refresh", "--skip-preview", "--expect-no-changes"],
	"preview-refresh": ["preview", "--refresh", "--expect-no-changes"],
	destroy: ["destroy", "--skip-preview"],
};

/** Quadratic at 3,000 on a slow disk is some ten minutes; this is for far worse. */
const timeoutMs = 60 * 60_000;

/** N schedules in one variant's hands, in a backend of their own, run by the real engine. */
export async function deploy(
	name: Variant | "mixed",
	{
		engine,
		n,
		pluginFolder,
		packageFolder = repository,
		environment,
	}: DeploymentContext,
) {
	const { program, plugin, provider, hasDrift = false } = variants[name];
	const project = projectOf(program, packageFolder);
	if (name === "plugin") addPlugin(project.path);
	const path = pluginFolder ? withPath({ PATH: process.env.PATH }, pluginFolder) : {};
	const env = {
		...path,
		...environment,
		BENCH_N: String(n),
		BENCH_CRON: cronBefore,
		BENCH_PLUGIN: plugin,
	};
	const stack = await createStack({ projectDir: project.path, engine, env, timeoutMs });
	const stateSize = () => statSync(stack.checkpointFile).size;
	const empty = stateSize();
	const begin = (step: Step): Running => {
		if (step === "update") stack.env.BENCH_CRON = cronAfter;
		if (step !== "drift") {
			const [operation, ...args] = operations[step];
			return stack.start(operation, args);
		}
		const command = join(packageFolder, "dist", "commands", "main.js");
		return start(
			process.execPath,
			[command, "drift", "--stack", stack.name, "--json"],
			{
				cwd: project.path,
				env: stack.env,
				timeoutMs,
			},
		);
	};
	return {
		/** Undefined for a step that the variant does not have: `pulumi-datachain drift` knows no resources but ours. */
		async run(step: Step): Promise<Cost | undefined> {
			if (step === "drift" && !hasDrift) return undefined;
			const cost = await timed(step, () => begin(step), provider);
			return {
				...cost,
				stateBytes: step === "up" ? (stateSize() - empty) / n : undefined,
			};
		},
		dispose: () => {
			stack.dispose();
			project.remove();
		},
	};
}

/** A Pulumi project of its own with one of the programs, and what a user's project has installed. */
function projectOf(program: string, packageFolder: string): TempFolder {
	const programs = join(__dirname, "programs");
	const folder = temporaryProject(
		"bench",
		readFileSync(join(programs, program), "utf8"),
		program,
	);
	copyFileSync(join(programs, "provider.cjs"), join(folder.path, "provider.cjs"));
	linkPackages(folder.path, "typescript", "ts-node");
	if (packageFolder !== repository) {
		// With its own SDK, as a program and its package have to share one.
		const modules = join(folder.path, "node_modules");
		replaceLink(join(modules, "pulumi-datachain"), packageFolder);
		const sdk = join("@pulumi", "pulumi");
		replaceLink(join(modules, sdk), join(packageFolder, "node_modules", sdk));
	}
	return folder;
}

function replaceLink(path: string, target: string): void {
	rmSync(path);
	symlinkSync(target, path, "dir");
}

const lookMs = 200;

/**
 * Runs a command that must succeed. The CPU time is that of all processes below it, which the engine waits for; the
 * memory is the most that the process whose command line matches ever held. Without /proc both stay empty.
 */
async function timed(
	what: string,
	begin: () => Running,
	provider: RegExp,
): Promise<Cost> {
	const [started, before] = [performance.now(), endedChildrenMs()];
	const running = begin();
	let memoryBytes: number | undefined;
	const look = () => {
		for (const pid of descendants(running.pid ?? -1)) {
			const peak = provider.test(commandLine(pid)) ? peakMemory(pid) : 0;
			if (peak > 0) memoryBytes = Math.max(memoryBytes ?? 0, peak);
		}
	};
	const timer = process.platform === "linux" ? setInterval(look, lookMs) : undefined;
	const result = await running.finished;
	clearInterval(timer);
	const [wallMs, after] = [performance.now() - started, endedChildrenMs()];
	succeeded(what, result);
	const cpuMs =
		after !== undefined && before !== undefined ? after - before : undefined;
	return { wallMs, cpuMs, memoryBytes };
}

const commandLine = (pid: number): string =>
	(readProcFile(pid, "cmdline") ?? "").replaceAll("\0", " ").trim();

function peakMemory(pid: number): number {
	const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProcFile(pid, "status") ?? "")?.[1];
	return Number(kilobytes ?? 0) * 1024;
}
