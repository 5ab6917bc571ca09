import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../tools/repository";
import { codeIn, readPage } from "./docs-pages";

/**
 * Each recipe of CONTRIBUTING.md as a patch that follows it, in the order in which they are applied: its section there,
 * and how many files a contributor edits or adds. Written files (npm run sdk, assumptions and build) are not among them.
 */
const RECIPES = {
	field: { section: "A field of a resource", files: 5 },
	endpoint: { section: "An endpoint", files: 3 },
	kind: { section: "A resource", files: 16 },
	command: { section: "A command", files: 3 },
	storage: { section: "A storage kind", files: 8 },
} as const;

export type RecipeName = keyof typeof RECIPES;
export const RECIPE_NAMES = Object.keys(RECIPES) as RecipeName[];

export const patchOf = (name: RecipeName): string =>
	join(repository, "test", "fixtures", "recipes", `${name}.patch`);

/** The files that the patch edits or adds, and how many they should be. */
export function filesOf(name: RecipeName): {
	files: string[];
	wanted: number;
	section: string;
} {
	const files = [...readFileSync(patchOf(name), "utf8").matchAll(/^\+\+\+ b\/(.+)$/gm)];
	const { files: wanted, section } = RECIPES[name];
	return { files: files.map(([, path = ""]) => path), wanted, section };
}

/** The files that a section of CONTRIBUTING.md lists. In `src/schemas/<object>.ts`, `<object>` stands for any name. */
export function filesListed(section: string): RegExp[] {
	const [, below = ""] = readPage("CONTRIBUTING.md").text.split(`\n### ${section}\n`);
	const [list = ""] = below.split(/\n##+ /);
	const items = [...list.matchAll(/^- (.*?):/gm)].map(([, files = ""]) => files);
	return items
		.flatMap(codeIn)
		.map(
			(code) =>
				new RegExp(`^${code.replaceAll(".", "\\.").replace(/<\w+>/g, "[\\w-]+")}(/|$)`),
		);
}
