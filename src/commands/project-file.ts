import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The first of these names that is a file in the folder, or else in one above it, as a path. */
export function findAbove(
	folder: string,
	names: readonly string[],
): string | undefined {
	const existing = names.find((name) => existsSync(join(folder, name)));
	if (existing !== undefined) return join(folder, existing);
	return dirname(folder) === folder ? undefined : findAbove(dirname(folder), names);
}

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The project's file; the CLI looks for it in the current folder and all above it. */
export const findProject = (folder: string): string | undefined =>
	findAbove(folder, PROJECT_FILES);
