import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot } from "../../tools/engine/cache";
import { withLock } from "../../tools/engine/lock";
import { createProgress, type Progress } from "../../tools/engine/progress";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";

/** The filesystems that jobs use, at versions that work together. The folder's name holds them. */
const PACKAGES = {
	fsspec: "2026.9.0",
	s3fs: "2026.9.0",
	gcsfs: "2026.10.1",
	adlfs: "2026.8.0",
	huggingface_hub: "2.4.0",
} as const;
const OLDEST_PYTHON = [3, 10] as const;

const windows = process.platform === "win32";
const pythonIn = (folder: string): string =>
	windows ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

const name = Object.entries(PACKAGES)
	.map(([key, version]) => `${key}-${version}`)
	.join("_");
const parent = join(cacheRoot(process.env), "python");
const folder = join(parent, name);
const finished = join(folder, "complete");

/** Why the filesystems cannot be had on this machine; undefined where they can. */
export function storagePythonProblem(): string | undefined {
	if (existsSync(finished)) return undefined;
	const found = systemPython();
	return "problem" in found ? found.problem : undefined;
}

/** A Python with the real filesystems: made once, kept outside the checkout, shared by all runs. */
export async function storagePython(): Promise<string> {
	if (!existsSync(finished)) {
		mkdirSync(parent, { recursive: true });
		const progress = createProgress();
		const onWait = (holder: string) =>
			progress.note(`Waiting for process ${holder}, which installs them ...`);
		await withLock(join(parent, `${name}.lock`), { onWait, waitMs: 900_000 }, async () => {
			if (!existsSync(finished)) await build(progress);
		});
	}
	return pythonIn(folder);
}

/** Made aside and moved into place whole: what is interrupted leaves nothing that could pass for finished. */
async function build(progress: Progress): Promise<void> {
	const found = systemPython();
	if ("problem" in found) throw new Error(`The Python filesystems cannot be installed: ${found.problem}.`);
	removeLeftovers();
	const work = tempFolder(`.${name}-`, parent);
	try {
		progress.phase("Installing the Python filesystems (once, a minute or two) ...");
		await must(found.command, ["-m", "venv", work.path], progress);
		const wanted = Object.entries(PACKAGES).map(([key, version]) => `${key}==${version}`);
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
		const imports = `import ${Object.keys(PACKAGES).join(", ")}`;
		await must(pythonIn(work.path), ["-c", imports], progress);
		mkdirSync(join(work.path, "complete"));
		rmSync(folder, { recursive: true, force: true });
		renameSync(work.path, folder);
		progress.note("The Python filesystems are installed.");
	} finally {
		progress.end();
		work.remove();
	}
}

function removeLeftovers(): void {
	for (const entry of readdirSync(parent)) {
		if (entry.startsWith(`.${name}-`)) rmSync(join(parent, entry), { recursive: true, force: true });
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
