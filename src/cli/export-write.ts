import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Refuses a folder that holds something, unless told otherwise. Returns where the project goes, links resolved. */
export async function checkTarget(folder: string, force: boolean): Promise<string> {
	const path = await realpath(folder).catch(() => resolve(folder));
	const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		const why = error.code === "ENOTDIR" ? "it is not a folder" : "it cannot be read";
		throw new Error(`Cannot write to "${folder}": ${why}. Choose another one with --out.`);
	});
	if (names.length > 0 && !force) {
		throw new Error(
			`The folder "${folder}" is not empty. Choose another one with --out, or add --force to replace the files of an ` +
				"earlier export in it; its other files stay. Nothing was written.",
		);
	}
	return path;
}

/**
 * Writes everything to a new folder first, so that no failure leaves half a project. A new folder is then put in
 * place at once. Into one that exists the files are moved one by one: its stack settings and node_modules stay.
 */
export async function writeProject(path: string, files: ReadonlyMap<string, string>): Promise<void> {
	try {
		await mkdir(dirname(path), { recursive: true });
		const draft = await mkdtemp(join(dirname(path), `.${basename(path)}-`));
		try {
			for (const [name, text] of files) await writeFile(join(draft, name), text);
			await putInPlace(draft, path, [...files.keys()]);
		} finally {
			await rm(draft, { recursive: true, force: true });
		}
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		throw new Error(
			`The project could not be written to "${path}" (${error.code}). Check the folder and its permissions, or choose ` +
				"another one with --out.",
		);
	}
}

async function putInPlace(draft: string, path: string, names: readonly string[]): Promise<void> {
	const target = await lstat(path).catch(() => undefined);
	if (target === undefined) {
		// mkdtemp makes folders that only their owner can open; a project is made to be shared.
		const shared = join(draft, "project");
		await mkdir(shared);
		for (const name of names) await rename(join(draft, name), join(shared, name));
		await rename(shared, path);
		return;
	}
	for (const name of names) await refuseFolder(join(path, name));
	for (const name of names) await rename(join(draft, name), join(path, name));
}

async function refuseFolder(path: string): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	if (found?.isDirectory())
		throw new Error(`"${path}" is a folder, but the project has a file of that name. Nothing was written.`);
}
