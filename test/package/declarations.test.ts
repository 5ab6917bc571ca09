import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	type CompilerOptions,
	createProgram,
	flattenDiagnosticMessageText,
	getPreEmitDiagnostics,
	ModuleKind,
	ModuleResolutionKind,
	type Program,
	ScriptTarget,
} from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { entryPoints, manifest } from "../helpers/package-tarball";

const dist = join(repository, "dist").replaceAll("\\", "/");
const { dependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

const nodenext = { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext };
/** Pulumi's project template: it knows no "exports". */
const commonjs = { module: ModuleKind.CommonJS, moduleResolution: ModuleResolutionKind.Node10 };

/** A project that has the package, as this checkout built it. */
let project: TempFolder;

beforeAll(() => {
	project = tempFolder("package-declarations-");
	symlinkSync(join(repository, "node_modules"), join(project.path, "node_modules"), "junction");
});
afterAll(() => project?.remove());

/** A program of one file. The declarations of all packages are checked with it. */
function programOf(file: string, source: string, options: CompilerOptions): Program {
	writeFileSync(join(project.path, file), source);
	return createProgram([join(project.path, file)], {
		noEmit: true,
		strict: true,
		exactOptionalPropertyTypes: true,
		skipLibCheck: false,
		target: ScriptTarget.ES2022,
		lib: ["lib.es2022.d.ts"],
		types: ["node"],
		typeRoots: [join(repository, "node_modules", "@types")],
		...options,
	});
}

const messages = (program: Program): string[] =>
	getPreEmitDiagnostics(program).map(
		({ file, messageText }) => `${file?.fileName}: ${flattenDiagnosticMessageText(messageText, "\n")}`,
	);

const importOf = (name: string, as = "all"): string => `import * as ${as} from "${name}";
export const ${as}Names: string[] = Object.keys(${as});
// @ts-expect-error Fails where the entry has no types: then everything is allowed.
${as}.thisIsNoExport;
`;

describe.each(entryPoints)("the declarations that a program loads with %s", (name) => {
	let program: Program;
	beforeAll(() => {
		program = programOf("one.ts", importOf(name), nodenext);
	});
	const own = () => program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));

	test("need none of the packages that only the code needs: not every program can check those", () => {
		const packages = program
			.getSourceFiles()
			.flatMap(({ fileName }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(fileName)?.[1] ?? []);
		expect(packages.includes("@pulumi/pulumi")).toBe(name === manifest.name);
		expect(packages.filter((one) => one in dependencies)).toEqual([]);
		expect(own().filter(({ text }) => /\bzod\b/i.test(text))).toEqual([]);
	});

	test("have no line of a comment that an editor takes for a tag and cuts", () => {
		expect(own().length).toBeGreaterThan(10);
		const cut = own().flatMap(({ text }) => text.match(/^\s*(?:\/\*\*|\*)\s*@.*$/gm) ?? []);
		expect(cut).toEqual([]);
	});
});

describe("a strict program that imports every entry and checks all declarations", () => {
	const source = entryPoints.map((name, index) => importOf(name, `entry${index}`)).join("");

	test.each<[string, string, CompilerOptions]>([
		["as CommonJS, with the module options of Pulumi's template", "all.ts", commonjs],
		["as CommonJS of Node.js", "all.cts", nodenext],
		["as an ES module of Node.js", "all.mts", nodenext],
	])("compiles %s", (_, file, options) => {
		expect(messages(programOf(file, source, { esModuleInterop: false, ...options }))).toEqual([]);
	});
});
