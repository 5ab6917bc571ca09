import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { bundle, bundleLater } from "./bundle-provider";

const source = join(repository, "src", "plugin");
/** The whole plugin, in one folder that needs nothing but Node: the npm package and the Python wheel carry it as it is. */
const folder = join(repository, "dist", "plugin");

/** The name by which the engine looks for it in the folder. */
const SCRIPT = '#!/usr/bin/env node\nrequire("./main.js");\n';

/** The same for Windows. */
const COMMAND = '@node "%~dp0main.js" %*\r\n';

export async function bundlePlugin(): Promise<void> {
	// What the compiler left there are modules, and the bundles have them.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	// A schema is answered without handlers and client: they are a file of their own.
	await bundle(join(source, "main.ts"), join(folder, "main.js"), {
		external: ["./provider"],
		paths: { "./provider": "./provider.js" },
	});
	await bundle(join(source, "provider.ts"), join(folder, "provider.js"), { external: ["@pulumi/pulumi"] });
	await bundleLater(folder);
	copyFileSync(join(source, "schema.json"), join(folder, "schema.json"));
	writeFileSync(join(folder, "pulumi-resource-datachain.cmd"), COMMAND);
	const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
	const manifest = { name: "pulumi-resource-datachain", private: true, version, main: "main.js" };
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
	const script = join(folder, "pulumi-resource-datachain");
	writeFileSync(script, SCRIPT);
	chmodSync(script, 0o755);
}
