import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { packTarball, type Tarball } from "../../tools/pack/tarball";
import { must } from "../../tools/process/must";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { entryPoints, installTarball, manifest, node } from "../helpers/package-tarball";

let folder: TempFolder;
let tarball: Tarball;
let project: TempFolder;

beforeAll(async () => {
	folder = tempFolder("package-pack-");
	tarball = await packTarball(folder);
	project = await installTarball(tarball);
});
afterAll(() => {
	project?.remove();
	folder?.remove();
});

/** Runs a file in the project and answers the JSON it prints. */
async function evaluate(file: string, source: string): Promise<unknown> {
	writeFileSync(join(project.path, file), source);
	return JSON.parse(await must(process.execPath, [file], { cwd: project.path }));
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
});

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
	const ask = (flag: string) => must(command, [flag], { cwd: project.path });
	expect((await ask("--version")).trim()).toBe(manifest.version);
	expect(await ask("--help")).toContain("serve");
});

const main = join("node_modules", manifest.name, "dist", "commands", "main.js");

test.each(["--version", "--help"])("the command answers %s nearly as soon as Node.js can", async (flag) => {
	const time = async (...args: string[]) => {
		const started = performance.now();
		await must(process.execPath, args, { cwd: project.path });
		return performance.now() - started;
	};
	const bare: number[] = [];
	const ours: number[] = [];
	// In turns, so that whatever else the machine does is in both.
	for (let round = 0; round < 9; round++) {
		bare.push(await time("-e", "0"));
		ours.push(await time(main, flag));
	}
	// A machine that takes long for nothing at all is slow or busy: then so are the 150 ms.
	expect(median(ours) - median(bare)).toBeLessThan(150 + median(bare));
});

const median = (values: readonly number[]): number =>
	[...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

test("the command loads one package before it knows what to do: the one that reads its arguments", async () => {
	const loaded = await evaluate(
		"loaded.cjs",
		`process.argv.push("--version");
process.stdout.write = () => true;
process.on("exit", () => require("fs").writeSync(1, JSON.stringify(Object.keys(require.cache))));
require(${JSON.stringify(`./${main.replaceAll("\\", "/")}`)});`,
	);
	const packages = z
		.array(z.string())
		.parse(loaded)
		.flatMap((path) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? []);
	expect(new Set(packages)).toEqual(new Set([manifest.name, "commander"]));
});
