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
		// mkdtemp makes folders that only their owner can open; a project is made to be shared.
		const project = join(draft, "project");
		try {
			await mkdir(project);
			for (const [name, text] of files) await writeFile(join(project, name), text);
			await putInPlace(project, path, [...files.keys()]);
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

async function putInPlace(project: string, path: string, names: readonly string[]): Promise<void> {
	const found = (at: string) => lstat(at).catch(() => undefined);
	if ((await found(path)) === undefined) return rename(project, path);
	for (const name of names) {
		if ((await found(join(path, name)))?.isDirectory())
			throw new Error(
				`"${join(path, name)}" is a folder, but the project has a file of that name. Nothing was written.`,
			);
	}
	for (const name of names) await rename(join(project, name), join(path, name));
}
