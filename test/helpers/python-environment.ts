import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot } from "../../tools/engine/cache";
import { withLock } from "../../tools/engine/lock";
import { createProgress, type Progress } from "../../tools/engine/progress";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";

const OLDEST_PYTHON = [3, 10] as const;
const parent = join(cacheRoot(process.env), "python");

const windows = process.platform === "win32";
const pythonIn = (folder: string): string =>
	windows ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

/** A Python with packages from PyPI: made once, kept outside the checkout by their versions, shared by all runs. */
export class PythonEnvironment {
	private readonly name: string;
	private readonly folder: string;
	private readonly finished: string;

	constructor(
		/** For people: "the Python client datachain". */
		private readonly what: string,
		/** Name on PyPI and version; each can be imported under that name. */
		private readonly packages: Readonly<Record<string, string>>,
	) {
		this.name = Object.entries(packages)
			.map(([key, version]) => `${key}-${version}`)
			.join("_");
		this.folder = join(parent, this.name);
		this.finished = join(this.folder, "complete");
	}

	/** Why it cannot be had on this machine; undefined where it can. */
	problem(): string | undefined {
		if (existsSync(this.finished)) return undefined;
		const found = systemPython();
		return "problem" in found ? found.problem : undefined;
	}

	/** Path of its interpreter. Installs it where it is not there yet. */
	async python(): Promise<string> {
		if (!existsSync(this.finished)) {
			mkdirSync(parent, { recursive: true });
			const progress = createProgress();
			const onWait = (holder: string) =>
				progress.note(`Waiting for process ${holder}, which installs ${this.what} ...`);
			await withLock(join(parent, `${this.name}.lock`), { onWait, waitMs: 900_000 }, async () => {
				if (!existsSync(this.finished)) await this.build(progress);
			});
		}
		return pythonIn(this.folder);
	}

	/** Made aside and moved into place whole: what is interrupted leaves nothing that could pass for finished. */
	private async build(progress: Progress): Promise<void> {
		const found = systemPython();
		if ("problem" in found) throw new Error(`Could not install ${this.what}: ${found.problem}.`);
		this.removeLeftovers();
		const work = tempFolder(`.${this.name}-`, parent);
		try {
			progress.phase(`Installing ${this.what} (once, a minute or two) ...`);
			await must(found.command, ["-m", "venv", work.path], progress);
			const wanted = Object.entries(this.packages).map(([key, version]) => `${key}==${version}`);
			const pip = [
				"-m",
				"pip",
				"install",
				"--disable-pip-version-check",
				"--no-input",
				"--progress-bar",
				"off",
			];
			await must(pythonIn(work.path), [...pip, ...wanted], progress);
			await must(pythonIn(work.path), ["-c", `import ${Object.keys(this.packages).join(", ")}`], progress);
			mkdirSync(join(work.path, "complete"));
			rmSync(this.folder, { recursive: true, force: true });
			renameSync(work.path, this.folder);
			progress.note(`Installed ${this.what}.`);
		} finally {
			progress.end();
			work.remove();
		}
	}

	private removeLeftovers(): void {
		for (const entry of readdirSync(parent)) {
			if (entry.startsWith(`.${this.name}-`)) rmSync(join(parent, entry), { recursive: true, force: true });
		}
	}
}

async function must(command: string, args: readonly string[], progress: Progress): Promise<void> {
	const onOutput = (chunk: string) => progress.update(chunk.trim().split("\n").at(-1) ?? "");
	const result = await run(command, args, { timeoutMs: 600_000, onOutput });
	if (result.code === 0) return;
	throw new Error(`${command} ${args.join(" ")} ended with ${result.code}:\n${result.stderr.slice(-4_000)}`);
}

function systemPython(): { command: string } | { problem: string } {
	const script = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
	const problems: string[] = [];
	for (const command of ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"]) {
		const {
			error,
			status: code,
			stdout,
		} = spawnSync(command, ["-c", script], {
			encoding: "utf8",
			timeout: 30_000,
		});
		if (error !== undefined) continue;
		const [major = 0, minor = 0] = stdout.trim().split(" ").map(Number);
		const enough = major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]);
		if (code === 0 && enough) return { command };
		problems.push(code === 0 ? `${command} is ${major}.${minor}` : `${command} has no venv module`);
	}
	const needed = `Python ${OLDEST_PYTHON.join(".")} or newer with venv is needed`;
	return {
		problem: problems.length > 0 ? `${needed}; ${problems.join(", ")}` : `${needed}; there is no python3`,
	};
}

/** The service's own client, unmodified. */
export const pythonClient = new PythonEnvironment("the Python client datachain", { datachain: "0.62.0" });

/** What its console script does; the script itself names the interpreter of the folder it was made in. */
const COMMAND = "import sys; from datachain.cli import main; sys.exit(main())";

export interface CommandResult {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs one command of the client to its end. */
export function runClient(
	python: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandResult> {
	return new Promise((resolve) => {
		execFile(python, ["-c", COMMAND, ...args], { ...options, timeout: 60_000 }, (error, stdout, stderr) => {
			const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
			resolve({ code, stdout, stderr });
		});
	});
}
