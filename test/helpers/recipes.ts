import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../tools/repository";
import { codeIn, readPage, tableBelow } from "./docs-pages";

/**
 * Each recipe of CONTRIBUTING.md as a patch that follows it, in the order in which they are applied: its row there, and
 * how many files a contributor edits or adds. Written files (npm run sdk, assumptions and build) are not among them.
 */
const RECIPES = {
	field: { row: "A field of a resource", files: 5 },
	endpoint: { row: "An endpoint", files: 4 },
	kind: { row: "A resource", files: 21 },
	command: { row: "A command", files: 3 },
} as const;

export type RecipeName = keyof typeof RECIPES;
export const RECIPE_NAMES = Object.keys(RECIPES) as RecipeName[];

export const patchOf = (name: RecipeName): string =>
	join(repository, "test", "fixtures", "recipes", `${name}.patch`);

/** The files that the patch edits or adds, and how many they should be. */
export function filesOf(name: RecipeName): {
	files: string[];
	wanted: number;
	row: string;
} {
	const files = [...readFileSync(patchOf(name), "utf8").matchAll(/^\+\+\+ b\/(.+)$/gm)];
	const { files: wanted, row } = RECIPES[name];
	return { files: files.map(([, path = ""]) => path), wanted, row };
}

/** The files that a row of CONTRIBUTING.md names. In `src/schemas/<object>.ts`, `<object>` stands for any name. */
export function filesNamed(row: string): RegExp[] {
	const rows = tableBelow(readPage("CONTRIBUTING.md"), "Where a change goes");
	const [, files = ""] = rows.find(([change]) => change === `**${row}**`) ?? [];
	return codeIn(files)
		.filter((code) => /^(src|test|tools|docs|examples)\//.test(code))
		.map(
			(code) =>
				new RegExp(`^${code.replaceAll(".", "\\.").replace(/<\w+>/g, "[\\w-]+")}(/|$)`),
		);
}
