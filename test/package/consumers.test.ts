import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run";
import { templateOptions } from "../../tools/template-options";
import {
	entryPoints,
	installTarball,
	manifest,
	node,
	packTarball,
	repository,
	succeed,
	type TempFolder,
	tempFolder,
} from "../helpers/package-tarball";

let folder: TempFolder;
let project: TempFolder;

beforeAll(async () => {
	folder = tempFolder("package-pack-");
	project = await installTarball(await packTarball(folder));
});
afterAll(() => {
	project?.remove();
	folder?.remove();
});

/** Runs a file in the project and answers the JSON it prints. */
async function evaluate(file: string, source: string): Promise<unknown> {
	writeFileSync(join(project.path, file), source);
	return JSON.parse(await succeed(node([file], project.path)));
}

describe.each(entryPoints)("%s, installed from the tarball", (name) => {
	test("exports the same names to CommonJS and to ES modules", async () => {
		const required = await evaluate(
			"names.cjs",
			`console.log(JSON.stringify(Object.keys(require("${name}"))))`,
		);
		const imported = await evaluate(
			"names.mjs",
			`import * as all from "${name}"; console.log(JSON.stringify(Object.keys(all)))`,
		);
		expect(required).not.toEqual([]);
		expect(imported).toEqual(expect.arrayContaining(z.array(z.string()).parse(required)));
	});

	test.each([
		["node16", "node16"],
		["esnext", "bundler"],
	])("has types under module %s, resolution %s", async (module, moduleResolution) => {
		const source = `import * as all from "${name}";
export const names: string[] = Object.keys(all);
// @ts-expect-error Fails where the package has no types: then everything is allowed.
all.thisIsNoExport;
`;
		expect(await compile(source, { module, moduleResolution })).toEqual({ code: 0, stdout: "" });
	});
});

test("a program compiles with the options of Pulumi's project template", async () => {
	const source = `import * as datachain from "${manifest.name}";
new datachain.PipelineSchedule("nightly", { pipelineName: "etl", cronExpression: "0 3 * * *" });
// @ts-expect-error No number is a name.
new datachain.PipelineSchedule("weekly", { pipelineName: 7 });
`;
	expect(await compile(source, { ...templateOptions, lib: undefined })).toEqual({ code: 0, stdout: "" });
});

/** What the compiler says of a file in the project, the declarations of all packages included. */
async function compile(source: string, options: Readonly<Record<string, unknown>>) {
	writeFileSync(join(project.path, "types.ts"), source);
	const usual = { target: "ES2022", lib: ["ES2022"], strict: true, noEmit: true, skipLibCheck: false };
	const types = { types: ["node"], typeRoots: [join(repository, "node_modules", "@types")] };
	const config = { compilerOptions: { ...usual, ...types, ...options }, files: ["types.ts"] };
	writeFileSync(join(project.path, "tsconfig.json"), JSON.stringify(config));
	const tsc = join(repository, "node_modules", "typescript", "bin", "tsc");
	const { code, stdout } = await node([tsc, "-p", "."], project.path);
	return { code, stdout };
}

test("package.json can be read through the exports", async () => {
	expect(
		await evaluate("json.cjs", `console.log(JSON.stringify(require("${manifest.name}/package.json")))`),
	).toMatchObject({
		version: manifest.version,
	});
});

test("what lies behind the exports cannot be reached", async () => {
	writeFileSync(join(project.path, "deep.cjs"), `require("${manifest.name}/dist/schemas/endpoints.js")`);
	const { stderr } = await node(["deep.cjs"], project.path);
	expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
});

test("the command answers --version and --help", async () => {
	const command = join(project.path, "node_modules", ".bin", manifest.name);
	const ask = (flag: string) => succeed(run(command, [flag], { cwd: project.path, timeoutMs: 30_000 }));
	expect((await ask("--version")).trim()).toBe(manifest.version);
	expect(await ask("--help")).toContain("serve");
});

test("the installed package is what users get: no development dependency came along", () => {
	const lock = JSON.parse(readFileSync(join(project.path, "package-lock.json"), "utf8"));
	const installed = Object.keys(lock.packages);
	expect(installed).toContain(`node_modules/${manifest.name}`);
	expect(installed.filter((path) => /node_modules\/(vitest|@biomejs\/biome|publint)$/.test(path))).toEqual(
		[],
	);
});
