import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../process/temp-folder";
import { compile, copySdkScript, goTool, modules, type Part } from "./build";
import { cacheRoot } from "./cache";
import { executable, findIn, pathFolders } from "./environment";
import { withLock } from "./lock";
import { createProgress } from "./progress";
import {
	actionlintVersion,
	engineVersion,
	goHostVersion,
	javaHostVersion,
	languageHostVersion,
	yamlHostVersion,
} from "./versions";

/** Programs beside the engine that only some suites need: each is built when one asks for it, and kept. */
const HOSTS = {
	yaml: {
		title: `YAML language host ${yamlHostVersion}`,
		module: "language-yaml",
		package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
		program: "pulumi-language-yaml",
		version: yamlHostVersion,
	},
	python: {
		title: `Python language host ${languageHostVersion}`,
		module: "language-python",
		package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
		program: "pulumi-language-python",
		version: languageHostVersion,
	},
	go: {
		title: `Go language host ${goHostVersion}`,
		module: "language-go",
		package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
		program: "pulumi-language-go",
		version: goHostVersion,
	},
	java: {
		title: `Java language host ${javaHostVersion}`,
		module: "language-java",
		package: "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
		program: "pulumi-language-java",
		version: javaHostVersion,
	},
	generator: {
		title: `SDK generator ${engineVersion}`,
		module: "sdk-gen",
		package: "pulumi-datachain/engine/sdk-gen",
		program: "sdk-gen",
		version: engineVersion,
	},
	actionlint: {
		title: `actionlint ${actionlintVersion}`,
		module: "actionlint",
		package: "github.com/rhysd/actionlint/cmd/actionlint",
		program: "actionlint",
		version: actionlintVersion,
	},
} as const satisfies Record<string, Part>;

export type HostName = keyof typeof HOSTS;

const lockWaitMs = 60 * 60_000;

/** The name of its folder in the cache. The generator is a program of ours: other sources are another one. */
function keyOf(name: HostName): string {
	const { program, version, module } = HOSTS[name];
	const parts = [program, version, ...(name === "generator" ? [hashOf(join(modules, module))] : [])];
	return [...parts, process.platform, process.arch].join("-");
}

function hashOf(folder: string): string {
	const hash = createHash("sha256");
	for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
	return hash.digest("hex").slice(0, 12);
}

/** The folder that holds the program: one on PATH, or the one that was built from pinned modules. */
export async function ensureHost(name: HostName, env: NodeJS.ProcessEnv = process.env): Promise<string> {
	const part = HOSTS[name];
	const onPath = pathFolders(env).find((folder) => findIn([folder], part.program) !== undefined);
	if (onPath !== undefined && name !== "generator") return onPath;
	const parent = join(cacheRoot(env), "hosts");
	const key = keyOf(name);
	const folder = join(parent, key);
	if (existsSync(join(folder, executable(part.program)))) return folder;
	mkdirSync(parent, { recursive: true });
	const progress = createProgress();
	const onWait = (holder: string) =>
		progress.note(`Waiting for process ${holder}, which builds the ${part.title}.`);
	try {
		await withLock(join(parent, `${key}.lock`), { onWait, waitMs: lockWaitMs }, async () => {
			if (existsSync(join(folder, executable(part.program)))) return;
			// Made aside and moved into place whole: what is interrupted leaves nothing that could pass for finished.
			const work = tempFolder(`.${key}-`, parent);
			try {
				const tool = goTool({ env, progress });
				await compile(tool, part, work.path, part.title);
				if (name === "python")
					await copySdkScript(tool, work.path, "python", "cmd", "pulumi-language-python-exec");
				rmSync(folder, { recursive: true, force: true });
				renameSync(work.path, folder);
			} finally {
				work.remove();
			}
		});
	} finally {
		progress.end();
	}
	return folder;
}

/** Why it cannot be had on this machine; undefined where it can. */
export function hostProblem(name: HostName, env: NodeJS.ProcessEnv = process.env): string | undefined {
	const { program, title } = HOSTS[name];
	const kept = join(cacheRoot(env), "hosts", keyOf(name));
	if (findIn([kept, ...pathFolders(env)], program) !== undefined) return undefined;
	return findIn(pathFolders(env), "go") === undefined
		? `the ${title} is not on PATH, and there is no Go to build it`
		: undefined;
}
