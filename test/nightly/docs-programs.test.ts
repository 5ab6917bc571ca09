import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { succeeded } from "../../tools/process/must";
import { readPages, schemaExamples } from "../helpers/docs-pages";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { EXAMPLE_CONFIG } from "../helpers/e2e-stack";
import { PLUGINS } from "../helpers/engine";
import { type PluginLanguage, pathOf } from "../helpers/plugin-languages";

/** What the programs of the pages read beside their config. */
const FILES = ["prepare.py", "smoke_test.py"];

const programs = (language: PluginLanguage, isProgram: RegExp) =>
	readPages()
		.filter(({ path }) => path.startsWith("docs/"))
		.flatMap(({ blocks }) => blocks)
		.filter((block) => block.language === language && isProgram.test(block.text))
		.map(({ page, line, text }) => [`${page}:${line}`, text] as const);

/** A page shows the part that matters; Pulumi wants a project around it. */
const yamlProject = (text: string): string =>
	`name: lifecycle\nruntime: yaml\nplugins: ${PLUGINS}\n${text.replace(/^[\s\S]*?(?=^(?:config|variables|resources):)/m, "")}`;

const write = {
	python: (folder: string, text: string) => {
		writeFileSync(join(folder, "Pulumi.yaml"), "name: lifecycle\nruntime: python\n");
		writeFileSync(join(folder, "__main__.py"), text);
	},
	yaml: (folder: string, text: string) =>
		writeFileSync(join(folder, "Pulumi.yaml"), yamlProject(text)),
};

describe.each([
	["python", /import pulumi_datachain/],
	["yaml", /^(?:resources|variables):/m],
] as const)("the programs of the pages in %s", (language, isProgram) => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ env: { PATH: await pathOf(language) } });
		for (const file of FILES) writeFileSync(join(test.folder, file), "print(1)\n");
		write.yaml(test.folder, "resources: {}");
		test.server.addTeam("research", { pipelines: ["nightly-images"] });
		for (const [key, value] of Object.entries({
			...EXAMPLE_CONFIG,
			researchToken: test.server.token,
		}))
			await test.stack.setConfig(key, value, { secret: true });
	});
	afterAll(() => test?.dispose());

	it.each([...programs(language, isProgram), ...schemaExamples(language)])(
		"%s can be previewed",
		async (_, text) => {
			write[language](test.folder, text);
			succeeded("pulumi preview", await test.stack.preview());
		},
	);
});
