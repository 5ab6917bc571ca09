import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";

const cruiser = join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
const config = join(repository, ".dependency-cruiser.cjs");

const FOLDERS = readdirSync(join(repository, "src"), { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);
const PARTS = ["export", "drift", "forecast", "doctor"];
const DEPENDENCIES = ["undici", "ws", "hono", "@hono/node-server", "@fastify/busboy", "commander"];
const OWNED = [...DEPENDENCIES, "cronstrue", "smol-toml", "@pulumi/pulumi"];
const slug = (name: string) => name.replace("@", "").replace("/", "-");
const from = (name: string) => `import * as it from "${name}"; export const own = it;`;

/** A planted file, what it says, and the rule that it breaks; none where it is allowed. */
type Planted = readonly [file: string, text: string, rule?: string];

const PLANTED: readonly Planted[] = [
	...FOLDERS.map((folder): Planted => [`src/${folder}/entry.ts`, from("../index"), `flow-${folder}`]),
	["src/index.ts", from("./api/leaf"), "flow-index"],
	...PARTS.map((part): Planted => [`src/commands/${part}-x.ts`, from("./leaf"), `flow-commands-${part}`]),
	...OWNED.map((name): Planted => {
		return [`src/report/${slug(name)}.ts`, from(name), `only-owner-imports-${slug(name)}`];
	}),
	["src/api/transport.ts", 'export const undici = () => require("undici");'],
	["src/resources/with-pulumi.ts", from("@pulumi/pulumi")],
	["src/provider/by-flow.ts", from("../api/leaf")],
	// Every form of an import counts.
	[
		"src/schemas/form-type.ts",
		'import type { leaf } from "../api/leaf"; export type A = typeof leaf;',
		"flow-schemas",
	],
	["src/schemas/form-export.ts", 'export { leaf } from "../api/leaf";', "flow-schemas"],
	["src/schemas/form-require.ts", 'export const leaf = () => require("../api/leaf");', "flow-schemas"],
	["src/schemas/form-import.ts", 'export const leaf = () => import("../api/leaf");', "flow-schemas"],
	["src/schemas/form-typeof.ts", 'export type A = typeof import("../api/leaf");', "flow-schemas"],
	["src/novel/a.ts", from("../schemas/leaf"), "folder-without-rule"],
	["src/api/cycle-a.ts", 'import { b } from "./cycle-b"; export const a = () => b;', "no-cycle"],
	["src/api/cycle-b.ts", 'import { a } from "./cycle-a"; export const b = () => a;'],
	["src/api/types-a.ts", 'import type { B } from "./types-b"; export interface A { b: B }'],
	["src/api/types-b.ts", 'import type { A } from "./types-a"; export interface B { a: A }'],
	["src/commands/by-name.ts", from("pulumi-datachain/provider"), "not-by-own-name"],
	["src/api/by-path.ts", from("../../dist/provider/index"), "not-by-own-name"],
	["src/provider/index.ts", "export const entry = 1;"],
	["src/commands/drift-by-entry.ts", from("../provider"), "provider-entry-stands-apart"],
	["src/storage/builders.ts", from("@pulumi/pulumi")],
	["src/provider/by-builder.ts", from("../storage/builders"), "storage-builders-are-for-programs"],
	["src/api/http.ts", from("node:http"), "no-sockets-of-its-own"],
	["src/api/proxy.ts", from("node:https")],
	["src/api/http-type.ts", 'import type { Server } from "node:http"; export type S = Server;'],
	["src/api/tested.ts", from("../../test/helpers/leaf"), "src-stands-alone"],
	["src/api/dev.ts", from("vitest"), "declared-dependencies-only"],
	["src/api/undeclared.ts", from("undeclared"), "declared-dependencies-only"],
	["src/api/missing.ts", from("./not-there"), "imports-exist"],
	["test/contract/server-x.test.ts", from("../../src/api/leaf"), "server-is-tested-from-outside"],
	["test/contract/client-x.test.ts", from("../../src/api/leaf")],
	["examples/a/index.ts", from("../../src/index"), "examples-are-programs-of-users"],
	["examples/b/index.ts", from("pulumi-datachain")],
];

const reportSchema = z.object({
	summary: z.object({
		violations: z.array(
			z.object({ from: z.string(), rule: z.object({ name: z.string(), severity: z.literal("error") }) }),
		),
		ruleSetUsed: z.object({ forbidden: z.array(z.object({ name: z.string() })) }),
	}),
});

function plant(root: string, file: string, text: string): void {
	mkdirSync(dirname(join(root, file)), { recursive: true });
	writeFileSync(join(root, file), text);
}

function plantAll(root: string): void {
	const leaves = [...FOLDERS.map((folder) => `src/${folder}/leaf.ts`), "test/helpers/leaf.ts"];
	for (const file of leaves) plant(root, file, "export const leaf = 1;");
	for (const [file, text] of PLANTED) plant(root, file, text);
	plant(root, "dist/provider/index.js", "");
	const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "*"]));
	const manifest = {
		name: "pulumi-datachain",
		dependencies: versions([...DEPENDENCIES, "cronstrue", "smol-toml"]),
		peerDependencies: versions(["@pulumi/pulumi"]),
		devDependencies: versions(["@pulumi/pulumi", "vitest", "pulumi-datachain"]),
		exports: { ".": "./dist/index.js", "./provider": "./dist/provider/index.js" },
	};
	plant(root, "package.json", JSON.stringify(manifest));
	for (const name of [...OWNED, "vitest", "undeclared"]) {
		plant(root, `node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
		plant(root, `node_modules/${name}/index.js`, "");
	}
	symlinkSync(root, join(root, "node_modules", "pulumi-datachain"), "junction");
}

const sorted = (lines: Iterable<string>) => [...new Set(lines)].sort();

describe("the lint check of imports", () => {
	let folder: TempFolder;
	let summary: z.infer<typeof reportSchema>["summary"];

	beforeAll(async () => {
		folder = tempFolder("import-flow-");
		plantAll(folder.path);
		const args = [cruiser, "--config", config, "--output-type", "json", "src", "test", "examples"];
		const { stdout } = await run(process.execPath, args, { cwd: folder.path, timeoutMs: 60_000 });
		summary = reportSchema.parse(JSON.parse(stdout)).summary;
	}, 90_000);
	afterAll(() => folder?.remove());

	test("names exactly the files that break a rule, and the rule", () => {
		const found = summary.violations.map(({ from: file, rule }) => `${file}: ${rule.name}`);
		const expected = PLANTED.flatMap(([file, , rule]) => (rule ? [`${file}: ${rule}`] : []));
		expect(sorted(found)).toEqual(sorted(expected));
	});

	test("is tried with every rule of the configuration", () => {
		const rules = summary.ruleSetUsed.forbidden.map(({ name }) => name);
		expect(sorted(PLANTED.flatMap(([, , rule]) => rule ?? []))).toEqual(sorted(rules));
	});
});
