import { join } from "node:path";
import { createProgram, ModuleKind, ModuleResolutionKind, type SourceFile } from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { repository } from "../../tools/repository";

const dist = join(repository, "dist").replaceAll("\\", "/");

/** Every file that the compiler reads for a program that imports the package. */
let files: readonly SourceFile[];

beforeAll(() => {
	files = createProgram([join(dist, "index.d.ts")], {
		noEmit: true,
		module: ModuleKind.Node16,
		moduleResolution: ModuleResolutionKind.Node16,
		types: ["node"],
		typeRoots: [join(repository, "node_modules", "@types")],
	}).getSourceFiles();
});

const own = () => files.filter(({ fileName }) => fileName.startsWith(dist));

describe("the declarations that a program loads", () => {
	test("need no package but Pulumi's: zod's cannot be checked with the options of Pulumi's project template", () => {
		const packages = files.flatMap(
			({ fileName }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(fileName)?.[1] ?? [],
		);
		expect(packages).toContain("@pulumi/pulumi");
		expect(packages.filter((name) => ["zod", "undici", "ws", "hono"].includes(name))).toEqual([]);
	});

	test("have no line of a comment that an editor takes for a tag and cuts", () => {
		expect(own().length).toBeGreaterThan(10);
		const cut = own().flatMap(({ text }) => text.match(/^\s*(?:\/\*\*|\*)\s*@.*$/gm) ?? []);
		expect(cut).toEqual([]);
	});
});
