import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ensureHost } from "../../tools/engine/hosts";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { type Declared, type TestDeployment, testDeployment } from "./e2e-deployment";
import { wheelEnvironment } from "./plugin-wheel";

export type PluginLanguage = "yaml" | "python";

/** A deployment whose program is in another language than ours, served by the plugin. */
export async function pluginDeployment(language: PluginLanguage): Promise<TestDeployment> {
	const test = await testDeployment({ env: { PATH: await pathOf(language) } });
	return { ...test, declare: (...resources) => writeProgram(language, test.folder, resources) };
}

/** Where the language's host is found and, for Python, the plugin that the wheel brought. */
export async function pathOf(language: PluginLanguage): Promise<string> {
	const host = await ensureHost(language);
	const folders = language === "python" ? [(await wheelEnvironment()).scripts, host] : [host];
	return [...folders, withoutPlugin()].join(delimiter);
}

/** A copy of the language's example, installed as its README says. */
export function exampleProject(language: PluginLanguage): TempFolder {
	const folder = tempFolder(`example-${language}-`);
	cpSync(join(repository, "examples", language), folder.path, { recursive: true });
	mkdirSync(join(folder.path, "node_modules"));
	symlinkSync(repository, join(folder.path, "node_modules", "pulumi-datachain"), "dir");
	return folder;
}

/** The PATH without our own checkout's folder of programs, which would bring the plugin along. */
export const withoutPlugin = (): string =>
	(process.env.PATH ?? "")
		.split(delimiter)
		.filter((folder) => !folder.startsWith(join(repository, "node_modules")))
		.join(delimiter);

/** The same resources as a program of that language, in place of the one that is in the folder. */
export function writeProgram(language: PluginLanguage, folder: string, resources: readonly Declared[]): void {
	if (language === "yaml") {
		writeFileSync(join(folder, "Pulumi.yaml"), yamlProject(resources));
		return;
	}
	writeFileSync(join(folder, "Pulumi.yaml"), "name: lifecycle\nruntime: python\n");
	writeFileSync(join(folder, "__main__.py"), PYTHON_PROGRAM);
	writeFileSync(join(folder, "declared.json"), JSON.stringify(resources));
}

/** JSON is YAML; only the first line is read by others than the engine. */
function yamlProject(resources: readonly Declared[]): string {
	const entries = resources.map(({ kind, name, args, opts, from }) => {
		const linked = Object.entries(from ?? {}).map(([key, paths]) => [
			key,
			paths.map((path) => `\${${path}}`),
		]);
		const properties = { ...(yamlValue(args) as object), ...Object.fromEntries(linked) };
		return [name, { type: `datachain:${kind}`, properties, ...(opts && { options: opts }) }];
	});
	const plugins = { providers: [{ name: "datachain", path: join(repository, "dist", "plugin") }] };
	const lines = { plugins, resources: Object.fromEntries(entries) };
	return [
		"name: lifecycle",
		"runtime: yaml",
		...Object.entries(lines).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
	].join("\n");
}

function yamlValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(yamlValue);
	if (typeof value !== "object" || value === null) return value;
	if ("$secret" in value) return { "fn::secret": yamlValue(value.$secret) };
	if ("$from" in value) return `\${${String(value.$from)}}`;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, yamlValue(inner)]));
}

const PYTHON_PROGRAM = `
import json, re
import pulumi
import pulumi_datachain as datachain

made = {}

def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)

def output_of(path):
    resource, output = path.split(".")
    return getattr(made[resource], snake(output))

def revive(value):
    if isinstance(value, list):
        return [revive(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$secret" in value:
        return pulumi.Output.secret(revive(value["$secret"]))
    if "$from" in value:
        return output_of(value["$from"])
    return {key: revive(item) for key, item in value.items()}

for row in json.load(open("declared.json")):
    args = {snake(key): revive(value) for key, value in row["args"].items()}
    for key, paths in row.get("from", {}).items():
        args[snake(key)] = [output_of(path) for path in paths]
    if "storage" in args:
        args["storage"] = {kind: {snake(k): v for k, v in p.items()} for kind, p in args["storage"].items()}
    made[row["name"]] = getattr(datachain, row["kind"])(row["name"], **args)
`;
