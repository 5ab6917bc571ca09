import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** The licences of the packages that these modules come from, as a comment: they ask to travel with every copy. */
export function licencesOf(moduleIds: readonly string[]): string {
	const folders = new Set(moduleIds.flatMap((id) => packageFolder(id) ?? []));
	const texts = [...folders].sort().map(licence);
	return `/*\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/`;
}

function packageFolder(moduleId: string): string | undefined {
	const mark = `${sep}node_modules${sep}`;
	const start = moduleId.lastIndexOf(mark) + mark.length;
	if (start < mark.length) return undefined;
	const [first = "", second = ""] = moduleId.slice(start).split(sep);
	return moduleId.slice(0, start) + (first.startsWith("@") ? join(first, second) : first);
}

function licence(folder: string): string {
	const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
	if (file === undefined) throw new Error(`${name} is bundled, and ${folder} has no file with its licence.`);
	return `This file contains ${name} ${version}:\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
