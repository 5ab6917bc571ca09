import { symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { templateOptions } from "../../tools/template-options";
import type { Block } from "./docs-pages";

/** What the compiler says of the blocks, as files of one project that `pulumi new typescript` made. */
export function compileBlocks(blocks: readonly Block[]): string[] {
	const project = tempFolder("docs-blocks-");
	try {
		symlinkSync(join(repository, "node_modules"), join(project.path, "node_modules"), "junction");
		const places = new Map(
			blocks.map((block) => {
				const name = `${block.page.replaceAll("/", "-")}-${block.line}.ts`;
				writeFileSync(join(project.path, name), block.text);
				return [name, block] as const;
			}),
		);
		const { options, errors } = ts.convertCompilerOptionsFromJson(templateOptions, project.path);
		if (errors.length > 0) throw new Error("The options of the template cannot be read.");
		const files = [...places.keys()].map((name) => join(project.path, name));
		const program = ts.createProgram(files, {
			...options,
			noEmit: true,
			// The declarations have a test of their own.
			skipLibCheck: true,
			types: ["node"],
			typeRoots: [join(repository, "node_modules", "@types")],
		});
		return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
			const block = places.get(basename(file?.fileName ?? ""));
			const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
			const where = block ? `${block.page}:${block.line + line}` : file?.fileName;
			return `${where}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
		});
	} finally {
		project.remove();
	}
}
