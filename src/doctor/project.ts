import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { providerStub } from "../boundary/stub";
import { KINDS } from "../schemas/kinds";
import { findAbove } from "./find-above";
import { type Check, fail, ok, warn } from "./result";
import { isInRange, manifestVersion } from "./version";

/** The version of a package as the program in this folder would get it. */
function installedVersion(cwd: string, name: string): string | undefined {
	try {
		return manifestVersion(createRequire(join(cwd, "index.js")).resolve(`${name}/package.json`));
	} catch {
		return undefined;
	}
}

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const LOCKFILES: Readonly<Record<string, Manager>> = {
	"pnpm-lock.yaml": "pnpm",
	"yarn.lock": "yarn",
	"bun.lock": "bun",
	"bun.lockb": "bun",
	"package-lock.json": "npm",
};

export const packageManager = (cwd: string): Manager =>
	LOCKFILES[findAbove(cwd, Object.keys(LOCKFILES)) ?? ""] ?? "npm";

const addCommand = (manager: Manager, what: string): string =>
	`${manager} ${manager === "npm" ? "install" : "add"} ${what}`;

const RUNNERS: Readonly<Record<Manager, string>> = {
	npm: "npx",
	pnpm: "pnpm exec",
	yarn: "yarn run",
	bun: "bunx",
};

export function checkSdk(cwd: string, range: string): Check {
	const name = "pulumi sdk";
	const version = installedVersion(cwd, "@pulumi/pulumi");
	const fix = `Run \`${addCommand(packageManager(cwd), '"@pulumi/pulumi@^3"')}\` in the folder of your program.`;
	if (version === undefined) return fail(name, "@pulumi/pulumi is not installed in this folder.", fix);
	if (isInRange(version, range)) return ok(name, `@pulumi/pulumi ${version}`);
	return fail(name, `@pulumi/pulumi ${version} is outside ${range}.`, fix);
}

/** How the package was installed decides whether the provider's process can load it by name. */
export function checkPackage(cwd: string, own: string): Check {
	const name = "package";
	const manager = packageManager(cwd);
	if (findAbove(cwd, [".pnp.cjs", ".pnp.js"]) !== undefined) {
		return fail(
			name,
			"Yarn Plug'n'Play is in use: the provider runs in a plain node process, which cannot load packages from it.",
			"Put `nodeLinker: node-modules` into .yarnrc.yml and run `yarn install`.",
		);
	}
	const version = installedVersion(cwd, "pulumi-datachain");
	if (version === undefined) {
		const why = manager === "pnpm" ? " pnpm shows a package only to those that name it as a dependency." : "";
		return fail(
			name,
			`pulumi-datachain cannot be loaded from this folder.${why}`,
			`Run \`${addCommand(manager, "pulumi-datachain")}\` in the folder of your program.`,
		);
	}
	if (version === own) return ok(name, `pulumi-datachain ${version}, found as ${manager} installs it`);
	return warn(
		name,
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

/** The text that stands for the provider in every state, run as the engine runs it: by a plain node in this folder. */
export async function checkStub(cwd: string): Promise<Check> {
	const name = "provider stub";
	const stubs = Object.values(KINDS).map(({ entry }) => providerStub(entry));
	try {
		await promisify(execFile)(process.execPath, ["-e", RUN_STUBS, ...stubs], { cwd, timeout: 60_000 });
		return ok(name, "The state's provider text loads the provider in a plain node process.");
	} catch (error) {
		const text = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
		const [, why = "it ended without saying why"] = /^(?:\w*Error)(?: \[\w+\])?: (.+)$/m.exec(text) ?? [];
		return fail(
			name,
			`The provider could not be loaded by a plain node process: ${why.slice(0, 300)}`,
			`Run \`${addCommand(packageManager(cwd), "pulumi-datachain @pulumi/pulumi")}\` in the folder of your program.`,
		);
	}
}
