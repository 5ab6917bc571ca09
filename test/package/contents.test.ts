import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { nameOf, oldest } from "../../tools/matrix/cells";
import { runCell } from "../../tools/matrix/run-cell";
import { packTarball, type Tarball } from "../../tools/pack/tarball";
import { must } from "../../tools/process/must";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { entryPoints, manifest, unpackTarball } from "../helpers/package-tarball";

const folder = tempFolder("package-contents-");
let tarball: Tarball;

beforeAll(async () => {
	tarball = await packTarball(folder);
	await must("tar", ["-xzf", tarball.file, "-C", folder.path]);
});

test("the package holds the compiled code, its types, the licence and the readme, and nothing else", () => {
	const plugin = [
		"package.json",
		"schema.json",
		"pulumi-resource-datachain",
		"pulumi-resource-datachain.cmd",
	].map((name) => `dist/plugin/${name}`);
	const documents = [
		"package.json",
		"LICENSE",
		"README.md",
		"dist/board/page.html",
		...plugin,
	];
	expect(documents.filter((path) => !tarball.files.includes(path))).toEqual([]);
	const rest = tarball.files.filter((path) => !documents.includes(path));
	expect(
		rest.filter((path) => !/^dist\/[\w./-]+\.(js|js\.map|d\.ts)$/.test(path)),
	).toEqual([]);
	expect(
		rest.filter((path) => /(^|\/)(test|tools|examples)\/|\.test\./.test(path)),
	).toEqual([]);
});

test("every entry point comes with its types, and no types lie there that no entry point leads to", () => {
	const { exports } = JSON.parse(readFileSync(packed("package.json"), "utf8"));
	const typed = Object.values(exports).flatMap(
		(entry) => Reflect.get(Object(entry), "types") ?? [],
	);
	const open = typed.map((path) => String(path).slice("./".length));
	expect(open).toHaveLength(4);
	const found = new Set(open);
	for (const path of found)
		for (const [, name = ""] of readFileSync(packed(path), "utf8").matchAll(
			/(?:from |import |import\()"(\.[^"]+)"/g,
		)) {
			const module = join(path, "..", name).replaceAll("\\", "/");
			found.add(
				tarball.files.includes(`${module}.d.ts`)
					? `${module}.d.ts`
					: `${module}/index.d.ts`,
			);
		}
	const types = tarball.files.filter(
		(path) => path.endsWith(".d.ts") && path !== "dist/commands/main.d.ts",
	);
	expect(types.sort()).toEqual([...found].sort());
});

test("each library is bundled once", () => {
	const scripts = tarball.files.filter((path) => path.endsWith(".js"));
	const notices = scripts.flatMap((path) =>
		readFileSync(packed(path), "utf8")
			.split(/^This file contains /m)
			.slice(1),
	);
	// Each brings its licence along.
	expect(
		notices.filter((text) => !/^\S+ [\d.]+:\n[\s\S]*copyright/i.test(text)),
	).toEqual([]);
	const bundled = notices.map((text) => text.split(" ")[0]);
	expect(bundled).toEqual(
		expect.arrayContaining([
			"zod",
			"undici",
			"ws",
			"cronstrue",
			"smol-toml",
			"@grpc/grpc-js",
		]),
	);
	expect(bundled.sort()).toEqual([...new Set(bundled)].sort());
});

test("no published file names a folder of the machine that built it", () => {
	const traces = [repository, dirname(tarball.builtIn), homedir()].filter(
		(path) => path.length > 5,
	);
	const guilty = tarball.files.filter((path) => {
		const text = readFileSync(join(folder.path, "package", path), "utf8");
		return traces.some((trace) => text.includes(trace));
	});
	expect(guilty).toEqual([]);
});

test("every link of the packed README leads somewhere: into the package, down the page or to a URL", () => {
	const text = readFileSync(packed("README.md"), "utf8").replaceAll(
		/^```[\s\S]*?^```$|`[^`\n]*`/gm,
		"",
	);
	const found = text.matchAll(
		/\]\(([^)\s]+)|^\[[^\]\n]+\]:\s+(\S+)|\b(?:href|src|srcset)="([^"]+)"/gm,
	);
	const targets = [...found].map(
		(groups) => groups.slice(1).find((group) => group !== undefined) ?? "",
	);
	expect(targets.length).toBeGreaterThan(5);
	const isDead = (target: string) =>
		!/^(?:https:|#)/.test(target) && !existsSync(packed(target));
	expect(targets.filter(isDead)).toEqual([]);
	expect(readFileSync(join(tarball.builtIn, "README.md"), "utf8")).toBe(
		readFileSync(join(repository, "README.md"), "utf8"),
	);
});

test("the package stays small: it is fetched in every run of a CI", () => {
	// About half of a package in which the plugin and the provider have each library for themselves.
	expect(tarball.size).toBeLessThan(680_000);
	expect(tarball.unpackedSize).toBeLessThan(2_800_000);
});

/** Runs a script and answers the JSON that it prints. */
async function evaluate(
	script: string,
	cwd = folder.path,
	inputType = "commonjs",
): Promise<unknown> {
	return JSON.parse(
		await must(process.execPath, [`--input-type=${inputType}`, "-e", script], { cwd }),
	);
}

const packed = (path: string): string => join(folder.path, "package", path);

describe("the provider, which Pulumi starts for every operation", () => {
	test("needs no installed package and few files, and each kind of resource can be served from it", async () => {
		// No package is installed here.
		const script = `let compiled = 0;
globalThis.Function = new Proxy(Function, { construct: (...args) => (compiled++, Reflect.construct(...args)) });
const provider = require("./package/dist/provider");
for (const kind of ["schedule", "settings", "file", "pipeline", "job"]) provider[kind]();
const files = Object.keys(require.cache).length;
console.log(JSON.stringify({ names: Object.keys(provider).sort(), files, compiled }));`;
		expect(await evaluate(script)).toEqual({
			names: ["file", "job", "pipeline", "schedule", "settings"],
			// The entry, what it leads to, the runtime of the bundle, and the errors, which the command line begins with.
			files: 4,
			// zod would compile code for its schemas, which costs more than it saves.
			compiled: 0,
		});
	});

	test("keeps the names and lines of our code, so that a stack trace can be read without a map", async () => {
		const script = `try { require("./package/dist/client").resolveConnection({ env: {}, explicit: { baseUrl: "none", token: "t", teamName: "a" } }); }
catch (error) { console.log(JSON.stringify(error.stack)); }`;
		const stack = z.string().parse(await evaluate(script));
		const [, name = "", line = ""] = /at (\w+) \(.*core\.js:(\d+)/.exec(stack) ?? [];
		const text = readFileSync(packed("dist/provider/core.js"), "utf8").split("\n")[
			Number(line) - 1
		];
		expect([name, text]).toEqual(["refuseUrl", expect.stringContaining("new ")]);
		expect(tarball.files.filter((path) => path.endsWith(".map"))).toEqual([]);
	});
});

test("a program that uses neither lookups nor storages loads neither the client nor zod", async () => {
	const script = `const { PipelineSchedule, getJobs, storage } = require(${JSON.stringify(join(tarball.builtIn, "dist"))});
const loaded = () => Object.keys(require.cache).filter((path) => /[\\\\/](zod|undici|dist[\\\\/](client|provider))[\\\\/]/.test(path)).length > 0;
const before = loaded();
storage.s3({ key: "k" });
console.log(JSON.stringify([typeof PipelineSchedule, typeof getJobs, before, loaded()]));`;
	expect(await evaluate(script)).toEqual(["function", "function", false, true]);
});

// All ways to resolve types: node10, which knows no "exports", has them by typesVersions.
test.each([
	["publint", ["--strict"]],
	["attw", ["--profile", "strict", "--format", "ascii", "--no-color"]],
])("%s finds nothing wrong", async (name, args) => {
	const program = join(repository, "node_modules", ".bin", name);
	await must(process.execPath, [program, tarball.file, ...args], { cwd: folder.path });
});

describe("the package in a project that has it installed", () => {
	let project: TempFolder;
	beforeAll(async () => {
		project = await unpackTarball(tarball);
	});
	const evaluated = (script: string, inputType?: string) =>
		evaluate(script, project.path, inputType);

	test.each(entryPoints)(
		"%s exports the same names to CommonJS and to ES modules",
		async (name) => {
			const print = "console.log(JSON.stringify(Object.keys(all)))";
			const required = await evaluated(`const all = require("${name}"); ${print}`);
			const imported = await evaluated(
				`import * as all from "${name}"; ${print}`,
				"module",
			);
			expect(required).not.toEqual([]);
			expect(imported).toEqual(
				expect.arrayContaining(z.array(z.string()).parse(required)),
			);
		},
	);

	test("what lies behind the exports cannot be reached, but package.json can", async () => {
		const script = `let code;
try { require("${manifest.name}/dist/schemas/endpoints.js"); } catch (error) { code = error.code; }
console.log(JSON.stringify([require("${manifest.name}/package.json").version, code]));`;
		expect(await evaluated(script)).toEqual([
			manifest.version,
			"ERR_PACKAGE_PATH_NOT_EXPORTED",
		]);
	});

	test("the command loads one package before it knows what to do: the one that reads its arguments", async () => {
		const loaded = await evaluated(
			`process.argv.push("pulumi-datachain", "--version");
process.stdout.write = () => true;
process.on("exit", () => require("fs").writeSync(1, JSON.stringify(Object.keys(require.cache))));
require("./node_modules/${manifest.name}/dist/commands/main.js");`,
		);
		const packages = z
			.array(z.string())
			.parse(loaded)
			.flatMap(
				(path) =>
					/.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? [],
			);
		expect(new Set(packages)).toEqual(new Set([manifest.name, "commander"]));
	});
});

/** Every other combination, on the engine as well, is `npm run test:matrix`; the installed commands deploy in e2e. */
test(`a program with every class is installed, compiled and run: ${nameOf(oldest)}`, () =>
	runCell(oldest, tarball.file));
