import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	createProgram,
	flattenDiagnosticMessageText,
	getPreEmitDiagnostics,
	ModuleKind,
	ModuleResolutionKind,
} from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";

let folder: TempFolder;
beforeAll(() => {
	folder = tempFolder("declarations-");
});
afterAll(() => folder?.remove());

/** The types that a source file infers from its schemas, by module and name. */
function inferredTypes(): { module: string; name: string }[] {
	return readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts"))
		.flatMap((file) => {
			const text = readFileSync(join(repository, "src", file), "utf8");
			if (!text.includes('from "zod"')) return [];
			const names = [...text.matchAll(/^export type (\w+) =/gm)].map((match) => match[1] ?? "");
			return names.map((name) => ({ module: file.replace(/\.ts$/, "").replaceAll("\\", "/"), name }));
		});
}

/** What the compiler finds wrong with a file of its own. */
function compile(lines: readonly string[]): string[] {
	const file = join(folder.path, "same.ts");
	writeFileSync(file, lines.join("\n"));
	const program = createProgram([file], {
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		module: ModuleKind.Node16,
		moduleResolution: ModuleResolutionKind.Node16,
		types: ["node"],
		typeRoots: [join(repository, "node_modules", "@types")],
	});
	return getPreEmitDiagnostics(program).map(({ file: at, start, messageText }) => {
		const line = at?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
		return `${at?.fileName === file.replaceAll("\\", "/") ? lines[line] : at?.fileName}: ${flattenDiagnosticMessageText(messageText, " ")}`;
	});
}

test("every type in the package is the one that zod infers from its schema", () => {
	const types = inferredTypes();
	expect(types.length).toBeGreaterThan(30);
	const at = (root: string, module: string) =>
		JSON.stringify(join(repository, root, module).replaceAll("\\", "/"));
	const lines = [
		"type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;",
		...types.map(
			({ module, name }, index) =>
				`export const t${index}: Same<import(${at("dist", module)}).${name}, import(${at("src", module)}).${name}> = true;`,
		),
	];
	expect(compile(lines)).toEqual([]);
});
