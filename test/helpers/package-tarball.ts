import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { type Result, run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";

export { repository };

export const manifest = z
	.object({
		name: z.string(),
		version: z.string(),
		exports: z.record(z.string(), z.unknown()),
		devDependencies: z.record(z.string(), z.string()),
	})
	.parse(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")));

/** The entry points that hold code, as a user imports them. */
export const entryPoints = Object.keys(manifest.exports)
	.filter((path) => path !== "./package.json")
	.map((path) => join(manifest.name, path).replaceAll("\\", "/"));

const packed = z.array(
	z.object({
		filename: z.string(),
		size: z.number(),
		unpackedSize: z.number(),
		files: z.array(z.object({ path: z.string() })),
	}),
);

export interface Tarball {
	readonly file: string;
	/** Paths in the package. */
	readonly files: readonly string[];
	/** In bytes. */
	readonly size: number;
	readonly unpackedSize: number;
	/** The folder it was built in: a path that must not show in what is published. */
	readonly builtIn: string;
}

/**
 * Packs as a release does, from a copy of the sources: the checkout's own dist may hold leftovers of files that
 * are gone, and others may be building it at this moment.
 */
export async function packTarball(folder: TempFolder): Promise<Tarball> {
	const stage = join(folder.path, "stage");
	for (const entry of ["package.json", "tsconfig.json", "LICENSE", "README.md", "src", "tools"]) {
		const from = join(repository, entry);
		if (existsSync(from)) cpSync(from, join(stage, entry), { recursive: true });
	}
	symlinkSync(join(repository, "node_modules"), join(stage, "node_modules"), "dir");
	const output = await succeed(npm(["pack", "--json", "--pack-destination", folder.path], stage));
	// The build that prepack runs may print before the JSON.
	const [result] = packed.parse(JSON.parse(output.slice(output.search(/^\[/m))));
	if (result === undefined) throw new Error("npm pack reported no package");
	return {
		file: join(folder.path, basename(result.filename)),
		files: result.files.map(({ path }) => path),
		size: result.size,
		unpackedSize: result.unpackedSize,
		builtIn: stage,
	};
}

/** A new project that has the tarball and its peer installed, without running any script. */
export async function installTarball(tarball: Tarball): Promise<TempFolder> {
	const project = tempFolder("package-consumer-");
	cpSync(tarball.file, join(project.path, "package.tgz"));
	await succeed(npm(["init", "--yes"], project.path));
	const peer = `@pulumi/pulumi@${manifest.devDependencies["@pulumi/pulumi"]}`;
	const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
	await succeed(npm(["install", ...flags, "./package.tgz", peer], project.path));
	return project;
}

export function npm(args: readonly string[], cwd: string): Promise<Result> {
	return run("npm", args, { cwd, timeoutMs: 240_000 });
}

export function node(args: readonly string[], cwd: string): Promise<Result> {
	return run(process.execPath, args, { cwd, timeoutMs: 120_000 });
}

/** A program among this checkout's own development tools. */
export function tool(name: string): string {
	return join(repository, "node_modules", ".bin", name);
}

/** The standard output, or a failure that shows everything printed. */
export async function succeed(result: Promise<Result>): Promise<string> {
	const { code, stdout, stderr } = await result;
	if (code !== 0) throw new Error(`exit code ${code}\n${stdout}\n${stderr}`);
	return stdout;
}

export { type TempFolder, tempFolder };
