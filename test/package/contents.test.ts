import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { packTarball, type Tarball } from "../../tools/pack/tarball";
import { run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { node, succeed, tool } from "../helpers/package-tarball";

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
	const plugin = [
		"package.json",
		"schema.json",
		"pulumi-resource-datachain",
		"pulumi-resource-datachain.cmd",
	];
	documents.push(...plugin.map((name) => `dist/plugin/${name}`));
	const rest = tarball.files.filter((path) => !documents.includes(path));
	const page = /^dist\/server\/page\/(index\.html|page\.css|page\.js)$/;
	expect(rest.filter((path) => page.test(path))).toHaveLength(3);
	expect(
		rest.filter((path) => !page.test(path) && !/^dist\/[\w./-]+\.(js|js\.map|d\.ts)$/.test(path)),
	).toEqual([]);
	expect(rest.filter((path) => /(^|\/)(test|tools|examples)\/|\.test\./.test(path))).toEqual([]);
});

test("every compiled file comes with its types", () => {
	const scripts = tarball.files.filter((path) => path.endsWith(".js"));
	expect(scripts.length).toBeGreaterThan(10);
	const untyped = scripts.filter((path) => !tarball.files.includes(path.replace(/\.js$/, ".d.ts")));
	// Packages that the provider loads when it first needs them, and the page's script; nobody imports them by these names.
	const later = [
		"dist/provider/cronstrue.js",
		"dist/provider/smol-toml.js",
		"dist/provider/undici.js",
		"dist/provider/ws.js",
		"dist/server/page/page.js",
	];
	// The plugin is a program; nobody imports it at all.
	const plugin = untyped.filter((path) => path.startsWith("dist/plugin/"));
	expect(plugin.length).toBeGreaterThan(1);
	expect(untyped.sort()).toEqual([...plugin, ...later].sort());
});

test("no published file names a folder of the machine that built it", () => {
	const traces = [repository, dirname(tarball.builtIn), homedir()].filter((path) => path.length > 5);
	const guilty = tarball.files.filter((path) => {
		const text = readFileSync(join(folder.path, "package", path), "utf8");
		return traces.some((trace) => text.includes(trace));
	});
	expect(guilty).toEqual([]);
});

test("every link of the packed README leads somewhere: into the package, down the page or to a URL", () => {
	const text = readFileSync(packed("README.md"), "utf8").replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, "");
	const found = text.matchAll(/\]\(([^)\s]+)|^\[[^\]\n]+\]:\s+(\S+)|\b(?:href|src|srcset)="([^"]+)"/gm);
	const targets = [...found].map((groups) => groups.slice(1).find((group) => group !== undefined) ?? "");
	expect(targets.length).toBeGreaterThan(5);
	const isDead = (target: string) => !/^(?:https:|#)/.test(target) && !existsSync(packed(target));
	expect(targets.filter(isDead)).toEqual([]);
	// A URL of our own repository names a file that there is.
	const own = targets.flatMap((target) => /\/(?:blob|raw)\/v[\d.]+\/([^#]+)/.exec(target)?.[1] ?? []);
	expect(own.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
	expect(readFileSync(join(tarball.builtIn, "README.md"), "utf8")).toBe(
		readFileSync(join(repository, "README.md"), "utf8"),
	);
});

test("the one map, of the one file that is not readable as it is, holds the sources that it names", () => {
	const maps = tarball.files.filter((path) => path.endsWith(".map"));
	expect(maps).toEqual(["dist/provider/index.js.map"]);
	const { sources, sourcesContent } = mapOf("dist/provider/index.js.map");
	expect(sources.length).toBeGreaterThan(10);
	expect(sources.filter((_, index) => !sourcesContent[index])).toEqual([]);
	const named = tarball.files.filter((path) => /\.(?:js|ts)$/.test(path)).flatMap(mapNamedBy);
	expect(named).toEqual(maps);
});

/** The path of the map that a file names in its last line. */
function mapNamedBy(path: string): string[] {
	const name = /^\/\/# sourceMappingURL=(\S+)$/m.exec(readFileSync(packed(path), "utf8"))?.[1];
	return name === undefined ? [] : [join(path, "..", name).replaceAll("\\", "/")];
}

test("the package stays small: it is fetched in every run of a CI", () => {
	// A tenth above 0.2.0. Most of it is what the plugin and the provider carry, each for itself, to need no other package.
	expect(tarball.size).toBeLessThan(1_550_000);
	expect(tarball.unpackedSize).toBeLessThan(6_500_000);
});

/** Runs a script and answers the JSON that it prints. */
async function evaluate(script: string, ...flags: string[]): Promise<unknown> {
	return JSON.parse(await succeed(node([...flags, "-e", script], folder.path)));
}

const packed = (path: string): string => join(folder.path, "package", path);
const mapSchema = z.object({
	sources: z.array(z.string()),
	sourcesContent: z.array(z.string().nullable()),
});
const mapOf = (path: string) => mapSchema.parse(JSON.parse(readFileSync(packed(path), "utf8")));

describe("the provider, which Pulumi starts for every operation", () => {
	test("is one file without dependencies, and each kind of resource can be served from it", async () => {
		// No package is installed here.
		const script = `let compiled = 0;
globalThis.Function = new Proxy(Function, { construct: (...args) => (compiled++, Reflect.construct(...args)) });
const provider = require("./package/dist/provider");
for (const kind of ["schedule", "settings", "file", "pipeline", "job"]) provider[kind]();
const files = Object.keys(require.cache).length;
console.log(JSON.stringify({ names: Object.keys(provider).sort(), files, compiled }));`;
		expect(await evaluate(script)).toEqual({
			names: ["dynamicProvider", "file", "job", "pipeline", "schedule", "settings"],
			files: 1,
			// zod would compile code for its schemas, which costs more than it saves.
			compiled: 0,
		});
	});

	test.each([
		["index.js", "zod"],
		["undici.js", "undici"],
		["cronstrue.js", "cronstrue"],
		["smol-toml.js", "smol-toml"],
	])("%s holds one package, %s, and its licence", (bundle, name) => {
		const text = readFileSync(packed(`dist/provider/${bundle}`), "utf8");
		expect([...text.matchAll(/^This file contains (\S+)/gm)].map(([, one]) => one)).toEqual([name]);
		expect(text).toMatch(new RegExp(`^This file contains ${name} [\\d.]+:\\n(.*\\n){1,4}.*Copyright`, "m"));
	});

	test("has a map by which a stack trace names the line of the source", async () => {
		const script = `try { require("./package/dist/provider").dynamicProvider("Nothing"); }
catch (error) { console.log(JSON.stringify(error.stack)); }`;
		const stack = z.string().parse(await evaluate(script, "--enable-source-maps"));
		const [, path = "", line = ""] = /(src\/provider\/\w+\.ts):(\d+)/.exec(stack) ?? [];
		expect(readFileSync(join(repository, path), "utf8").split("\n")[Number(line) - 1]).toContain("throw new");
		const { sources } = mapOf("dist/provider/index.js.map");
		expect(sources.filter((source) => !existsSync(join(repository, "dist", "provider", source)))).toEqual([]);
	});
});

test("a program that uses neither lookups nor storages loads neither the client nor zod", async () => {
	const script = `const { PipelineSchedule, getJobs, storage } = require(${JSON.stringify(join(tarball.builtIn, "dist"))});
const loaded = () => Object.keys(require.cache).filter((path) => /[\\\\/](zod|undici|dist[\\\\/]api)[\\\\/]/.test(path)).length > 0;
const before = loaded();
storage.s3({ key: "k" });
console.log(JSON.stringify([typeof PipelineSchedule, typeof getJobs, before, loaded()]));`;
	expect(await evaluate(script)).toEqual(["function", "function", false, true]);
});

test("publint finds nothing to improve", async () => {
	const { code, stdout, stderr } = await node([tool("publint"), tarball.file, "--strict"], folder.path);
	expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
});

test("are-the-types-wrong finds the types right for every way to resolve them", async () => {
	// All of them: node10, which knows no "exports", has the types by typesVersions.
	const args = [tool("attw"), tarball.file, "--profile", "strict", "--format", "ascii", "--no-color"];
	const { code, stdout, stderr } = await node(args, folder.path);
	expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
});
