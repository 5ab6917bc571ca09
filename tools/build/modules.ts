import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { repository } from "../repository";

/** Where the compiler writes each module and its types. */
export const compiled = join(repository, ".build");

/** What users name: the entry points of package.json and the command. */
const PUBLIC = [
	"index",
	"client/index",
	"server/index",
	"commands/main",
	"provider/index",
];

/**
 * A user's program and the command line begin with few small modules, and each other module is loaded when it is first needed.
 * What the provider is made of is one file instead, because Pulumi starts a process for each operation, and to find,
 * read and evaluate a hundred files is most of what our part of it does at first.
 */
export interface Modules {
	/** Modules that stay files of their own. */
	readonly files: readonly string[];
	/** Modules of the provider that others load, too. */
	readonly doors: readonly string[];
	/** Whether a module is one of the provider's. */
	readonly isProviders: (module: string) => boolean;
	/** Modules that the provider loads from their own files, because a program or the command line begins with them. */
	readonly outside: readonly string[];
}

export function sortModules(): Modules {
	const first = reach(["index", "commands/main"], "import");
	const providers = reach(["provider/index"], "load");
	const isProviders = (module: string) => providers.has(module) && !first.has(module);
	const rest = reach(PUBLIC.slice(0, -1), "load", isProviders);
	return {
		files: [...rest].filter((module) => !isProviders(module)),
		doors: [...rest].filter(isProviders),
		isProviders,
		// Schemas and texts are tables and plain functions: a second copy in the provider's file saves it five files to read.
		outside: [...first].filter((module) => !/^(schemas|text)\//.test(module)),
	};
}

/** The modules whose types a user's program can load. */
export const publicTypes = (): string[] => [...reach(PUBLIC, "types")];

type Edge = "import" | "load" | "types";

/** The modules that are reached from some, by their paths without ending. What is left is not looked into. */
function reach(
	from: readonly string[],
	edge: Edge,
	isLeaf: (module: string) => boolean = () => false,
): Set<string> {
	const found = new Set<string>();
	const open = [...from];
	for (let module = open.pop(); module !== undefined; module = open.pop()) {
		if (found.has(module)) continue;
		found.add(module);
		if (!isLeaf(module)) open.push(...next(module, edge));
	}
	return found;
}

function next(module: string, edge: Edge): string[] {
	const text = readFileSync(
		join(compiled, `${module}${edge === "types" ? ".d.ts" : ".js"}`),
		"utf8",
	);
	const lines = edge === "import" ? text.split("\n").filter(isImport).join("\n") : text;
	// `host.require` loads a module of Pulumi's process.
	const found = lines.matchAll(
		/(?:(?<![.\w])require\(|\bfrom |\bimport |\bimport\()"(\.[^"$]+)"/g,
	);
	return [...found].flatMap(([, path = ""]) =>
		moduleAt(resolve(compiled, module, "..", path)),
	);
}

/** What the compiler makes of an import stands at the beginning of a line; what a function requires does not. */
const isImport = (line: string): boolean => /^\S/.test(line) && !line.includes("=>");

function moduleAt(path: string): string[] {
	const isFolder =
		existsSync(path) && statSync(path).isDirectory() && !existsSync(`${path}.js`);
	if (path.endsWith(".json")) return [];
	return [
		relative(compiled, isFolder ? join(path, "index") : path)
			.split(sep)
			.join("/"),
	];
}
