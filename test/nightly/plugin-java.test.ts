import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { ensureHost, hostProblem } from "../../tools/engine/hosts";
import { buildExecutable } from "../../tools/plugin/executable";
import { must, succeeded } from "../../tools/process/must";
import { repository } from "../../tools/repository";
import { schemaExamples } from "../helpers/docs-pages";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { types, withoutPlugin } from "../helpers/plugin-languages";

const maven = findIn(pathFolders(process.env), "mvn");
const cannot = maven === undefined || hostProblem("java") !== undefined;

describe.skipIf(cannot)(
	"a program in Java, with the SDK that `pulumi package add` generates",
	() => {
		let test: TestDeployment;
		let plugin: string;
		beforeAll(async () => {
			plugin = (await buildExecutable()).program;
			const PATH = [await ensureHost("java"), withoutPlugin()].join(delimiter);
			test = await testDeployment({ env: { PATH } });
			const plugins = JSON.stringify({
				providers: [{ name: "datachain", path: dirname(plugin) }],
			});
			writeFileSync(
				join(test.folder, "Pulumi.yaml"),
				`name: lifecycle\nruntime: java\nplugins: ${plugins}\n`,
			);
		});
		afterAll(() => test?.dispose());

		it("is compiled with every example", async () => {
			copyFileSync(
				join(repository, "test/fixtures/java/pom.xml"),
				join(test.folder, "pom.xml"),
			);
			succeeded("pulumi package add", await test.stack.run(["package", "add", plugin]));
			cpSync(join(test.folder, "sdks", "datachain", "src"), join(test.folder, "src"), {
				recursive: true,
			});
			const example = join(
				repository,
				"examples",
				"dataset-to-schedule",
				"java",
				"App.java",
			);
			const programs = [
				...schemaExamples("java"),
				["datasetToSchedule", readFileSync(example, "utf8")] as const,
			];
			for (const [title, text] of programs) {
				const name = title.toLowerCase();
				const folder = join(test.folder, "src", "main", "java", name);
				mkdirSync(folder, { recursive: true });
				writeFileSync(join(folder, "App.java"), `package ${name};\n${text}\n`);
			}
			await must(maven ?? "", ["--quiet", "--batch-mode", "compile"], {
				cwd: test.folder,
			});
		});

		it("deploys the example from a dataset to a schedule, and settles", async () => {
			await test.up();
			expect(await test.named("lifecycle-dev-images")).toHaveLength(1);
			await test.expectSettled();
			expect(types(test)).toEqual(["datachain:index"]);
		});
	},
);
