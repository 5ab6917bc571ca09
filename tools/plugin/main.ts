import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { version } from "../../package.json";
import { exitWith } from "../process/exit-with";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";
import {
	type BuiltPlugin,
	buildExecutable,
	PLUGIN_NAME,
	pluginTarget,
} from "./executable";

/** As Pulumi, which is written in Go, calls this machine. */
const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
	win32: "windows",
	linux: "linux",
	darwin: "darwin",
};
const PROCESSORS: Partial<Record<NodeJS.Architecture, string>> = {
	x64: "amd64",
	arm64: "arm64",
};

const archiveName = (platform = process.platform, arch = process.arch): string =>
	`${PLUGIN_NAME}-v${version}-${SYSTEMS[platform] ?? platform}-${PROCESSORS[arch] ?? arch}.tar.gz`;

/** The archive under the name by which the engine asks for it, and its checksum beside it. */
export async function packPlugin(built: BuiltPlugin, target: string): Promise<string> {
	const work = tempFolder("plugin-archive-");
	try {
		const files = [built.program, built.licence, built.notices];
		for (const file of files) cpSync(file, join(work.path, basename(file)));
		mkdirSync(target, { recursive: true });
		const archive = join(target, archiveName());
		await must("tar", [
			"-czf",
			archive,
			"-C",
			work.path,
			...files.map((file) => basename(file)),
		]);
		writeFileSync(`${archive}.sha256`, `${checksum(archive)}  ${basename(archive)}\n`);
		return archive;
	} finally {
		work.remove();
	}
}

const checksum = (file: string): string =>
	createHash("sha256").update(readFileSync(file)).digest("hex");

/** `npm run plugin`: the plugin for this machine as one executable, and as the archive that Pulumi downloads. */
async function main(): Promise<void> {
	const built = await buildExecutable();
	console.log(`${built.program}\n${await packPlugin(built, pluginTarget)}`);
}

if (require.main === module) exitWith(main());
