import { chmodSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Result, run } from "../process/run";
import { executable, findIn, pathFolders } from "./environment";

/** Folders of Go modules, each of which pins one program. */
export const modules = join(__dirname, "go");

/** The version that a folder pins: of the first module that it requires from Pulumi or from actionlint's author. */
export function pinnedVersion(folder: string): string {
	const text = readFileSync(join(modules, folder, "go.mod"), "utf8");
	const [, version] =
		/^(?:require |\t)github\.com\/(?:pulumi|rhysd)\/\S+ v(\S+)$/m.exec(text) ?? [];
	if (version === undefined)
		throw new Error(`The go.mod of ${folder} pins no program.`);
	return version;
}

/** The engine that we build or install. */
export const engineVersion = pinnedVersion("cli");

/** A program that one of the Go modules here pins. */
export interface Part {
	readonly title: string;
	/** Folder of the Go module that pins it. */
	readonly module: string;
	readonly package: string;
	/** A script of the SDK that the program needs beside it, by its path there. */
	readonly script?: readonly string[];
}

/** Go names a program after its package. */
export const programOf = (part: Part): string => basename(part.package);

const parts: readonly Part[] = [
	{
		title: "Pulumi CLI",
		module: "cli",
		package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
	},
	{
		title: "Node.js language host",
		module: "language-nodejs",
		package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
		// It starts the dynamic-provider host.
		script: [
			"nodejs",
			"dist",
			`pulumi-resource-pulumi-nodejs${process.platform === "win32" ? ".cmd" : ""}`,
		],
	},
];

const sdk = "github.com/pulumi/pulumi/sdk/v3";
const versionVariable = `${sdk}/go/common/version.Version`;

export interface BuildOptions {
	readonly env: NodeJS.ProcessEnv;
	/** Tells the person who waits. */
	readonly say: (line: string) => void;
}

/** Compiles the engine into `<root>/bin` from the sources that the committed go.sum files pin. */
export async function buildWithGo(root: string, options: BuildOptions): Promise<void> {
	const tool = goTool(options);
	const bin = join(root, "bin");
	mkdirSync(bin, { recursive: true });
	options.say(
		"Building the Pulumi engine with Go: once for this machine, some minutes. It is kept for later runs.",
	);
	for (const part of parts) await compile(tool, part, bin);
}

export function goTool(options: BuildOptions): GoTool {
	const command = findIn(pathFolders(options.env), "go");
	if (command === undefined) throw new Error("no `go` found on PATH");
	return { ...options, command };
}

/** What a Go command runs with. */
export interface GoTool extends BuildOptions {
	readonly command: string;
}

export async function compile(tool: GoTool, part: Part, bin: string): Promise<void> {
	const version = pinnedVersion(part.module);
	tool.say(`Fetching and compiling the sources of the ${part.title} ${version}.`);
	const args = [
		"build",
		"-mod=readonly",
		"-trimpath",
		"-buildvcs=false",
		"-ldflags",
		`-X ${versionVariable}=v${version}`,
		"-o",
		join(bin, executable(programOf(part))),
		part.package,
	];
	await go(tool, join(modules, part.module), args);
	if (part.script !== undefined) await copySdkScript(tool, bin, part.script);
}

/** A script of the SDK of the engine's version; the Go module cache holds it without its mode. */
async function copySdkScript(
	tool: GoTool,
	bin: string,
	path: readonly string[],
): Promise<void> {
	const cwd = join(modules, "cli");
	const folder = (
		await go(tool, cwd, ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", sdk])
	).trim();
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
): Promise<string> {
	const result = await run(tool.command, args, {
		cwd,
		// A go.work of the surroundings, or vendoring switched on by the user, would change what is built.
		env: { ...tool.env, GOWORK: "off", GO111MODULE: "on" },
		timeoutMs: stepMs,
	});
	if (result.code !== 0) throw new Error(reason(args, result));
	return result.stdout;
}

function reason(args: readonly string[], result: Result): string {
	const what = `\`go ${args.slice(0, 2).join(" ")}\``;
	if (result.timedOut) return `${what} was not done after ${stepMs / 60_000} minutes`;
	// The cause is the last thing that Go says.
	const said = result.stderr.split("\n").filter((line) => line.trim() !== "");
	return `${what} failed: ${said.at(-1)?.slice(0, 300) ?? `exit code ${result.code}`}`;
}
