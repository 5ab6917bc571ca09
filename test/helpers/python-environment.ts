import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot, keep } from "../../tools/engine/cache";
import { must } from "../../tools/process/must";
import { type Result, run } from "../../tools/process/run";

const OLDEST_PYTHON = [3, 10] as const;
/** Where they lie in the cache, and what the finished ones have. */
const [SHELF, COMPLETE] = ["python", "complete"];

const windows = process.platform === "win32";
const pythonIn = (folder: string): string =>
	windows ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

/** A Python with packages from PyPI: made once, kept outside the checkout by their versions, shared by all runs. */
export class PythonEnvironment {
	private readonly name: string;

	constructor(
		/** For people: "the Python client datachain". */
		private readonly what: string,
		/** Name on PyPI and version; each can be imported under that name. */
		private readonly packages: Readonly<Record<string, string>>,
	) {
		this.name = Object.entries(packages)
			.map(([key, version]) => `${key}-${version}`)
			.join("_");
	}

	/** Why it cannot be had on this machine; undefined where it can. */
	problem(): string | undefined {
		if (existsSync(join(cacheRoot(process.env), SHELF, this.name, COMPLETE))) return undefined;
		const found = systemPython();
		return "problem" in found ? found.problem : undefined;
	}

	/** Whether a suite must be left out for want of it, which a gate must not do unseen. */
	isMissingFor(suite: string): boolean {
		const problem = this.problem();
		if (problem === undefined) return false;
		if (process.env.CI === "true")
			throw new Error(`There is no Python for ${suite}: ${problem}. Install Python 3.10 or later.`);
		console.warn(`SKIPPED: ${suite}, because ${problem}.`);
		return true;
	}

	/** Path of its interpreter. Installs it where it is not there yet. */
	async python(): Promise<string> {
		const { what, packages } = this;
		const install = async (folder: string) => {
			const found = systemPython();
			if ("problem" in found) throw new Error(`Could not install ${what}: ${found.problem}.`);
			console.error(`Installing ${what} (once, a minute or two) ...`);
			await must(found.command, ["-m", "venv", folder]);
			const wanted = Object.entries(packages).map(([key, version]) => `${key}==${version}`);
			const quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
			await must(pythonIn(folder), ["-m", "pip", "install", ...quiet, ...wanted]);
			await must(pythonIn(folder), ["-c", `import ${Object.keys(packages).join(", ")}`]);
			mkdirSync(join(folder, COMPLETE));
		};
		const isComplete = (folder: string) => existsSync(join(folder, COMPLETE));
		const kept = { shelf: SHELF, key: this.name, title: what, isComplete, make: install };
		return pythonIn(await keep(kept));
	}
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

/** Runs one command of the client to its end. */
export const runClient = (
	python: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Result> => run(python, ["-c", COMMAND, ...args], { ...options, timeoutMs: 60_000 });
