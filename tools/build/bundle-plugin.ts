import {
	chmodSync,
	copyFileSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { bundle, bundleLater, laterIn, sources } from "./bundle";

/** The sources of the plugin. */
export const plugin = join(sources, "provider", "hosts", "plugin");
/** The board's page, which the build made before. */
export const boardPage = join(repository, "dist", "board", "page.html");
/** The plugin in the npm package; it shares the provider with the rest of the package. */
export const pluginFolder = join(repository, "dist", "plugin");

/** The name by which the engine looks for it in the folder. */
const SCRIPT = '#!/usr/bin/env node\nrequire("./main.js");\n';

/** The same for Windows. */
const COMMAND = '@node "%~dp0main.js" %*\r\n';

/** What answers the engine: gRPC, its messages, and the schema. Handlers and client are not needed for that, and are loaded later. */
export async function bundlePlugin(folder = pluginFolder): Promise<void> {
	mkdirSync(folder, { recursive: true });
	await bundle({
		input: { main: join(plugin, "main.ts") },
		folder,
		outside: new Map([
			[join(plugin, "provider"), "./provider.js"],
			[join(plugin, "schema.json"), "./schema.json"],
		]),
		// gRPC needs it only for a service that nobody here offers.
		packages: { "@grpc/proto-loader": "@grpc/proto-loader" },
		minify: true,
	});
	copyFileSync(join(plugin, "schema.json"), join(folder, "schema.json"));
	writeFileSync(join(folder, "pulumi-resource-datachain.cmd"), COMMAND);
	const { version } = JSON.parse(
		readFileSync(join(repository, "package.json"), "utf8"),
	);
	const manifest = {
		name: "pulumi-resource-datachain",
		private: true,
		version,
		main: "main.js",
	};
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
	const script = join(folder, "pulumi-resource-datachain");
	writeFileSync(script, SCRIPT);
	chmodSync(script, 0o755);
}

/** The plugin and the command line in one folder that needs nothing but Node: for the Python wheel and the executable. */
export async function bundleAlone(folder: string): Promise<void> {
	await bundlePlugin(folder);
	await bundle({
		input: {
			provider: join(plugin, "provider.ts"),
			cli: join(sources, "commands", "main.ts"),
		},
		folder,
		packages: laterIn("."),
	});
	await bundleLater(folder);
	copyFileSync(boardPage, join(folder, "page.html"));
}

export interface ExecutableParts {
	/** What the executable runs first. */
	readonly entry: string;
	/** Files that it carries, by the name under which it asks for them. */
	readonly assets: Readonly<Record<string, string>>;
}

/** The folder that needs nothing but Node, and what loads its files from within the executable. */
export async function bundleExecutable(target: string): Promise<ExecutableParts> {
	const folder = join(target, "alone");
	await bundleAlone(folder);
	await bundle({
		input: { executable: join(plugin, "executable.ts") },
		folder: target,
	});
	const parts = readdirSync(folder).filter((name) =>
		/\.js$|^schema\.json$|^page\.html$/.test(name),
	);
	return {
		entry: join(target, "executable.js"),
		assets: Object.fromEntries(parts.map((name) => [name, join(folder, name)])),
	};
}
