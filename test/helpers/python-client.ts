import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const VERSION = "0.62.0";

export interface CommandResult {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Where the client is kept between runs: outside the checkout, by version. */
function clientFolder(): string {
	const cache = process.env.PULUMI_DATACHAIN_CACHE ?? process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
	return join(cache, "pulumi-datachain", "python", `datachain-${VERSION}`);
}

const commandIn = (folder: string): string => join(folder, "bin", "datachain");

/** Why the client cannot be had on this machine; undefined where it can. */
export function pythonProblem(): string | undefined {
	if (existsSync(commandIn(clientFolder()))) return undefined;
	const found = spawnSync(
		"python3",
		["-c", "import sys, venv, ensurepip; print(sys.version_info >= (3, 10))"],
		{
			encoding: "utf8",
		},
	);
	if (found.error !== undefined) return "python3 is not installed";
	if (found.status !== 0)
		return "python3 has no venv module (on Debian and Ubuntu: apt install python3-venv)";
	return found.stdout.trim() === "True" ? undefined : "python3 is older than 3.10";
}

/** The path of the service's own command line client, installed once and then reused. */
export async function pythonClient(): Promise<string> {
	const folder = clientFolder();
	if (existsSync(commandIn(folder))) return commandIn(folder);
	mkdirSync(dirname(folder), { recursive: true });
	await install(folder);
	return commandIn(folder);
}

/** Built aside and moved into place whole: a killed run leaves nothing half made, and of two runs the first wins. */
async function install(folder: string): Promise<void> {
	const building = mkdtempSync(`${folder}.building-`);
	process.stderr.write(`Installing the Python client datachain ${VERSION} (once, a minute or two) ...\n`);
	try {
		await run("python3", ["-m", "venv", building]);
		const pip = [
			"-m",
			"pip",
			"install",
			"--disable-pip-version-check",
			"--no-input",
			"--quiet",
			"--progress-bar",
			"off",
		];
		await run(join(building, "bin", "python"), [...pip, `datachain==${VERSION}`]);
		// The console script names the interpreter of the folder it was made in; this one finds its neighbour.
		writeFileSync(
			commandIn(building),
			'#!/bin/sh\nexec "$(dirname "$0")/python" -c "import sys; from datachain.cli import main; sys.exit(main())" "$@"\n',
			{ mode: 0o755 },
		);
		moveIntoPlace(building, folder);
	} finally {
		rmSync(building, { recursive: true, force: true });
	}
	process.stderr.write("The Python client is installed.\n");
}

function moveIntoPlace(building: string, folder: string): void {
	try {
		renameSync(building, folder);
	} catch (error) {
		if (!existsSync(commandIn(folder))) throw error;
	}
}

async function run(command: string, args: readonly string[]): Promise<void> {
	const began = Date.now();
	const progress = setInterval(() => {
		process.stderr.write(`  still installing, ${Math.round((Date.now() - began) / 1000)} s\n`);
	}, 15_000);
	try {
		await new Promise<void>((resolve, reject) => {
			const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
			let errors = "";
			child.stderr.on("data", (chunk) => {
				errors = `${errors}${chunk}`.slice(-4_000);
			});
			child.on("error", reject);
			child.on("exit", (code) => {
				if (code === 0) resolve();
				else reject(new Error(`${command} ${args.join(" ")} ended with ${code}:\n${errors}`));
			});
		});
	} finally {
		clearInterval(progress);
	}
}

/** Runs one command of the client to its end. */
export function runClient(
	command: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandResult> {
	return new Promise((resolve) => {
		execFile(command, args, { ...options, timeout: 60_000 }, (error, stdout, stderr) => {
			const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
			resolve({ code, stdout, stderr });
		});
	});
}
