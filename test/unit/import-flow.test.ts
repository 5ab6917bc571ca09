import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";

const repository = resolve(__dirname, "..", "..");
const cruiser = join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
const config = join(repository, ".dependency-cruiser.cjs");

/** Which folders of src a folder may import from, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
	schemas: [],
	cron: ["schemas"],
	storage: ["schemas"],
	api: ["cron", "schemas"],
	server: ["board", "cron", "schemas"],
	provider: ["api", "storage", "cron", "schemas"],
	plugin: ["provider", "functions", "api", "storage", "schemas"],
	resources: ["storage", "cron", "schemas"],
	functions: ["api", "schemas"],
	report: ["schemas"],
	board: ["commands", "api", "cron", "schemas", "report"],
	commands: ["schemas", "cron", "storage", "api", "server", "provider", "report", "board"],
	index: ["resources", "functions", "storage", "schemas"],
};
const folders = Object.keys(allowed).filter((folder) => folder !== "index");

/** What the parts beside a command's own file may import from: folders, and parts of other commands. */
const parts: Readonly<Record<string, readonly string[]>> = {
	export: ["storage", "cron", "schemas", "report"],
	drift: ["provider", "api", "cron", "schemas", "report"],
	forecast: ["drift", "api", "cron", "schemas", "report"],
	doctor: ["api", "schemas", "report"],
};

/** A planted file, what it says, and the rules that it breaks. */
type Planted = readonly [file: string, text: string, ...rules: string[]];

const flow: Planted[] = folders.flatMap((from) => [
	...folders
		.filter((to) => to !== from)
		.map((to): Planted => {
			const text = `import { leaf } from "../${to}/leaf"; export const own = leaf;`;
			return [`src/${from}/to-${to}.ts`, text, ...(allowed[from]?.includes(to) ? [] : [`flow-${from}`])];
		}),
	[`src/${from}/to-index.ts`, 'import { x } from "../index"; export const own = x;', `flow-${from}`],
]);

const partFlow: Planted[] = Object.entries(parts).flatMap(([part, may]) => {
	const others = [...folders.filter((to) => to !== "commands"), ...Object.keys(parts), ""];
	return others
		.filter((to) => to !== part)
		.map((to): Planted => {
			const leaf = folders.includes(to) ? `../${to}/leaf` : `./${to === "" ? "" : `${to}-`}leaf`;
			const isCommandsFlow = !folders.includes(to) || allowed.commands?.includes(to);
			return [
				`src/commands/${part}-to-${to || "command"}.ts`,
				`import { leaf } from "${leaf}"; export const own = leaf;`,
				...(may.includes(to) ? [] : [`flow-commands-${part}`]),
				...(isCommandsFlow ? [] : ["flow-commands"]),
			];
		});
});

const forms: Planted[] = [
	["src/schemas/form-type.ts", 'import type { leaf } from "../api/leaf"; export type A = typeof leaf;'],
	["src/schemas/form-export.ts", 'export { leaf } from "../api/leaf";'],
	["src/schemas/form-require.ts", 'export const leaf = () => require("../api/leaf");'],
	["src/schemas/form-import.ts", 'export const leaf = () => import("../api/leaf");'],
	["src/schemas/form-typeof.ts", 'export type A = typeof import("../api/leaf");'],
].map(([file = "", text = ""]) => [file, text, "flow-schemas"]);

const from = (name: string) => `import * as it from "${name}"; export const own = it;`;
const owned: Planted[] = [
	["src/api/transport.ts", 'export const undici = () => require("undici");'],
	["src/api/client.ts", from("undici"), "only-owner-imports-undici"],
	["src/server/proxy.ts", from("undici"), "only-owner-imports-undici"],
	["src/api/log-stream.ts", from("ws")],
	["src/server/logs.ts", from("ws")],
	["src/api/logs.ts", from("ws"), "only-owner-imports-ws"],
	["src/resources/with-pulumi.ts", from("@pulumi/pulumi")],
	["src/functions/with-pulumi.ts", from("@pulumi/pulumi")],
	["src/storage/builders.ts", from("@pulumi/pulumi")],
	["src/plugin/with-pulumi.ts", from("@pulumi/pulumi/runtime")],
	...["schemas", "cron", "storage", "api", "server", "provider", "report", "commands"].map(
		(folder): Planted => [
			`src/${folder}/with-pulumi.ts`,
			from("@pulumi/pulumi/runtime"),
			"only-owner-imports-pulumi-pulumi",
		],
	),
	["src/server/app.ts", from("hono")],
	["src/api/app.ts", from("hono"), "only-owner-imports-hono"],
	["src/server/listen.ts", from("@hono/node-server")],
	["src/commands/listen.ts", from("@hono/node-server"), "only-owner-imports-hono-node-server"],
	["src/server/files.ts", from("@fastify/busboy")],
	["src/server/upload.ts", from("@fastify/busboy"), "only-owner-imports-fastify-busboy"],
	["src/api/connection.ts", 'export const toml = () => require("smol-toml");'],
	["src/api/redaction.ts", from("smol-toml"), "only-owner-imports-smol-toml"],
	["src/commands/main.ts", from("commander")],
	["src/commands/drift-main.ts", from("commander"), "only-owner-imports-commander"],
	["src/cron/words.ts", from("cronstrue")],
	["src/report/words.ts", from("cronstrue"), "only-owner-imports-cronstrue"],
];

const others: Planted[] = [
	[
		"src/novel/a.ts",
		'import { leaf } from "../schemas/leaf"; export const own = leaf;',
		"folder-without-rule",
	],
	["src/novel.ts", 'import { leaf } from "./schemas/leaf"; export const own = leaf;', "folder-without-rule"],
	["src/api/cycle-a.ts", 'import { b } from "./cycle-b"; export const a = () => b;', "no-cycle"],
	["src/api/cycle-b.ts", 'import { a } from "./cycle-a"; export const b = () => a;'],
	["tools/cycle-a.ts", 'import { b } from "./cycle-b"; export const a = () => b;', "no-cycle"],
	["tools/cycle-b.ts", 'import { a } from "./cycle-a"; export const b = () => a;'],
	["src/api/types-a.ts", 'import type { B } from "./types-b"; export interface A { b: B }'],
	["src/api/types-b.ts", 'import type { A } from "./types-a"; export interface B { a: A }'],
	["src/commands/by-name.ts", from("pulumi-datachain/provider"), "not-by-own-name"],
	["src/api/by-path.ts", from("../../dist/provider/index"), "not-by-own-name"],
	["src/provider/index.ts", "export const entry = 1;"],
	[
		"src/commands/drift-by-entry.ts",
		'import { entry } from "../provider"; export const e = entry;',
		"provider-entry-stands-apart",
	],
	["src/provider/by-builder.ts", from("../storage/builders"), "storage-builders-are-for-programs"],
	["src/resources/by-builder.ts", from("../storage/builders")],
	["src/api/http.ts", from("node:http"), "no-sockets-of-its-own"],
	["src/provider/tls.ts", from("tls"), "no-sockets-of-its-own"],
	["src/api/proxy.ts", from("node:https")],
	["src/api/http-type.ts", 'import type { Server } from "node:http"; export type S = Server;'],
	["src/server/http.ts", from("node:http")],
	["src/commands/tool.ts", from("../../tools/leaf"), "src-stands-alone"],
	["src/api/tested.ts", from("../../test/helpers/leaf"), "src-stands-alone"],
	["src/api/dev.ts", from("vitest"), "declared-dependencies-only"],
	["src/api/undeclared.ts", from("undeclared"), "declared-dependencies-only"],
	["src/api/missing.ts", from("./not-there"), "imports-exist"],
	["test/contract/server-x.test.ts", from("../../src/api/leaf"), "server-is-tested-from-outside"],
	["test/unit/server/x.test.ts", from("../../../src/provider/leaf"), "server-is-tested-from-outside"],
	["test/contract/server-y.test.ts", from("../../src/server/leaf")],
	["test/contract/client-x.test.ts", from("../../src/api/leaf")],
	["examples/a/index.ts", from("../../src/index"), "examples-are-programs-of-users"],
	["examples/b/index.ts", from("pulumi-datachain")],
];

const index: Planted[] = folders.map((to) => {
	// The root of src is one file, so each of its imports is judged in a line of its own.
	const rules = allowed.index?.includes(to) ? [] : ["flow-index"];
	return [`src/index.ts`, `export { leaf as ${to} } from "./${to}/leaf";`, ...rules];
});

const planted = [...flow, ...partFlow, ...forms, ...owned, ...others, ...index];

const reportSchema = z.object({
	summary: z.object({
		violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
		ruleSetUsed: z.object({
			forbidden: z.array(z.object({ name: z.string(), comment: z.string().min(20) })),
		}),
	}),
});

function plant(root: string, file: string, text: string): void {
	mkdirSync(dirname(join(root, file)), { recursive: true });
	writeFileSync(join(root, file), text);
}

function plantAll(root: string): void {
	for (const folder of folders) plant(root, `src/${folder}/leaf.ts`, "export const leaf = 1;");
	for (const part of Object.keys(parts))
		plant(root, `src/commands/${part}-leaf.ts`, "export const leaf = 1;");
	for (const file of ["tools/leaf.ts", "test/helpers/leaf.ts"]) plant(root, file, "export const leaf = 1;");
	plant(root, "dist/provider/index.js", "");
	for (const [file, text] of planted) if (file !== "src/index.ts") plant(root, file, text);
	plant(root, "src/index.ts", ["export const x = 1;", ...index.map(([, text]) => text)].join("\n"));
	plantPackages(root);
}

function plantPackages(root: string): void {
	const runtime = ["undici", "ws", "hono", "@hono/node-server", "@fastify/busboy"];
	const dependencies = [...runtime, "commander", "cronstrue", "smol-toml"];
	const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "*"]));
	const manifest = {
		name: "pulumi-datachain",
		dependencies: versions(dependencies),
		peerDependencies: versions(["@pulumi/pulumi"]),
		devDependencies: versions(["@pulumi/pulumi", "vitest", "pulumi-datachain"]),
		exports: { ".": "./dist/index.js", "./provider": "./dist/provider/index.js" },
	};
	plant(root, "package.json", JSON.stringify(manifest));
	for (const name of [...dependencies, "@pulumi/pulumi", "vitest", "undeclared"]) {
		plant(root, `node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
		plant(root, `node_modules/${name}/index.js`, "");
	}
	plant(root, "node_modules/@pulumi/pulumi/runtime/index.js", "");
	symlinkSync(root, join(root, "node_modules", "pulumi-datachain"), "junction");
}

const sorted = (lines: Iterable<string>) => [...new Set(lines)].sort();

describe("the lint check of imports", () => {
	let folder: TempFolder;
	let summary: z.infer<typeof reportSchema>["summary"];

	beforeAll(async () => {
		folder = tempFolder("import-flow-");
		plantAll(folder.path);
		const { stdout } = await cruise("json");
		summary = reportSchema.parse(JSON.parse(stdout)).summary;
	}, 90_000);
	afterAll(() => folder?.remove());

	const cruise = (type: string) => {
		const args = [cruiser, "--config", config, "--output-type", type, "src", "tools", "test", "examples"];
		return run(process.execPath, args, { cwd: folder.path, timeoutMs: 60_000 });
	};

	test("fails where an import breaks a rule", async () => {
		expect((await cruise("err")).code).not.toBe(0);
	});

	test("names exactly the planted files that break a rule, and the rule", () => {
		const found = summary.violations
			.filter(({ from: file }) => file !== "src/index.ts")
			.map(({ from: file, rule }) => `${file}: ${rule.name}`);
		const expected = planted
			.filter(([file]) => file !== "src/index.ts")
			.flatMap(([file, , ...rules]) => rules.map((rule) => `${file}: ${rule}`));
		expect(sorted(found)).toEqual(sorted(expected));
	});

	test("lets the main entry point export only what a program uses", () => {
		const found = summary.violations.filter(({ from: file, rule }) => {
			return file === "src/index.ts" && rule.name === "flow-index";
		});
		const outside = folders.filter((to) => !allowed.index?.includes(to)).map((to) => `src/${to}/leaf.ts`);
		expect(sorted(found.map(({ to }) => to))).toEqual(sorted(outside));
	});

	test("has a reason and a planted offender for every rule", () => {
		const rules = summary.ruleSetUsed.forbidden.map(({ name }) => name);
		expect(sorted(planted.flatMap(([, , ...broken]) => broken))).toEqual(sorted(rules));
	});

	test("knows every folder of src", () => {
		const entries = readdirSync(join(repository, "src")).map((name) => name.replace(/\.ts$/, ""));
		expect(entries.filter((name) => !(name in allowed))).toEqual([]);
	});
});
