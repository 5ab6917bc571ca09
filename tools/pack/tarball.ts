import { cpSync, existsSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { must } from "../process/must";
import { type TempFolder, tempFolder } from "../process/temp-folder";
import { repository } from "../repository";

const tarballSchema = z.object({
	file: z.string(),
	/** Paths in the package. */
	files: z.array(z.string()),
	/** In bytes. */
	size: z.number(),
	unpackedSize: z.number(),
	/** The folder it was built in: a path that must not show in what is published. */
	builtIn: z.string(),
});
export type Tarball = Readonly<z.infer<typeof tarballSchema>>;

const reportSchema = z.tuple([
	z.object({
		filename: z.string(),
		size: z.number(),
		unpackedSize: z.number(),
		files: z.array(z.object({ path: z.string() })),
	}),
]);

/** What was packed for all suites of one run. */
const PACKED = "PULUMI_DATACHAIN_PACKED";

/** Packs once for every process that this one starts from now on; gone when this one ends. */
export async function packForAll(): Promise<void> {
	process.env[PACKED] = JSON.stringify(await packTarball(tempFolder("packed-")));
}

/**
 * Packs as a release does, from a copy of the sources: the checkout's own dist may hold leftovers of files that
 * are gone, and others may be building it at this moment. Answers what was packed for all, where something was.
 */
export async function packTarball(folder: TempFolder): Promise<Tarball> {
	const packed = process.env[PACKED];
	if (packed !== undefined) return tarballSchema.parse(JSON.parse(packed));
	const stage = join(folder.path, "stage");
	for (const entry of [
		"package.json",
		"tsconfig.json",
		"LICENSE",
		"README.md",
		"src",
		"tools",
	]) {
		const from = join(repository, entry);
		if (existsSync(from)) cpSync(from, join(stage, entry), { recursive: true });
	}
	symlinkSync(join(repository, "node_modules"), join(stage, "node_modules"), "dir");
	const args = ["pack", "--json", "--pack-destination", folder.path];
	const stdout = await must("npm", args, { cwd: stage });
	// The build that prepack runs may print before the JSON.
	const [{ filename, size, unpackedSize, files }] = reportSchema.parse(
		JSON.parse(stdout.slice(stdout.search(/^\[/m))),
	);
	return {
		file: join(folder.path, basename(filename)),
		files: files.map(({ path }) => path),
		size,
		unpackedSize,
		builtIn: stage,
	};
}
