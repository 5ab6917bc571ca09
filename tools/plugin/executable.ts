import { createHash } from "node:crypto";
import {
	chmodSync,
	copyFileSync,
	existsSync,
	readFileSync,
	renameSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { bundleExecutable, type ExecutableParts } from "../build/bundle-plugin";
import { noticesIn } from "../build/licences";
import { executable, findIn, pathFolders } from "../engine/environment";
import { withLock } from "../engine/lock";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";

export const PLUGIN_NAME = "pulumi-resource-datachain";

/** Where `npm run plugin` leaves what it makes. */
export const pluginTarget = join(repository, "dist-plugin");

/** What travels in every archive and wheel: the program, our licence, and those of what is in the program. */
export interface BuiltPlugin {
	readonly program: string;
	readonly licence: string;
	readonly notices: string;
}

/**
 * The plugin and the command line as one file that needs nothing beside it: the Node.js that runs this, with our bundles
 * in it. It is made again only when one of them differs.
 */
export async function buildExecutable(target = pluginTarget): Promise<BuiltPlugin> {
	const built: BuiltPlugin = {
		program: join(target, executable(PLUGIN_NAME)),
		licence: join(repository, "LICENSE"),
		notices: join(target, "THIRD_PARTY_NOTICES"),
	};
	const stamp = join(target, "built-from");
	const onWait = (holder: string) =>
		console.error(`Waiting for process ${holder}, which builds the executable.`);
	await withLock(
		join(target, "executable.lock"),
		{ onWait, waitMs: 600_000 },
		async () => {
			const work = tempFolder(".executable-", target);
			try {
				const parts = await bundleExecutable(work.path);
				const files = [parts.entry, ...Object.values(parts.assets)];
				const key = hashOf(files);
				if (
					existsSync(built.program) &&
					existsSync(stamp) &&
					readFileSync(stamp, "utf8") === key
				)
					return;
				const program = await withNode(work.path, parts);
				const texts = files
					.filter((file) => file.endsWith(".js"))
					.map((file) => readFileSync(file, "utf8"));
				writeFileSync(built.notices, noticesIn(texts, nodeLicence()));
				// In one step, so that what is interrupted leaves no half of a program.
				renameSync(program, built.program);
				writeFileSync(stamp, key);
			} finally {
				work.remove();
			}
		},
	);
	return built;
}

/** Marks the place in Node's own binary that says whether a program is inside. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

async function withNode(
	folder: string,
	{ entry, assets }: ExecutableParts,
): Promise<string> {
	const [config, blob, program] = ["sea.json", "sea.blob", executable(PLUGIN_NAME)].map(
		(name) => join(folder, name),
	) as [string, string, string];
	const settings = {
		main: entry,
		output: blob,
		assets,
		disableExperimentalSEAWarning: true,
	};
	writeFileSync(config, JSON.stringify(settings));
	await must(process.execPath, ["--experimental-sea-config", config]);
	copyFileSync(process.execPath, program);
	chmodSync(program, 0o755);
	const isMac = process.platform === "darwin";
	// Names for debuggers are an eighth of Node's binary on Linux; there is not a compiler's `strip` everywhere.
	const strip =
		process.platform === "linux"
			? findIn(pathFolders(process.env), "strip")
			: undefined;
	if (strip !== undefined) await must(strip, [program]);
	// A signature of Node's own binary is not one of what it becomes, and macOS runs nothing with a wrong one.
	if (isMac) await must("codesign", ["--remove-signature", program]);
	const postject = join(repository, "node_modules", "postject", "dist", "cli.js");
	const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
	await must(process.execPath, [
		postject,
		program,
		"NODE_SEA_BLOB",
		blob,
		"--sentinel-fuse",
		FUSE,
		...segment,
	]);
	if (isMac) await must("codesign", ["--sign", "-", program]);
	return program;
}

function hashOf(files: readonly string[]): string {
	const hash = createHash("sha256").update(
		`${process.version} ${process.platform} ${process.arch}`,
	);
	for (const file of files) hash.update(readFileSync(file));
	return hash.digest("hex");
}

/** Node's licence, which names everything that is in it: beside the program as nodejs.org packs it, or where systems keep it. */
function nodeLicence(): string {
	const folder = dirname(process.execPath);
	const places = [folder, dirname(folder), join("/usr", "share", "doc", "nodejs")];
	const found = places
		.map((place) => join(place, "LICENSE"))
		.find((file) => isNodes(file));
	if (found !== undefined) return readFileSync(found, "utf8");
	throw new Error(
		`The licence of Node.js is not in ${places.join(", ")}. Run this with a Node.js from nodejs.org: its licence must be in the package.`,
	);
}

const isNodes = (file: string): boolean =>
	existsSync(file) &&
	readFileSync(file, "utf8").startsWith("Node.js is licensed for use as follows");
