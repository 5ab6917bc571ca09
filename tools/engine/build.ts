import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Result, run } from "../process/run";
import { executable, findIn, pathFolders } from "./environment";
import type { Progress } from "./progress";
import { engineVersion, languageHostVersion } from "./versions";

/** A program that one of the Go modules here pins. */
export interface Part {
	readonly title: string;
	/** Folder of the Go module that pins it. */
	readonly module: string;
	readonly package: string;
	readonly program: string;
	readonly version: string;
}

const parts: readonly Part[] = [
	{
		title: `Pulumi CLI ${engineVersion}`,
		module: "cli",
		package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
		program: "pulumi",
		version: engineVersion,
	},
	{
		title: `Node.js language host ${languageHostVersion}`,
		module: "language-nodejs",
		package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
		program: "pulumi-language-nodejs",
		version: languageHostVersion,
	},
];

export const modules = join(__dirname, "go");
const sdk = "github.com/pulumi/pulumi/sdk/v3";
const versionVariable = `${sdk}/go/common/version.Version`;

export interface BuildOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly progress: Progress;
	readonly signal?: AbortSignal | undefined;
}

/** Compiles the engine into `<root>/bin` from the sources that the committed go.sum files pin. */
export async function buildWithGo(root: string, { env, progress, signal }: BuildOptions): Promise<void> {
	const tool = goTool({ env, progress, signal });
	const bin = join(root, "bin");
	mkdirSync(bin, { recursive: true });
	progress.phase(
		"Building the Pulumi engine with Go: once for this machine, some minutes. It is kept for later runs.",
	);
	for (const [index, part] of parts.entries()) {
		await compile(tool, part, bin, `[${index + 1}/${parts.length}] ${part.title}`);
	}
	await copyProviderScript(tool, bin);
}

export function goTool({ env, progress, signal }: BuildOptions): GoTool {
	const command = findIn(pathFolders(env), "go");
	if (command === undefined) throw new Error("no `go` found on PATH");
	return { command, env, progress, signal };
}

/** What a Go command runs with. */
export interface GoTool extends BuildOptions {
	readonly command: string;
}

export async function compile(tool: GoTool, part: Part, bin: string, label: string): Promise<void> {
	const cwd = join(modules, part.module);
	const { progress } = tool;
	progress.phase(`${label}: fetching sources`);
	let fetched = 0;
	const packages = await go(tool, cwd, ["list", "-mod=readonly", "-deps", part.package], (line) => {
		if (line.startsWith("go: downloading ")) progress.update(`${++fetched} modules fetched`);
	});
	const total = packages.trim().split("\n").length;
	progress.phase(`${label}: compiling ${total} packages`);
	let compiled = 0;
	const args = [
		"build",
		"-v",
		"-mod=readonly",
		"-trimpath",
		"-buildvcs=false",
		"-ldflags",
		`-X ${versionVariable}=v${part.version}`,
		"-o",
		join(bin, executable(part.program)),
		part.package,
	];
	await go(tool, cwd, args, (line) => {
		progress.update(`${++compiled} of ${total} packages: ${line}`);
	});
}

/** The script that starts the dynamic-provider host. */
async function copyProviderScript(tool: GoTool, bin: string): Promise<void> {
	const script = `pulumi-resource-pulumi-nodejs${process.platform === "win32" ? ".cmd" : ""}`;
	await copySdkScript(tool, bin, "nodejs", "dist", script);
}

/** A script of the SDK of the engine's version; the Go module cache holds it without its mode. */
export async function copySdkScript(tool: GoTool, bin: string, ...path: string[]): Promise<void> {
	const cwd = join(modules, "cli");
	const folder = (await go(tool, cwd, ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", sdk])).trim();
	const script = join(bin, path.at(-1) ?? "");
	copyFileSync(join(folder, ...path), script);
	chmodSync(script, 0o755);
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
