import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, goTool, modules, type Part, pinnedVersion, programOf } from "./build";
import { cacheRoot, keep } from "./cache";
import { executable, findIn, pathFolders } from "./environment";

/** Programs beside the engine that only some suites need: each is built when one asks for it, and kept. */
const HOSTS = {
	yaml: {
		title: "YAML language host",
		module: "language-yaml",
		package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
	},
	python: {
		title: "Python language host",
		module: "language-python",
		package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
		script: ["python", "cmd", "pulumi-language-python-exec"],
	},
	go: {
		title: "Go language host",
		module: "language-go",
		package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
	},
	java: {
		title: "Java language host",
		module: "language-java",
		package: "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
	},
	generator: {
		title: "SDK generator",
		module: "sdk-gen",
		package: "pulumi-datachain/engine/sdk-gen",
	},
	actionlint: {
		title: "actionlint",
		module: "actionlint",
		package: "github.com/rhysd/actionlint/cmd/actionlint",
	},
} as const satisfies Record<string, Part>;

export type HostName = keyof typeof HOSTS;

/** Where they lie in the cache. */
const SHELF = "hosts";

/** The name of its folder in the cache. The generator is a program of ours: other sources are another one. */
function keyOf(name: HostName): string {
	const { module } = HOSTS[name];
	const parts = [
		programOf(HOSTS[name]),
		pinnedVersion(module),
		...(name === "generator" ? [hashOf(join(modules, module))] : []),
	];
	return [...parts, process.platform, process.arch].join("-");
}

/** Of all files in a folder. */
export function hashOf(folder: string): string {
	const hash = createHash("sha256");
	for (const file of readdirSync(folder).sort())
		hash.update(readFileSync(join(folder, file)));
	return hash.digest("hex").slice(0, 12);
}

/** The folder that holds the program: one on PATH, or the one that was built from pinned modules. */
export async function ensureHost(
	name: HostName,
	env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
	const part = HOSTS[name];
	const onPath = pathFolders(env).find(
		(folder) => findIn([folder], programOf(part)) !== undefined,
	);
	if (onPath !== undefined && name !== "generator") return onPath;
	return keep({
		shelf: SHELF,
		key: keyOf(name),
		title: `the ${part.title}`,
		isComplete: (folder) => existsSync(join(folder, executable(programOf(part)))),
		make: (folder) => compile(goTool({ env, say: console.error }), part, folder),
		env,
	});
}

/** Why it cannot be had on this machine; undefined where it can. */
export function hostProblem(
	name: HostName,
	env: NodeJS.ProcessEnv = process.env,
): string | undefined {
	const part = HOSTS[name];
	const kept = join(cacheRoot(env), SHELF, keyOf(name));
	if (findIn([kept, ...pathFolders(env)], programOf(part)) !== undefined)
		return undefined;
	return findIn(pathFolders(env), "go") === undefined
		? `the ${part.title} is not on PATH, and there is no Go to build it`
		: undefined;
}
