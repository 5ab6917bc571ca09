import { readFileSync } from "node:fs";
import { z } from "zod";

const manifestSchema = z.looseObject({ version: z.string() });

/** The version in a package.json; throws where there is none to read. */
export const manifestVersion = (path: string): string =>
	manifestSchema.parse(JSON.parse(readFileSync(path, "utf8"))).version;

/** Compares `20.18.1` and `v3.216.0-dev` by their numbers; what is no version is older than everything. */
export function isAtLeast(version: string, minimum: string): boolean {
	const [actual, wanted] = [numbersOf(version), numbersOf(minimum)];
	const at = wanted.findIndex((part, index) => part !== actual[index]);
	return at < 0 || (actual[at] ?? -1) > (wanted[at] ?? 0);
}

/** Whether the version fits a range of the form `>=3.216.0 <4`. */
export function isInRange(version: string, range: string): boolean {
	return range.split(/\s+/).every((part) => {
		const [, sign, bound = ""] = /^(>=|<)(.+)$/.exec(part) ?? [];
		const reached = isAtLeast(version, bound);
		return sign === "<" ? !reached : reached;
	});
}

function numbersOf(version: string): number[] {
	const [, numbers = ""] = /^v?(\d+(?:\.\d+)*)/.exec(version.trim()) ?? [];
	return numbers === "" ? [] : numbers.split(".").map(Number);
}
