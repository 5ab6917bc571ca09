import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const windows = process.platform === "win32";

/** Adds the ending that programs have on this platform. */
export function executable(name: string): string {
	return windows ? `${name}.exe` : name;
}

/** The environment with a folder first on PATH; Windows spells that variable in several ways. */
export function withPath(base: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
	const key = Object.keys(base).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
	const rest = base[key];
	return { ...base, [key]: rest ? `${folder}${delimiter}${rest}` : folder };
}

export function pathFolders(env: NodeJS.ProcessEnv): string[] {
	const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
	return (env[key] ?? "").split(delimiter).filter((folder) => folder !== "");
}

/** The first executable file of that name in the folders. */
export function findIn(folders: readonly string[], name: string): string | undefined {
	return folders.map((folder) => join(folder, executable(name))).find(isExecutable);
}

export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
