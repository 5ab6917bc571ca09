import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const HEADING = "This file contains ";

/** The licences of the packages that these modules come from, as a comment: they ask to travel with every copy. */
export function licencesOf(moduleIds: readonly string[]): string {
	const folders = new Set(moduleIds.flatMap((id) => packageFolder(id) ?? []));
	const texts = [...folders].sort().map(licence);
	if (texts.length === 0) return "";
	return `/*\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/`;
}

/** The licences that bundles end with, each once, after that of the Node.js in which they run. */
export function noticesIn(bundles: readonly string[], node: string): string {
	const parts = bundles.flatMap((text) => text.split(HEADING).slice(1));
	const found = new Map(
		parts.map((part) => [
			part.slice(0, part.indexOf(":")),
			part.replace(/\*\/\s*$/, "").trim(),
		]),
	);
	const packages = [...found]
		.sort(([a], [b]) => a.localeCompare(b))
		.map(([, text]) => text);
	return `${[`This program contains Node.js ${process.version}:\n\n${node.trim()}`, ...packages].join("\n\n\n")}\n`;
}

function packageFolder(moduleId: string): string | undefined {
	const mark = `${sep}node_modules${sep}`;
	const start = moduleId.lastIndexOf(mark) + mark.length;
	if (start < mark.length) return undefined;
	const [first = "", second = ""] = moduleId.slice(start).split(sep);
	return (
		moduleId.slice(0, start) + (first.startsWith("@") ? join(first, second) : first)
	);
}

function licence(folder: string): string {
	const { name, version } = JSON.parse(
		readFileSync(join(folder, "package.json"), "utf8"),
	);
	const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
	if (file === undefined)
		throw new Error(`${name} is bundled, and ${folder} has no file with its licence.`);
	return `${HEADING}${name} ${version}:\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
