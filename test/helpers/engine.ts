import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, ensureEngine } from "../../tools/engine";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { linkPackages, repository } from "../../tools/repository";

export { repository };

let engine: Promise<Engine> | undefined;

/** The engine for this test file. There is no skipping: a suite that needs it fails where there is none. */
export function testEngine(): Promise<Engine> {
	engine ??= ensureEngine();
	return engine;
}

/** Where a project with this checkout's dependencies finds the plugin, in a form that YAML takes. */
export const PLUGINS = JSON.stringify({
	providers: [{ name: "datachain", path: "node_modules/pulumi-datachain/dist/plugin" }],
});

/** Lets the program of a temporary project use the plugin, too. */
export const addPlugin = (folder: string): void =>
	appendFileSync(join(folder, "Pulumi.yaml"), `plugins: ${PLUGINS}\n`);

/** A Pulumi project of its own in a temporary folder, with this checkout's dependencies. */
export function temporaryProject(
	name: string,
	program: string,
	file = "index.js",
): TempFolder {
	const folder = tempFolder(`project-${name}-`);
	linkPackages(folder.path, "@pulumi/pulumi", "pulumi-datachain");
	const typescript = file.endsWith(".ts");
	writeFileSync(
		join(folder.path, "Pulumi.yaml"),
		`name: ${name}\nruntime:\n  name: nodejs\n  options:\n    typescript: ${typescript}\n`,
	);
	writeFileSync(
		join(folder.path, "package.json"),
		JSON.stringify({ name, private: true, main: file }),
	);
	writeFileSync(join(folder.path, file), program);
	return folder;
}
