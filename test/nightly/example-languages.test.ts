import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { succeeded } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { linkPackages, repository } from "../../tools/repository";
import { managedResources } from "../../tools/stack";
import { EXAMPLE_CONFIG, stackOf } from "../helpers/e2e-stack";
import { type PluginLanguage, pathOf } from "../helpers/plugin-languages";

const LANGUAGES: readonly PluginLanguage[] = ["python", "yaml"];

const folder = join(repository, "examples");
/** The quickstart has a folder of its own in each language, the others a folder for each within theirs. */
const programs = ["", ...readdirSync(folder)].flatMap((name) =>
	LANGUAGES.filter((language) => existsSync(join(folder, name, language))).map(
		(language) => [join(name, language), language] as const,
	),
);

describe("the examples", () => {
	it("are there in both languages", () => {
		expect(programs.length).toBeGreaterThan(5);
	});

	it.each(programs)(
		"examples/%s deploys in %s, and a second up changes nothing",
		async (path, language) => {
			// A copy, installed as its README says.
			const project = tempFolder("example-");
			cpSync(join(folder, path), project.path, { recursive: true });
			linkPackages(project.path, "pulumi-datachain");
			const { stack } = await stackOf(
				project.path,
				{ PATH: await pathOf(language) },
				{ jobStepMillis: 100 },
			);
			for (const [key, value] of Object.entries(EXAMPLE_CONFIG))
				await stack.setConfig(key, value, { secret: true });
			for (const args of [[], ["--refresh", "--expect-no-changes"]]) {
				succeeded("pulumi up", await stack.up(["--skip-preview", ...args]));
				expect(managedResources(stack.checkpoint()).length).toBeGreaterThan(0);
			}
			expect((await stack.destroy(["--skip-preview"])).code).toBe(0);
		},
	);
});
