import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { onTestFinished } from "vitest";

const root = join(__dirname, "..", "..");

let compiled: string | undefined;

/** The sources as JavaScript, made once for all processes of a test file: ts-node would make them anew for each. */
function compiledRoot(): string {
	if (compiled !== undefined) return compiled;
	const target = mkdtempSync(join(tmpdir(), "server-process-"));
	process.once("exit", () => rmSync(target, { recursive: true, force: true }));
	const compilerOptions = {
		module: ts.ModuleKind.CommonJS,
		target: ts.ScriptTarget.ES2022,
		esModuleInterop: true,
	};
	for (const name of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
		if (!name.endsWith(".ts")) continue;
		const file = join(target, "dist", name.replace(/\.ts$/, ".js"));
		mkdirSync(dirname(file), { recursive: true });
		const source = readFileSync(join(root, "src", name), "utf8");
		writeFileSync(file, ts.transpileModule(source, { compilerOptions }).outputText);
	}
	copyFileSync(join(root, "package.json"), join(target, "package.json"));
	compiled = target;
	return target;
}

export interface ServeProcess {
	readonly child: ChildProcess;
	readonly url: string;
	readonly token: string;
	readonly team: string;
	readonly stdout: () => string;
	readonly stderr: () => string;
}

export function spawnCli(args: readonly string[]): {
	child: ChildProcess;
	stdout: () => string;
	stderr: () => string;
} {
	const child = spawn(process.execPath, [join(compiledRoot(), "dist", "cli", "main.js"), ...args], {
		cwd: root,
		env: { ...process.env, NODE_PATH: join(root, "node_modules") },
		stdio: ["ignore", "pipe", "pipe"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	let stdout = "";
	let stderr = "";
	child.stdout?.on("data", (chunk) => {
		stdout += chunk;
	});
	child.stderr?.on("data", (chunk) => {
		stderr += chunk;
	});
	return { child, stdout: () => stdout, stderr: () => stderr };
}

/** `pulumi-datachain serve` as a process of its own, once it has said where it listens. */
export async function spawnServe(args: readonly string[] = []): Promise<ServeProcess> {
	const { child, stdout, stderr } = spawnCli(["serve", ...args]);
	const end = Date.now() + 30_000;
	while (stdout().split("\n").length < 4) {
		if (child.exitCode !== null || Date.now() > end) throw new Error(`serve did not start: ${stderr()}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	const value = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(stdout())?.[1] ?? "";
	return {
		child,
		stdout,
		stderr,
		url: value("DATACHAIN_STUDIO_URL"),
		token: value("DATACHAIN_STUDIO_TOKEN"),
		team: value("DATACHAIN_STUDIO_TEAM"),
	};
}

export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
	if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
	return child.exitCode ?? child.signalCode;
}
