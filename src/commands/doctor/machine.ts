import { execFile, spawnSync } from "node:child_process";
import {
	accessSync,
	constants,
	existsSync,
	readdirSync,
	readFileSync,
	realpathSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { KINDS, type Kind, PLUGIN_SERVER, providerStub } from "../../schemas/kinds";
import { messageOf } from "../../text/wording";
import { findAbove, findProject } from "../project-file";
import {
	fail,
	isAtLeast,
	isInRange,
	type Manifest,
	manifestVersion,
	OLDEST_CLI,
	ok,
	readManifest,
	skip,
	type Verdict,
	warn,
} from "./check";

const INSTALL_CLI =
	"Install the Pulumi CLI as https://www.pulumi.com/docs/install/ says.";

export function checkNode(version: string, range: string): Verdict {
	if (isInRange(version, range)) return ok(`Node ${version}`);
	return fail(
		`Node ${version} is outside ${range}.`,
		`Install Node ${range.replace(/^>=/, "")} or newer.`,
	);
}

export async function checkCli(
	pulumi: (args: readonly string[]) => Promise<string>,
): Promise<Verdict> {
	let version: string;
	try {
		version = (await pulumi(["version"])).trim();
	} catch (error) {
		return fail(`\`pulumi version\` failed: ${messageOf(error)}`, INSTALL_CLI);
	}
	if (isAtLeast(version, OLDEST_CLI)) return ok(`Pulumi ${version}`);
	return fail(`Pulumi ${version} is older than ${OLDEST_CLI}.`, INSTALL_CLI);
}

/** Programs and dynamic providers run in helpers that come with the CLI; a bare copy of `pulumi` lacks them. */
export function checkLanguageHost(env: NodeJS.ProcessEnv): Verdict {
	const folders = searchFolders(env);
	const missing = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"].filter(
		(program) => find(folders, program) === undefined,
	);
	if (missing.length === 0) return ok("The CLI has its Node.js language host.");
	return fail(
		`${missing.join(" and ")} cannot be found, neither on the PATH nor beside pulumi.`,
		INSTALL_CLI,
	);
}

const pathFolders = ({ PATH = "" }: NodeJS.ProcessEnv): string[] =>
	PATH.split(delimiter).filter((folder) => folder !== "");

/** What comes with the CLI is on the PATH or beside the CLI, of which the PATH may have only a link. */
function searchFolders(env: NodeJS.ProcessEnv): string[] {
	const onPath = pathFolders(env);
	const cli = find(onPath, "pulumi");
	return cli === undefined ? onPath : [...onPath, dirname(realpathSync(cli))];
}

function find(folders: readonly string[], program: string): string | undefined {
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

/** What a package says of itself, as the program in this folder would get it. */
function installedManifest(cwd: string, name: string): Manifest | undefined {
	try {
		return readManifest(
			createRequire(join(cwd, "index.js")).resolve(`${name}/package.json`),
		);
	} catch {
		return undefined;
	}
}

const installedVersion = (cwd: string, name: string): string | undefined =>
	installedManifest(cwd, name)?.version;

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const LOCKFILES: Readonly<Record<string, Manager>> = {
	"pnpm-lock.yaml": "pnpm",
	"yarn.lock": "yarn",
	"bun.lock": "bun",
	"bun.lockb": "bun",
	"package-lock.json": "npm",
};

export const packageManager = (cwd: string): Manager =>
	LOCKFILES[basename(findAbove(cwd, Object.keys(LOCKFILES)) ?? "")] ?? "npm";

const addCommand = (manager: Manager, dependency: string): string =>
	`${manager} ${manager === "npm" ? "install" : "add"} ${dependency}`;

const RUNNERS: Readonly<Record<Manager, string>> = {
	npm: "npx",
	pnpm: "pnpm exec",
	yarn: "yarn run",
	bun: "bunx",
};

export function checkSdk(cwd: string, range: string): Verdict {
	const version = installedVersion(cwd, "@pulumi/pulumi");
	const fix = `Run \`${addCommand(packageManager(cwd), '"@pulumi/pulumi@^3"')}\` in the folder of your program.`;
	if (version === undefined)
		return fail("@pulumi/pulumi is not installed in this folder.", fix);
	if (isInRange(version, range)) return ok(`@pulumi/pulumi ${version}`);
	return fail(`@pulumi/pulumi ${version} is outside ${range}.`, fix);
}

/** How the package was installed decides whether the provider's process can load it by name. */
export function checkPackage(cwd: string, own: string): Verdict {
	const manager = packageManager(cwd);
	if (findAbove(cwd, [".pnp.cjs", ".pnp.js"]) !== undefined) {
		return fail(
			"Yarn Plug'n'Play is in use: the provider runs in a plain node process, which cannot load packages from it.",
			"Put `nodeLinker: node-modules` into .yarnrc.yml and run `yarn install`.",
		);
	}
	const manifest = installedManifest(cwd, "pulumi-datachain");
	if (manifest?.pulumi?.resource === true)
		return fail(
			"`pulumi package add` has put an SDK that it generated in the place of the npm package. It lacks the dynamic provider, which the state may need, and the storage functions.",
			`Remove datachain under packages in Pulumi.yaml and the folder sdks/datachain, then run \`${addCommand(manager, `pulumi-datachain@${own}`)}\`.`,
		);
	const version = manifest?.version;
	if (version === undefined) {
		const why =
			manager === "pnpm"
				? " pnpm shows a package only to those that name it as a dependency."
				: "";
		return fail(
			`pulumi-datachain cannot be loaded from this folder.${why}`,
			`Run \`${addCommand(manager, "pulumi-datachain")}\` in the folder of your program.`,
		);
	}
	if (version === own)
		return ok(`pulumi-datachain ${version}, found as ${manager} installs it`);
	return warn(
		`The program uses pulumi-datachain ${version}, but this command is ${own}.`,
		`Run the command that is installed in the folder of your program: \`${RUNNERS[manager]} pulumi-datachain doctor\`.`,
	);
}

/** What the engine does with the text in the state: evaluates it and asks for the provider. */
const RUN_STUBS = `for (const text of process.argv.slice(1)) {
	const made = { exports: {} };
	new Function("exports", "require", "module", text)(made.exports, require, made);
	const provider = made.exports.handler();
	for (const name of ["configure", "check", "diff", "create", "read", "update", "delete"]) {
		if (typeof provider[name] !== "function") throw new Error("the provider has no " + name);
	}
}`;

/** The single executable has a Node.js in it that runs nothing but this command. */
function plainNode(): string {
	const { isSea } = require("node:sea") as typeof import("node:sea");
	return isSea() ? "node" : process.execPath;
}

/** The text that stands for the provider in every state, run as the engine runs it: by a plain node in this folder. */
export async function checkStub(cwd: string): Promise<Verdict> {
	const stubs = (Object.keys(KINDS) as Kind[]).map(providerStub);
	try {
		await promisify(execFile)(plainNode(), ["-e", RUN_STUBS, ...stubs], {
			cwd,
			timeout: 60_000,
		});
		return ok("The state's provider text loads the provider in a plain node process.");
	} catch (error) {
		const text =
			error instanceof Error && "stderr" in error ? String(error.stderr) : "";
		const [, why = "it ended without saying why"] =
			/^(?:\w*Error)(?: \[\w+\])?: (.+)$/m.exec(text) ?? [];
		return fail(
			`The provider could not be loaded by a plain node process: ${why.slice(0, 300)}`,
			`Run \`${addCommand(packageManager(cwd), "pulumi-datachain @pulumi/pulumi")}\` in the folder of your program.`,
		);
	}
}

const PROGRAM = "pulumi-resource-datachain";

/** Where the engine would look for the plugin, and who needs it. */
interface PluginPlace {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Version of this package. */
	readonly own: string;
	/** The state has resources or an explicit provider that only the plugin serves. */
	readonly isInState?: boolean;
}

/**
 * Which plugin the engine would use, and whether it is of this version. Programs in TypeScript need none unless they
 * declare a Provider; Python and YAML cannot do without.
 */
export function checkPlugin({
	cwd,
	env,
	own,
	isInState = false,
}: PluginPlace): Verdict {
	const declared = declaredFolder(cwd);
	const language = projectLanguage(cwd);
	const onPath = declared ? undefined : find(ambientFolders(env), PROGRAM);
	const program = declared
		? find([declared], PROGRAM)
		: (onPath ?? find(installedFolders(env, own, language), PROGRAM));
	const isOtherLanguage = isOther(language);
	if (declared !== undefined && program === undefined) {
		const isFolder = existsSync(declared);
		const why = isFolder
			? `there is no ${PROGRAM} in it`
			: "there is no such folder, so the engine does not start";
		// Only an existing folder that nothing needs does no harm.
		const report = isFolder && !isInState && !isOtherLanguage ? warn : fail;
		return report(
			`Pulumi.yaml names ${declared} as the plugin's folder, and ${why}.`,
			"Run `npm install pulumi-datachain` and name node_modules/pulumi-datachain/dist/plugin there.",
		);
	}
	if (program === undefined && (isOtherLanguage || isInState)) {
		const who = isOtherLanguage
			? `A program in ${language}`
			: "The stack's state has resources of the plugin, so it";
		return fail(
			`${who} needs ${PROGRAM} ${own}, and it is neither named in Pulumi.yaml, nor on the PATH, nor installed.`,
			howToInstall(language, own),
		);
	}
	if (program === undefined)
		return skip(
			"None is set up; programs in TypeScript need one only for an explicit Provider.",
		);
	const foundWhere =
		onPath === undefined ? "where Pulumi installed it" : "found on the PATH";
	const where = declared
		? `${declared}, as Pulumi.yaml says`
		: `${program}, ${foundWhere}`;
	const version = versionOf(program);
	if (version === own) return ok(`${PROGRAM} ${version} at ${where}`);
	return warn(
		`The engine would use ${PROGRAM} ${version ?? "of an unknown version"} at ${where}, but this command is ${own}.`,
		declared
			? `Install pulumi-datachain ${own} there.`
			: onPath === undefined
				? `${howToInstall(language, own)} Then run \`pulumi plugin rm resource datachain ${version}\`.`
				: `Install pulumi-datachain ${own} with pip or npm, or name its folder under plugins.providers in Pulumi.yaml.`,
	);
}

/**
 * The folders in which the engine looks for a plugin first. `npx`, `pnpm exec` and `yarn run` put some of their own before
 * the PATH of the shell, in which the user runs `pulumi`.
 */
function ambientFolders(env: NodeJS.ProcessEnv): string[] {
	if (/^(1|true)$/i.test(env.PULUMI_IGNORE_AMBIENT_PLUGINS ?? "")) return [];
	const folders = pathFolders(env);
	if (env.npm_config_user_agent === undefined) return folders;
	const first = folders.findIndex((folder) => !RUNNER_FOLDER.test(folder));
	return first < 0 ? [] : folders.slice(first);
}

const RUNNER_FOLDER =
	/[\\/](node_modules[\\/]\.bin|node-gyp-bin|(yarn--|xfs-|bun-node-)[^\\/]*)[\\/]?$/;

/**
 * Where `pulumi plugin install` puts the plugin; the engine looks there after the PATH. A program names the version of its
 * SDK, and gets no other. YAML names none, and gets the newest.
 */
function installedFolders(
	env: NodeJS.ProcessEnv,
	own: string,
	language: string | undefined,
): string[] {
	const plugins = join(
		env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi"),
		"plugins",
	);
	const prefix = "resource-datachain-v";
	if (language !== "yaml") return [join(plugins, prefix + own)];
	const names = existsSync(plugins) ? readdirSync(plugins) : [];
	return names
		.filter((name) => name.startsWith(prefix) && !/\.(tmp\d+|partial|lock)$/.test(name))
		.sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
		.map((name) => join(plugins, name));
}

function howToInstall(language: string | undefined, version: string): string {
	if (language === "python")
		return "Run `pip install pulumi-datachain`, and keep the virtual environment active.";
	if (!isOther(language))
		return "Run `npm install pulumi-datachain` and name node_modules/pulumi-datachain/dist/plugin under plugins.providers.";
	return `Run \`pulumi plugin install resource datachain ${version} --server ${PLUGIN_SERVER}\`.`;
}

/** The language of the project in this folder, as its Pulumi.yaml says; undefined if there is none. */
export function projectLanguage(cwd: string): string | undefined {
	// On the same line, or as the name among the indented lines below.
	const runtime =
		/^runtime:[ \t]*(?:["']?(?<plain>\w+)|\r?\n(?:[ \t]+.*\r?\n)*?[ \t]+name:[ \t]*["']?(?<named>\w+))/m;
	const { plain, named } = runtime.exec(projectFile(cwd).text)?.groups ?? {};
	return plain ?? named;
}

/** True of a program that is not run by Node.js. */
export const isOther = (language: string | undefined): language is string =>
	language !== undefined && language !== "nodejs";

function projectFile(cwd: string): { folder: string; text: string } {
	const file = findProject(cwd);
	return file === undefined
		? { folder: cwd, text: "" }
		: { folder: dirname(file), text: readFileSync(file, "utf8") };
}

/** The folder that the project names under `plugins.providers`, read without a YAML library. */
function declaredFolder(cwd: string): string | undefined {
	const value = /"[^"\n]+"|'[^'\n]+'|[^\s,}]+/.source;
	const name = /["']?name["']?:\s*["']?datachain["']?/.source;
	const pathKey = /["']?path["']?:\s*/.source;
	const entry = new RegExp(
		`[-{]\\s*(?:${name}[\\s,]+${pathKey}(?<after>${value})|${pathKey}(?<before>${value})[\\s,]+${name})`,
	);
	const { folder, text } = projectFile(cwd);
	const { after, before } = entry.exec(text)?.groups ?? {};
	const path = (after ?? before)?.replace(/^["']|["']$/g, "");
	return path === undefined ? undefined : resolve(folder, path);
}

/** As the manifest beside it says, or else the program itself. */
function versionOf(program: string): string | undefined {
	try {
		return manifestVersion(join(dirname(realpathSync(program)), "package.json"));
	} catch {
		// An executable, and the script of a Python package, have nothing beside them.
		const { stdout } = spawnSync(program, ["--version"], {
			encoding: "utf8",
			timeout: 10_000,
		});
		return /^\d+\.\d+\.\d+\S*/.exec(stdout ?? "")?.[0];
	}
}
