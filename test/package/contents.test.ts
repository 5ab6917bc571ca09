import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../tools/process/run";
import {
	node,
	packTarball,
	repository,
	succeed,
	type Tarball,
	type TempFolder,
	tempFolder,
	tool,
} from "../helpers/package-tarball";

let folder: TempFolder;
let tarball: Tarball;

beforeAll(async () => {
	folder = tempFolder("package-contents-");
	tarball = await packTarball(folder);
	await succeed(run("tar", ["-xzf", tarball.file, "-C", folder.path], { timeoutMs: 60_000 }));
});
afterAll(() => folder?.remove());

test("the package holds the compiled code, its types, the licence and the readme, and nothing else", () => {
	const documents = ["package.json", "LICENSE", "README.md"];
	expect(documents.filter((path) => !tarball.files.includes(path))).toEqual([]);
	const rest = tarball.files.filter((path) => !documents.includes(path));
	expect(rest.filter((path) => !/^dist\/[\w./-]+\.(js|js\.map|d\.ts)$/.test(path))).toEqual([]);
	expect(rest.filter((path) => /(^|\/)(test|tools|examples)\/|\.test\./.test(path))).toEqual([]);
});

test("every compiled file comes with its types", () => {
	const scripts = tarball.files.filter((path) => path.endsWith(".js"));
	expect(scripts.length).toBeGreaterThan(10);
	expect(scripts.filter((path) => !tarball.files.includes(path.replace(/\.js$/, ".d.ts")))).toEqual([]);
});

test("no published file names a folder of the machine that built it", () => {
	const traces = [repository, tarball.builtIn, folder.path, homedir()].filter((path) => path.length > 5);
	const guilty = tarball.files.filter((path) => {
		const text = readFileSync(join(folder.path, "package", path), "utf8");
		return traces.some((trace) => text.includes(trace));
	});
	expect(guilty).toEqual([]);
});

test("publint finds nothing to improve", async () => {
	const { code, stdout, stderr } = await node([tool("publint"), tarball.file, "--strict"], folder.path);
	expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
});

test("are-the-types-wrong finds the types right for every way to resolve them", async () => {
	// node10 knows no "exports"; Node.js 20 is the oldest that the package runs on.
	const args = [tool("attw"), tarball.file, "--profile", "node16", "--format", "ascii", "--no-color"];
	const { code, stdout, stderr } = await node(args, folder.path);
	expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
});
