import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Check, fail, ok, skip, warn } from "./result";
import { find, searchFolders } from "./runtime";
import { manifestVersion } from "./version";

const NAME = "plugin";
const PROGRAM = "pulumi-resource-datachain";

/**
 * Which plugin the engine would use, and whether it is of this version. Programs in TypeScript need none unless they
 * declare a Provider; Python and YAML cannot do without.
 */
export function checkPlugin(cwd: string, env: NodeJS.ProcessEnv, own: string): Check {
	const declared = declaredFolder(cwd);
	const program = declared ? find([declared], PROGRAM) : find(searchFolders(env), PROGRAM);
	if (declared !== undefined && program === undefined) {
		return warn(
			NAME,
			`Pulumi.yaml names ${declared} as the plugin's folder, and there is no ${PROGRAM} in it.`,
			"Run `npm install pulumi-datachain` and name node_modules/pulumi-datachain/dist/plugin there.",
		);
	}
	const language = projectLanguage(cwd);
	if (program === undefined && isOther(language)) {
		return fail(
			NAME,
			`A program in ${language} needs ${PROGRAM}, and neither Pulumi.yaml nor the PATH has one.`,
			language === "python"
				? "Run `pip install pulumi-datachain`, and keep the virtual environment active."
				: "Run `npm install pulumi-datachain` and name node_modules/pulumi-datachain/dist/plugin under plugins.providers.",
		);
	}
	if (program === undefined)
		return skip(NAME, "None is set up; programs in TypeScript need one only for a Provider of their own.");
	const where = declared ? `${declared}, as Pulumi.yaml says` : `${program}, found on the PATH`;
	const version = versionOf(program);
	if (version === own) return ok(NAME, `${PROGRAM} ${version} at ${where}`);
	return warn(
		NAME,
		`The engine would use ${PROGRAM} ${version ?? "of an unknown version"} at ${where}, but this command is ${own}.`,
		declared
			? `Install pulumi-datachain ${own} there.`
			: `Install pulumi-datachain ${own} with pip or npm, or name its folder under plugins.providers in Pulumi.yaml.`,
	);
}

/** The language of the project in this folder, as its Pulumi.yaml says; undefined where there is none. */
export function projectLanguage(cwd: string): string | undefined {
	// On the same line, or as the name among the indented lines below.
	const runtime =
		/^runtime:[ \t]*(?:["']?(?<plain>\w+)|\r?\n(?:[ \t]+.*\r?\n)*?[ \t]+name:[ \t]*["']?(?<named>\w+))/m;
	const { plain, named } = runtime.exec(projectText(cwd))?.groups ?? {};
	return plain ?? named;
}

/** True of a program that is not run by Node.js. */
export const isOther = (language: string | undefined): language is string =>
	language !== undefined && language !== "nodejs";

function projectText(cwd: string): string {
	const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(cwd, name)).find(existsSync);
	return file === undefined ? "" : readFileSync(file, "utf8");
}

/** The folder that the project names under `plugins.providers`, read without a YAML library: one entry, one line each. */
function declaredFolder(cwd: string): string | undefined {
	const entry =
		/-\s*(?:name:\s*["']?datachain["']?\s+path:\s*(?<after>\S+)|path:\s*(?<before>\S+)\s+name:\s*["']?datachain["']?)/;
	const { after, before } = entry.exec(projectText(cwd))?.groups ?? {};
	const path = (after ?? before)?.replace(/^["']|["']$/g, "");
	return path === undefined ? undefined : resolve(cwd, path);
}

/** The manifest beside the program; a wheel's console script has it in the package beside its interpreter. */
function versionOf(program: string): string | undefined {
	const folder = dirname(realpathSync(program));
	for (const path of [join(folder, "package.json"), ...wheelManifests(folder)]) {
		try {
			return manifestVersion(path);
		} catch {
			// Another place may have it.
		}
	}
	return undefined;
}

function wheelManifests(scripts: string): string[] {
	const library = join(dirname(scripts), "lib");
	const pythons = existsSync(library) ? readdirSync(library).filter((name) => name.startsWith("python")) : [];
	const folders = [...pythons.map((name) => join(library, name)), join(dirname(scripts), "Lib")];
	return folders.map((folder) => join(folder, "site-packages", "pulumi_datachain", "plugin", "package.json"));
}
