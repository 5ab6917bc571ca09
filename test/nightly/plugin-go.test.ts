import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { ensureHost } from "../../tools/engine/hosts";
import { must } from "../../tools/process/must";
import { repository } from "../../tools/repository";
import { goSdk } from "../../tools/sdk/main";
import { readPages, schemaExamples } from "../helpers/docs-pages";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { installPlugin, pathWithoutNode, types } from "../helpers/plugin-languages";

const go = findIn(pathFolders(process.env), "go");
const MODULE = "github.com/pulumi-datachain/pulumi-datachain/sdk/go";

/** There is no C compiler on the PATH of the deployment; with one, Go compiles everything in another way. */
const WITHOUT_C = { CGO_ENABLED: "0" };

/** The programs in Go of the pages, each with a name that a folder can have. */
const programsOfPages = (): (readonly [string, string])[] =>
	readPages()
		.flatMap(({ blocks }) => blocks)
		.filter(
			({ language, text }) => language === "go" && text.startsWith("package main"),
		)
		.map(
			({ page, line, text }) => [`${page.replace(/\W/g, "-")}-${line}`, text] as const,
		);

/** The example, with the SDK of this checkout in place of the one that a release has. */
async function writeGoProgram(
	folder: string,
	...names: readonly string[]
): Promise<void> {
	const example = join(repository, "examples", ...names);
	for (const file of ["main.go", "go.mod"])
		cpSync(join(example, file), join(folder, file));
	cpSync(join(goSdk, "go.sum"), join(folder, "go.sum"));
	await must("go", ["mod", "edit", "-replace", `${MODULE}=${goSdk}`], { cwd: folder });
	await must("go", ["mod", "tidy"], { cwd: folder });
	// The first time, what it is made of takes longer to compile than a command may take.
	await must("go", ["build", "-o", "program", "."], {
		cwd: folder,
		env: { ...process.env, ...WITHOUT_C },
	});
	writeFileSync(join(folder, "Pulumi.yaml"), "name: lifecycle\nruntime: go\n");
}

describe.skipIf(go === undefined)(
	"a program in Go, with the plugin from its archive and no Node",
	() => {
		let test: TestDeployment;
		beforeAll(async () => {
			test = await testDeployment({ env: WITHOUT_C });
			await writeGoProgram(test.folder, "go");
			test.stack.env.PATH = pathWithoutNode(
				test,
				await ensureHost("go"),
				dirname(go ?? ""),
			);
			await installPlugin(test);
		});
		afterAll(() => test?.dispose());

		it("deploys, and a second up and a refresh change nothing", async () => {
			await test.up();
			expect(await test.stack.outputs()).toMatchObject({
				nightlyMeans: "every day at 03:00 UTC",
			});
			expect(await test.named("lifecycle-dev-nightly")).toHaveLength(1);
			expect(types(test)).toEqual(["datachain:index"]);
			await test.expectSettled();
		});

		it("is shown in the pages and with every resource in a form that compiles", async () => {
			for (const [name, text] of [...schemaExamples("go"), ...programsOfPages()]) {
				mkdirSync(join(test.folder, "examples", name), { recursive: true });
				writeFileSync(join(test.folder, "examples", name, "main.go"), text);
			}
			// Some of them read the config, which needs another module.
			await must("go", ["mod", "tidy"], { cwd: test.folder });
			await must("go", ["vet", "./examples/..."], {
				cwd: test.folder,
				env: { ...process.env, ...WITHOUT_C },
			});
		});

		it("goes on with the example from a dataset to a schedule", async () => {
			await writeGoProgram(test.folder, "dataset-to-schedule", "go");
			await test.up();
			const { pipeline } = await test.stack.outputs();
			expect(
				(await test.client.pipelines.status({ name: String(pipeline) })).workers,
			).toBe(2);
			await test.expectSettled();
		});

		it("goes on with the example of a renamed resource", async () => {
			await writeGoProgram(test.folder, "rename", "go");
			await test.up();
			expect(await test.named("images-prod-nightly")).toHaveLength(1);
			await test.expectSettled();
		});

		it("is taken down by destroy", async () => {
			expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
			expect(await test.named("lifecycle-dev-nightly")).toEqual([]);
		});
	},
);
