import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The first of these names that is a file in the folder, or else in one above it. */
export function findAbove(folder: string, names: readonly string[]): string | undefined {
	const found = names.find((name) => existsSync(join(folder, name)));
	return found ?? (dirname(folder) === folder ? undefined : findAbove(dirname(folder), names));
}
