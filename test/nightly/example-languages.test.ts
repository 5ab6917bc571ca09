import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startServer } from "../../src/server";
import { createStack, managedResources, type Stack } from "../../tools/stack";
import { repository, testEngine } from "../helpers/engine";
import { exampleProject, type PluginLanguage, pathOf } from "../helpers/plugin-languages";

const LANGUAGES: readonly PluginLanguage[] = ["python", "yaml"];
const PROGRAMS = { python: "__main__.py", yaml: "Pulumi.yaml" };

const folder = join(repository, "examples");
const programs = readdirSync(folder).flatMap((name) =>
	LANGUAGES.filter((language) => existsSync(join(folder, name, language))).map(
		(language) => [name, language] as const,
	),
);

/** Runs the work with a stack of the example against a server that has the small team. */
async function withExample(
	name: string,
	language: PluginLanguage,
	work: (stack: Stack, program: string) => Promise<void>,
): Promise<void> {
	const server = await startServer({ jobStepMillis: 100 });
	const project = exampleProject(language, join(name, language));
	const stack = await createStack({
		projectDir: project.path,
		engine: await testEngine(),
		env: { ...server.environment, PATH: await pathOf(language) },
	});
	try {
		await work(stack, join(project.path, PROGRAMS[language]));
	} finally {
		stack.dispose();
		project.remove();
		await server.close();
	}
}

async function up(stack: Stack, ...args: string[]): Promise<void> {
	const result = await stack.up(["--skip-preview", ...args]);
	expect(result.code, result.stdout + result.stderr).toBe(0);
}

describe("the examples of the how-to pages", () => {
	it("are there in both languages", () => {
		expect(programs.length).toBeGreaterThan(5);
	});

	it.each(programs)("examples/%s deploys in %s, and a second up changes nothing", (name, language) =>
		withExample(name, language, async (stack) => {
			await up(stack);
			expect(managedResources(stack.checkpoint()).length).toBeGreaterThan(0);
			await up(stack, "--refresh", "--expect-no-changes");
			expect((await stack.destroy(["--skip-preview"])).code).toBe(0);
		}),
	);

	it.each(LANGUAGES)("examples/rename keeps the schedule in %s", (language) =>
		withExample("rename", language, async (stack, program) => {
			const renamed = readFileSync(program, "utf8");
			writeFileSync(program, renamed.replaceAll("images-nightly", "nightly"));
			await up(stack);
			const ids = () => managedResources(stack.checkpoint()).map(({ id }) => id);
			const before = ids();
			expect(before).toHaveLength(1);
			writeFileSync(program, renamed);
			await up(stack);
			expect(ids()).toEqual(before);
			expect(JSON.stringify(stack.checkpoint())).toContain("::images-nightly");
		}),
	);
});
