import { mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { buildWheel } from "../../tools/python/wheel";

/** A fresh virtual environment with nothing in it but what `pip install` of our wheel brings. */
export interface WheelEnvironment {
	readonly python: string;
	/** Its folder of programs: first on PATH, as in an active environment. */
	readonly scripts: string;
	readonly wheel: string;
}

let made: Promise<WheelEnvironment> | undefined;

/** Built once for the file that asks. */
export function wheelEnvironment(): Promise<WheelEnvironment> {
	made ??= make();
	return made;
}

async function make(): Promise<WheelEnvironment> {
	const { path } = tempFolder("pulumi-datachain-wheel-test-");
	const scripts = join(path, "venv", "bin");
	const python = join(scripts, "python");
	await must("python3", ["-m", "venv", join(path, "venv")]);
	const wheel = await buildWheel(python, join(path, "wheel"));
	await must(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]);
	return { python, scripts, wheel };
}

async function must(command: string, args: readonly string[]): Promise<void> {
	const result = await run(command, args, { timeoutMs: 600_000 });
	if (result.code !== 0) throw new Error(`${command} ${args.join(" ")}:\n${result.stdout}\n${result.stderr}`);
}

/** A folder with these programs of the system and no others: a PATH on which there is no Node. */
export function programsOnly(names: readonly string[], folders: readonly string[]): string {
	const { path } = tempFolder("pulumi-datachain-programs-");
	mkdirSync(path, { recursive: true });
	for (const name of names) {
		const found = folders.map((folder) => join(folder, name)).find(exists);
		if (found !== undefined) symlinkSync(found, join(path, name));
	}
	return path;
}

function exists(path: string): boolean {
	try {
		readlinkSync(path);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EINVAL";
	}
}
