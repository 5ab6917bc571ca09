import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { executable, findIn, pathFolders } from "./environment";
import { type GoTool, go } from "./go-tool";
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
