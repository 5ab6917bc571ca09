import {
	copyFileSync,
	existsSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { basename, delimiter, join } from "node:path";
import { version } from "../../package.json";
import type { LocalServer } from "../../src/server";
import { ensureHost } from "../../tools/engine/hosts";
import { buildExecutable } from "../../tools/plugin/executable";
import { packPlugin } from "../../tools/plugin/main";
import { must, succeeded } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { buildPlatformWheel, buildPython } from "../../tools/python/main";
import { repository } from "../../tools/repository";
import { managedResources, resourceName } from "../../tools/stack";
import type { Declared, TestDeployment } from "./e2e-deployment";
import { PLUGINS } from "./engine";
import { onLoopback } from "./raw-server";

let made: ReturnType<typeof makeEnvironment> | undefined;

/** Built once for the file that asks. */
export function wheelEnvironment() {
	made ??= makeEnvironment();
	return made;
}

/**
 * A fresh virtual environment with nothing in it but what `pip install` of our wheel brings. Its scripts are first on PATH,
 * as in an active environment; `pure` is the wheel for platforms that have none of their own.
 */
async function makeEnvironment() {
	const { path } = tempFolder("pulumi-datachain-wheel-test-");
	const scripts = join(path, "venv", "bin");
	const python = join(scripts, "python");
	await must("python3", ["-m", "venv", join(path, "venv")]);
	const folder = join(path, "wheel");
	const { wheel: pure, sdist } = await buildPython(python, folder);
	await buildPlatformWheel(python, pure, await buildExecutable(), folder);
	// By the name of the package, so that pip shows which of the two it prefers.
	const from = ["--find-links", folder, `pulumi-datachain==${version}`];
	await must(python, [
		"-m",
		"pip",
		"install",
		"--quiet",
		"--disable-pip-version-check",
		...from,
	]);
	return { python, scripts, pure, sdist };
}

/** A PATH with the engine, these folders and a shell, and nothing else of this machine: there is no Node on it. */
export function pathWithoutNode(
	{ stack }: TestDeployment,
	...folders: readonly string[]
): string {
	const { path } = tempFolder("pulumi-datachain-programs-");
	for (const name of ["sh", "env", "uname", "which"]) {
		const found = ["/bin", "/usr/bin"]
			.map((folder) => join(folder, name))
			.find(existsSync);
		if (found !== undefined) symlinkSync(found, join(path, name));
	}
	const [engine = ""] = (stack.env.PATH ?? "").split(delimiter);
	return [engine, ...folders, path].join(delimiter);
}

/** How many requests were sent that write: this API reads with GET and writes with POST. */
export const writes = ({ requests }: LocalServer): number =>
	requests.entries.filter(({ method }) => method !== "GET").length;

/** Ids in the state, by name. */
export const ids = ({ stack }: TestDeployment): Record<string, string | undefined> =>
	Object.fromEntries(
		managedResources(stack.checkpoint()).map((found) => [
			resourceName(found),
			found.id,
		]),
	);

/** Which hosts the resources of the state belong to. */
export const types = ({ stack }: TestDeployment): string[] => [
	...new Set(
		managedResources(stack.checkpoint()).map(({ type }) => type.replace(/:\w+$/, "")),
	),
];

export type PluginLanguage = "yaml" | "python";

/** Where the language's host is found and, for Python, the plugin that the wheel brought. */
export async function pathOf(language: PluginLanguage): Promise<string> {
	const host = await ensureHost(language);
	const folders =
		language === "python" ? [(await wheelEnvironment()).scripts, host] : [host];
	return [...folders, withoutPlugin()].join(delimiter);
}

/** The PATH without our own checkout's folder of programs, which would bring the plugin along. */
export const withoutPlugin = (): string =>
	(process.env.PATH ?? "")
		.split(delimiter)
		.filter((folder) => !folder.startsWith(join(repository, "node_modules")))
		.join(delimiter);

/** The same resources as a program of that language, in place of the one that is in the folder. */
export function writeProgram(
	language: PluginLanguage,
	folder: string,
	resources: readonly Declared[],
): void {
	if (language === "yaml") {
		writeFileSync(join(folder, "Pulumi.yaml"), yamlProject(resources));
		return;
	}
	writeFileSync(join(folder, "Pulumi.yaml"), "name: lifecycle\nruntime: python\n");
	copyFileSync(
		join(repository, "test/fixtures/python/declared_program.py"),
		join(folder, "__main__.py"),
	);
	writeFileSync(join(folder, "declared.json"), JSON.stringify(resources));
}

/** JSON is YAML; only the first line is read by others than the engine. */
function yamlProject(resources: readonly Declared[]): string {
	const entries = resources.map(({ kind, name, args, opts }) => [
		name,
		{
			type: `datachain:${kind}`,
			properties: yamlValue(args),
			...(opts && { options: opts }),
		},
	]);
	const found = JSON.stringify(Object.fromEntries(entries));
	return `name: lifecycle\nruntime: yaml\nplugins: ${PLUGINS}\nresources: ${found}`;
}

function yamlValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(yamlValue);
	if (typeof value !== "object" || value === null) return value;
	if ("$secret" in value) return { "fn::secret": yamlValue(value.$secret) };
	if ("$from" in value) return `\${${String(value.$from)}}`;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, yamlValue(inner)]),
	);
}

/** `pulumi plugin install` of the plugin's archive, as a release has it. */
export async function installPlugin({ stack }: TestDeployment): Promise<void> {
	const archive = await packPlugin(
		await buildExecutable(),
		tempFolder("plugin-archive-").path,
	);
	const server = createServer((request, response) => {
		const isAsked = basename(request.url ?? "") === basename(archive);
		response.statusCode = isAsked ? 200 : 404;
		response.end(isAsked ? readFileSync(archive) : undefined);
	});
	const { url, close } = await onLoopback(server);
	const args = ["plugin", "install", "resource", "datachain", version, "--server", url];
	try {
		succeeded("pulumi plugin install", await stack.run(args));
	} finally {
		await close();
	}
}
