import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Check, fail, ok } from "./result";
import { isAtLeast, isInRange } from "./version";

const INSTALL_CLI = "Install the Pulumi CLI as https://www.pulumi.com/docs/install/ says.";

export function checkNode(version: string, range: string): Check {
	if (isInRange(version, range)) return ok("node", `Node ${version}`);
	return fail(
		"node",
		`Node ${version} is outside ${range}.`,
		`Install Node ${range.replace(/^>=/, "")} or newer.`,
	);
}

/** The oldest CLI whose refresh shows drift field by field. */
const OLDEST_CLI = "3.216.0";

export async function checkCli(pulumi: (args: readonly string[]) => Promise<string>): Promise<Check> {
	let version: string;
	try {
		version = (await pulumi(["version"])).trim();
	} catch (error) {
		return fail("pulumi cli", error instanceof Error ? error.message : "It cannot be run.", INSTALL_CLI);
	}
	if (isAtLeast(version, OLDEST_CLI)) return ok("pulumi cli", `Pulumi ${version}`);
	return fail("pulumi cli", `Pulumi ${version} is older than ${OLDEST_CLI}.`, INSTALL_CLI);
}

/** Programs and dynamic providers run in helpers that come with the CLI; a bare copy of `pulumi` lacks them. */
export function checkLanguageHost(env: NodeJS.ProcessEnv): Check {
	const name = "language host";
	const folders = searchFolders(env);
	const missing = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"].filter(
		(program) => find(folders, program) === undefined,
	);
	if (missing.length === 0) return ok(name, "The CLI has its Node.js language host.");
	return fail(
		name,
		`${missing.join(" and ")} cannot be found, neither on the PATH nor beside pulumi.`,
		INSTALL_CLI,
	);
}

export function searchFolders(env: NodeJS.ProcessEnv): string[] {
	const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
	const onPath = (env[key] ?? "").split(delimiter).filter((folder) => folder !== "");
	const cli = find(onPath, "pulumi");
	return cli === undefined ? onPath : [...onPath, dirname(realpathSync(cli))];
}

export function find(folders: readonly string[], program: string): string | undefined {
	const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
	return folders
		.flatMap((folder) => endings.map((ending) => join(folder, program + ending)))
		.find((path) => {
			try {
				accessSync(path, constants.X_OK);
				return true;
			} catch {
				return false;
			}
		});
}
