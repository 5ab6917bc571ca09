import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of Go modules, each of which pins one program. */
export const modules = join(__dirname, "go");

/** The version that a folder pins: of the first module that it requires from Pulumi or from actionlint's author. */
export function pinnedVersion(folder: string): string {
	const text = readFileSync(join(modules, folder, "go.mod"), "utf8");
	const [, version] = /^(?:require |\t)github\.com\/(?:pulumi|rhysd)\/\S+ v(\S+)$/m.exec(text) ?? [];
	if (version === undefined) throw new Error(`The go.mod of ${folder} pins no program.`);
	return version;
}

/** The engine that we build or install. */
export const engineVersion = pinnedVersion("cli");

/** The oldest CLI on PATH that we take: the first whose SDK passes `inputs` from read, which drift needs. */
export const minimumVersion = "3.216.0";

export function isAtLeast(version: string, minimum: string): boolean {
	const [actual, wanted] = [numbers(version), numbers(minimum)];
	for (const [index, part] of wanted.entries()) {
		const difference = (actual[index] ?? 0) - part;
		if (difference !== 0) return difference > 0;
	}
	return true;
}

/** `v3.259.0-dev.1+x` → `3.259.0`; undefined where the text is no version. */
export function parseVersion(text: string): string | undefined {
	return /^v?(\d+\.\d+\.\d+)/m.exec(text.trim())?.[1];
}

function numbers(version: string): number[] {
	return version.split(".").map(Number);
}
