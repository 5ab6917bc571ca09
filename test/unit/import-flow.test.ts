import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const source = resolve(__dirname, "..", "..", "src");

/** Which folders of src a folder may import from, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
	schemas: [],
	api: ["schemas"],
	server: ["schemas"],
	boundary: [],
	provider: ["api", "schemas"],
	storage: ["schemas"],
	resources: ["boundary", "storage", "schemas"],
	functions: ["api", "schemas"],
	export: ["schemas"],
	drift: ["provider", "api", "schemas"],
	doctor: ["boundary", "api", "schemas"],
	cli: ["schemas", "api", "server", "provider", "boundary", "drift", "doctor", "export"],
	index: ["resources", "functions", "storage", "schemas"],
};

const pulumiFolders = ["resources", "functions", "storage", "boundary", "index"];

interface Import {
	readonly file: string;
	/** Folder of src, or `index` for the file at its root. */
	readonly folder: string;
	readonly target: string;
}

function importsOf(path: string): Import[] {
	const file = relative(source, path).split(sep).join("/");
	const parsed = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
	const found: Import[] = [];
	const visit = (node: ts.Node): void => {
		const target = targetOf(node);
		if (target !== undefined) found.push({ file, folder: folderOf(file), target });
		ts.forEachChild(node, visit);
	};
	visit(parsed);
	return found;
}

/** The module a node names: import and export declarations, import() in code and in types, require(). */
function targetOf(node: ts.Node): string | undefined {
	if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
		return textOf(node.moduleSpecifier);
	}
	if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
	if (!ts.isCallExpression(node)) return undefined;
	const loads =
		node.expression.kind === ts.SyntaxKind.ImportKeyword ||
		(ts.isIdentifier(node.expression) && node.expression.text === "require");
	return loads && node.arguments[0] ? textOf(node.arguments[0]) : undefined;
}

function textOf(node: ts.Node): string | undefined {
	return ts.isStringLiteralLike(node) ? node.text : undefined;
}

function folderOf(file: string): string {
	return file.includes("/") ? (file.split("/")[0] ?? "") : file.replace(/\.ts$/, "");
}

function targetFolder({ file, target }: Import): string | undefined {
	if (!target.startsWith(".")) return undefined;
	const path = relative(source, resolve(join(source, dirname(file)), target))
		.split(sep)
		.join("/");
	return path === "" ? "index" : folderOf(path.includes("/") || path in allowed ? `${path}/` : path);
}

const all = readdirSync(source, { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts"))
	.flatMap((path) => importsOf(join(source, path)));

const describeImport = ({ file, target }: Import) => `${file} imports ${target}`;

describe("the flow of imports in src", () => {
	test("every folder has its rule", () => {
		expect(all.length).toBeGreaterThan(20);
		expect([...new Set(all.map(({ folder }) => folder))].filter((folder) => !(folder in allowed))).toEqual(
			[],
		);
	});

	test("goes one way: resources to boundary, provider to api, everything to schemas", () => {
		const wrong = all.filter((each) => {
			const folder = targetFolder(each);
			return folder !== undefined && folder !== each.folder && !allowed[each.folder]?.includes(folder);
		});
		expect(wrong.map(describeImport)).toEqual([]);
	});

	test("nothing imports the package by its own name", () => {
		expect(all.filter(({ target }) => /^pulumi-datachain(\/|$)/.test(target)).map(describeImport)).toEqual(
			[],
		);
	});

	test("only the transport imports undici", () => {
		const wrong = all.filter(
			({ file, target }) => /^undici(\/|$)/.test(target) && file !== "api/transport.ts",
		);
		expect(wrong.map(describeImport)).toEqual([]);
	});

	test("only what runs in the user's program imports Pulumi", () => {
		const wrong = all.filter(
			({ folder, target }) => target.startsWith("@pulumi/") && !pulumiFolders.includes(folder),
		);
		expect(wrong.map(describeImport)).toEqual([]);
	});
});
