import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../plugin/executable";
import { exitWith } from "../process/exit-with";
import { repository } from "../repository";
import { buildPlatformWheel, buildPython } from "./wheel";

const target = join(repository, "dist-python");

/**
 * `npm run wheel` builds the Python package into dist-python, as sources and as the wheel for every platform; it needs
 * Python 3 with pip, and Go for the generator. `--platform` makes the wheel for this machine from that one, which may
 * be there already: it needs no Go then.
 */
async function main(args: readonly string[]): Promise<void> {
	const forThisMachine = args.includes("--platform");
	const wheel = (forThisMachine && kept()) || (await fresh());
	const own = forThisMachine && (await buildPlatformWheel("python3", wheel, await buildExecutable(), target));
	console.log([wheel, own].filter(Boolean).join("\n"));
}

async function fresh(): Promise<string> {
	// Packages of other versions would be taken for those that are built now.
	rmSync(target, { recursive: true, force: true });
	return (await buildPython("python3", target)).wheel;
}

function kept(): string | undefined {
	const found = existsSync(target) && readdirSync(target).find((name) => name.endsWith("-none-any.whl"));
	return found ? join(target, found) : undefined;
}

exitWith(main(process.argv.slice(2)));
