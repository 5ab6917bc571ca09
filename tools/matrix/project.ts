import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TempFolder, tempFolder } from "../process/temp-folder";
import { templateOptions } from "../template-options";
import type { Cell } from "./cells";

const sources = join(__dirname, "consumer");
/** Where the compiler writes, as in Pulumi's template. */
export const compiled = templateOptions.outDir;

/** A new project of this kind that names the tarball and nothing of ours besides. */
export function makeProject(cell: Cell, tarball: string): TempFolder {
	const folder = tempFolder("matrix-");
	const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
	cpSync(tarball, join(folder.path, "package.tgz"));
	for (const name of readdirSync(sources)) cpSync(join(sources, name), join(folder.path, name));
	write("package.json", json(manifest(cell)));
	write("tsconfig.json", json({ compilerOptions: compilerOptions(cell), files: readdirSync(sources) }));
	write("Pulumi.yaml", "name: consumer\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n");
	if (cell.manager === "yarn") {
		// An empty lockfile says that the project begins here; Pulumi's host knows nothing of Plug'n'Play.
		write("yarn.lock", "");
		const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org";
		write(".yarnrc.yml", YARN.replace("REGISTRY", registry));
	}
	return folder;
}

const YARN = `nodeLinker: node-modules
enableScripts: false
enableTelemetry: false
enableImmutableInstalls: false
npmRegistryServer: "REGISTRY"
`;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const manifest = ({ modules, sdk, typescript }: Cell) => ({
	name: "consumer",
	version: "1.0.0",
	private: true,
	type: modules === "ESM" ? "module" : "commonjs",
	main: `${compiled}/resources.js`,
	dependencies: { "@pulumi/pulumi": sdk, "pulumi-datachain": "file:./package.tgz" },
	devDependencies: { "@types/node": "^20", typescript },
});

/** CommonJS as in Pulumi's template, which resolves modules in the way of Node 10; TypeScript 6 calls that old. */
function compilerOptions({ modules, typescript }: Cell) {
	// TypeScript 6 takes no types that are not asked for.
	const usual = { ...templateOptions, types: ["node"], rootDir: "." };
	if (modules === "ESM")
		return { ...usual, target: "es2022", module: "nodenext", moduleResolution: "nodenext" };
	return typescript.startsWith("5.") ? usual : { ...usual, ignoreDeprecations: "6.0" };
}
