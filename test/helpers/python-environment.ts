import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot, keep } from "../../tools/engine/cache";
import { must } from "../../tools/process/must";
import { type Result, run } from "../../tools/process/run";
import { repository } from "../../tools/repository";

const NEEDED = "Python 3.10 or newer with venv is needed";
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

	/** Whether a suite must be left out for want of it, which a gate must not do unseen. */
	isMissingFor(suite: string): boolean {
		if (existsSync(join(cacheRoot(process.env), SHELF, this.name, COMPLETE)))
			return false;
		if (systemPython() !== undefined) return false;
		if (process.env.CI === "true") throw new Error(`${NEEDED}, for ${suite}.`);
		console.warn(`SKIPPED: ${suite}. ${NEEDED}.`);
		return true;
	}

	/** Path of its interpreter. Installs it where it is not there yet. */
	async python(): Promise<string> {
		const { what, packages } = this;
		const install = async (folder: string) => {
			const command = systemPython();
			if (command === undefined)
				throw new Error(`Could not install ${what}: ${NEEDED}.`);
			console.error(`Installing ${what} (once, a minute or two) ...`);
			await must(command, ["-m", "venv", folder]);
			const wanted = Object.entries(packages).map(
				([key, version]) => `${key}==${version}`,
			);
			const quiet = [
				"--disable-pip-version-check",
				"--no-input",
				"--progress-bar",
				"off",
			];
			await must(pythonIn(folder), ["-m", "pip", "install", ...quiet, ...wanted]);
			await must(pythonIn(folder), [
				"-c",
				`import ${Object.keys(packages).join(", ")}`,
			]);
			mkdirSync(join(folder, COMPLETE));
		};
		const isComplete = (folder: string) => existsSync(join(folder, COMPLETE));
		const kept = {
			shelf: SHELF,
			key: this.name,
			title: what,
			isComplete,
			make: install,
		};
		return pythonIn(await keep(kept));
	}
}

/** Runs a script of test/fixtures/python that reads one JSON value and prints one. */
export function askPython(
	python: string,
	script: string,
	question?: unknown,
	env: NodeJS.ProcessEnv = process.env,
): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const options = { env, maxBuffer: 256 * 1024 * 1024, timeout: 240_000 };
		const child = execFile(
			python,
			[join(repository, `test/fixtures/python/${script}.py`)],
			options,
			(error, stdout, stderr) => {
				if (error === null) resolve(JSON.parse(stdout));
				else reject(new Error(`${error.message}\n${stderr.slice(-2_000)}`));
			},
		);
		child.stdin?.end(JSON.stringify(question ?? null));
	});
}

/** The command of a Python that can make such an environment. */
function systemPython(): string | undefined {
	const script = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
	const isEnough = (command: string) =>
		spawnSync(command, ["-c", script], { timeout: 30_000 }).status === 0;
	return ["python3", "python"].find(isEnough);
}

/** The service's own client, unmodified. */
export const pythonClient = new PythonEnvironment("the Python client datachain", {
	datachain: "0.62.0",
});

/** What its console script does; the script itself names the interpreter of the folder it was made in. */
const COMMAND = "import sys; from datachain.cli import main; sys.exit(main())";

/** Runs one command of the client to its end. */
export const runClient = (
	python: string,
	args: readonly string[],
	options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Result> =>
	run(python, ["-c", COMMAND, ...args], { ...options, timeoutMs: 60_000 });
