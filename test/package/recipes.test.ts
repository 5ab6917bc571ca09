import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { must } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { filesListed, filesOf, patchOf, RECIPE_NAMES } from "../helpers/recipes";

it.each(RECIPE_NAMES)(
	"the files of the recipe %s are those that CONTRIBUTING.md lists",
	(name) => {
		const { files, wanted, section } = filesOf(name);
		const listed = filesListed(section);
		expect(files).toHaveLength(wanted);
		expect(
			files.filter((file) => !listed.some((pattern) => pattern.test(file))),
		).toEqual([]);
		expect(
			listed.filter((pattern) => !files.some((file) => pattern.test(file))),
		).toEqual([]);
	},
);

/** If this fails: `git apply --reject` what still applies, follow the recipe, and keep `git diff -U1` as the patch. */
it("the recipes apply to these sources; test/nightly/recipes.test.ts builds and deploys them", async () => {
	// As one patch: a recipe may build on the one before it.
	const folder = tempFolder("recipes-patch-");
	const all = join(folder.path, "all.patch");
	writeFileSync(
		all,
		RECIPE_NAMES.map((name) => readFileSync(patchOf(name), "utf8")).join(""),
	);
	await must("git", ["apply", "--check", all], { cwd: repository });
	folder.remove();
});
