import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { templateOptions } from "../../tools/template-options";

/** What a user's project has installed; the rest is found beside it. */
const dependencies = ["@pulumi/pulumi", "@types/node", "typescript", "ts-node"];

/** A Pulumi project of its own with the program of a folder here, as it is or transpiled. */
export function programProject(program: string, language: "ts" | "js"): TempFolder {
	const folder = tempFolder(`bench-${program}-`);
	const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
	write(
		"Pulumi.yaml",
		`name: bench\nruntime:\n  name: nodejs\n  options:\n    typescript: ${language === "ts"}\n`,
	);
	write("package.json", JSON.stringify({ name: "bench", private: true, main: `index.${language}` }));
	if (language === "ts")
		write("tsconfig.json", JSON.stringify({ compilerOptions: templateOptions, files: ["index.ts"] }));
	const source = join(__dirname, program);
	for (const file of readdirSync(source)) {
		const text = readFileSync(join(source, file), "utf8");
		if (language === "ts" || !file.endsWith(".ts")) write(file, text);
		else write(file.replace(/ts$/, "js"), transpile(text));
	}
	linkDependencies(folder.path);
	return folder;
}

function transpile(text: string): string {
	const options = { target: ScriptTarget.ES2020, module: ModuleKind.CommonJS, esModuleInterop: true };
	return transpileModule(text, { compilerOptions: options }).outputText;
}

function linkDependencies(folder: string): void {
	const link = (target: string, name: string) => {
		const path = join(folder, "node_modules", name);
		mkdirSync(dirname(path), { recursive: true });
		symlinkSync(target, path, "dir");
	};
	for (const name of dependencies) link(join(repository, "node_modules", name), name);
	link(repository, "pulumi-datachain");
}
