import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	createProgram,
	getPreEmitDiagnostics,
	ModuleKind,
	ModuleResolutionKind,
	type Program,
	ScriptTarget,
} from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { entryPoints, manifest } from "../helpers/package-tarball";

const dist = join(repository, "dist").replaceAll("\\", "/");

const importOf = (name: string): string => `import * as all from "${name}";
export const names: string[] = Object.keys(all);
// @ts-expect-error Fails where the entry has no types: then everything is allowed.
all.thisIsNoExport;
`;

/** A strict program in a project that has the package, as this checkout built it; declarations are checked with it. */
function programOf(name: string): Program {
	const { path } = tempFolder("package-declarations-");
	symlinkSync(join(repository, "node_modules"), join(path, "node_modules"), "junction");
	writeFileSync(join(path, "one.ts"), importOf(name));
	return createProgram([join(path, "one.ts")], {
		noEmit: true,
		strict: true,
		exactOptionalPropertyTypes: true,
		skipLibCheck: false,
		module: ModuleKind.NodeNext,
		moduleResolution: ModuleResolutionKind.NodeNext,
		target: ScriptTarget.ES2022,
		lib: ["lib.es2022.d.ts"],
		types: ["node"],
		typeRoots: [join(repository, "node_modules", "@types")],
	});
}

describe.each(entryPoints)("the declarations that a program loads with %s", (name) => {
	let program: Program;
	beforeAll(() => {
		program = programOf(name);
	});
	const own = () => program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));

	// With the options of Pulumi's template a program is compiled in test/package/matrix.test.ts.
	test("have no errors", () => {
		expect(getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
	});

	test("need none of the packages that only the code needs: not every program can check those", () => {
		const packages = program
			.getSourceFiles()
			.flatMap(({ fileName }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(fileName)?.[1] ?? []);
		expect(packages.includes("@pulumi/pulumi")).toBe(name === manifest.name);
		expect(packages.filter((one) => one in manifest.dependencies)).toEqual([]);
		expect(own().filter(({ text }) => /\bzod\b/i.test(text))).toEqual([]);
	});

	test("have no line of a comment that an editor takes for a tag and cuts", () => {
		expect(own().length).toBeGreaterThan(10);
		const cut = own().flatMap(({ text }) => text.match(/^\s*(?:\/\*\*|\*)\s*@.*$/gm) ?? []);
		expect(cut).toEqual([]);
	});
});
