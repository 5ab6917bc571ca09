import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import type { Tarball } from "../../tools/pack/tarball";
import { must } from "../../tools/process/must";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { linkPackages } from "../../tools/repository";

export { manifest };

/** The entry points that hold code, as a user imports them. */
export const entryPoints = Object.keys(manifest.exports)
	.filter((path) => path !== "./package.json")
	.map((path) => join(manifest.name, path).replaceAll("\\", "/"));

/** A new project that has the tarball's files, and what they need from this checkout: npm takes far longer for the same. */
export async function unpackTarball(tarball: Tarball): Promise<TempFolder> {
	const project = tempFolder("package-consumer-");
	const modules = join(project.path, "node_modules");
	mkdirSync(join(modules, ".bin"), { recursive: true });
	await must("tar", ["-xzf", tarball.file, "-C", modules]);
	const installed = join(modules, manifest.name);
	renameSync(join(modules, "package"), installed);
	linkPackages(project.path, "@pulumi/pulumi", ...Object.keys(manifest.dependencies));
	for (const [command, path] of Object.entries(manifest.bin)) {
		chmodSync(join(installed, path), 0o755);
		symlinkSync(join(installed, path), join(modules, ".bin", command));
	}
	writeFileSync(
		join(project.path, "package.json"),
		JSON.stringify({ name: "consumer", private: true }),
	);
	return project;
}
