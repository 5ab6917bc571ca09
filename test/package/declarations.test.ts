import { join } from "node:path";
import { getPreEmitDiagnostics, type Program } from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { repository } from "../../tools/repository";
import { programOf } from "../helpers/docs-pages";
import { entryPoints, manifest } from "../helpers/package-tarball";

const dist = join(repository, "dist").replaceAll("\\", "/");

const importOf = (name: string): string => `import * as all from "${name}";
export const names: string[] = Object.keys(all);
// @ts-expect-error Fails where the entry has no types: then everything is allowed.
all.thisIsNoExport;
`;

/** The declarations are checked with the program that imports them. */
const STRICT = {
	strict: true,
	exactOptionalPropertyTypes: true,
	skipLibCheck: false,
	module: "nodenext",
	target: "es2022",
	lib: ["es2022"],
};

describe.each(entryPoints)("the declarations that a program loads with %s", (name) => {
	let program: Program;
	beforeAll(() => {
		program = programOf({ "one.ts": importOf(name) }, STRICT);
	});
	const own = () =>
		program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));

	// With the options of Pulumi's template a program is compiled in test/package/contents.test.ts.
	test("have no errors", () => {
		expect(
			getPreEmitDiagnostics(program).map(({ messageText }) => messageText),
		).toEqual([]);
	});

	test("need none of the packages that only the code needs: not every program can check those", () => {
		const packages = program
			.getSourceFiles()
			.flatMap(
				({ fileName }) =>
					/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(fileName)?.[1] ?? [],
			);
		expect(packages.includes("@pulumi/pulumi")).toBe(name === manifest.name);
		expect(packages.filter((one) => one in manifest.dependencies)).toEqual([]);
		expect(own().filter(({ text }) => /\bzod\b/i.test(text))).toEqual([]);
	});

	test("have no line of a comment that an editor takes for a tag and cuts", () => {
		expect(own().length).toBeGreaterThan(10);
		const cut = own().flatMap(
			({ text }) => text.match(/^\s*(?:\/\*\*|\*)\s*@.*$/gm) ?? [],
		);
		expect(cut).toEqual([]);
	});
});
