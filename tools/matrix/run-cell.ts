import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { startServer } from "../../src/server";
import type { Engine } from "../engine";
import { keep } from "../engine/cache";
import { executable, withPath } from "../engine/environment";
import { must, succeeded } from "../process/must";
import { type TempFolder, tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { createStack, managedResources } from "../stack";
import { templateOptions } from "../template-options";
import type { Cell, Runtime } from "./cells";

const sources = join(__dirname, "consumer");
/** Where the compiler writes, as in Pulumi's template. */
const compiled = templateOptions.outDir;

/** Installs, compiles and runs a program that has every class; with an engine deploys it as well. Throws where a step fails. */
export async function runCell(
	cell: Cell,
	tarball: string,
	engine?: Engine,
): Promise<void> {
	const runtime = await runtimeOf(cell);
	const project = makeProject(cell, tarball);
	const env = environmentOf(runtime);
	const step = (command: string, ...args: string[]) =>
		must(command, args, { cwd: project.path, env });
	try {
		await step(...(await installCommand(cell, runtime)));
		await step(runtime, join("node_modules", "typescript", "bin", "tsc"), "-p", ".");
		const { sdk, runtime: ranOn } = printed.parse(
			JSON.parse(await step(runtime, join(compiled, "mocked.js"))),
		);
		confirm("SDK", sdk, cell.sdk);
		confirm(
			"TypeScript",
			installedVersion(project.path, "typescript"),
			cell.typescript,
		);
		confirm("runtime", majorOf(ranOn), String(cell.runtime));
		if (engine === undefined) return;
		const outputs = await deploy(project.path, engine, env);
		confirm(
			"runtime of the engine",
			majorOf(String(outputs.runtime)),
			String(cell.runtime),
		);
	} finally {
		project.remove();
	}
}

/** A cell that tried something else than it says would be worth nothing. */
function confirm(what: string, actual: string, wanted: string): void {
	if (actual !== wanted) throw new Error(`The ${what} is ${actual}, not ${wanted}.`);
}

const majorOf = (runtime: string): string => /^v(\d+)\./.exec(runtime)?.[1] ?? runtime;

const installedVersion = (project: string, name: string): string =>
	JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8"))
		.version;

/** What the program prints: an id of every resource, that the other entry points are there, and what it ran on. */
const printed = z.object({
	sdk: z.string(),
	runtime: z.string(),
	ids: z.array(z.string().min(1)).length(5),
	entries: z.array(z.literal("function")).length(2),
});

/** Deploys, deploys again, destroys; answers the stack's outputs. */
async function deploy(projectDir: string, engine: Engine, env: NodeJS.ProcessEnv) {
	const server = await startServer();
	const stack = await createStack({
		projectDir,
		engine,
		env: { ...env, ...server.environment },
	});
	try {
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		succeeded(
			"a second pulumi up",
			await stack.up(["--skip-preview", "--refresh", "--expect-no-changes"]),
		);
		const outputs = await stack.outputs();
		succeeded("pulumi destroy", await stack.destroy(["--skip-preview"]));
		const left = managedResources(stack.checkpoint());
		if (left.length > 0)
			throw new Error(`pulumi destroy left ${left.map(({ urn }) => urn).join(", ")}`);
		return outputs;
	} finally {
		stack.dispose();
		await server.close();
	}
}

/** A new project of this kind that names the tarball and nothing of ours besides. */
function makeProject(cell: Cell, tarball: string): TempFolder {
	const folder = tempFolder("matrix-");
	const write = (name: string, text: string) =>
		writeFileSync(join(folder.path, name), text);
	cpSync(tarball, join(folder.path, "package.tgz"));
	for (const name of readdirSync(sources))
		cpSync(join(sources, name), join(folder.path, name));
	write("package.json", json(manifest(cell)));
	write(
		"tsconfig.json",
		json({ compilerOptions: compilerOptions(cell), files: readdirSync(sources) }),
	);
	write(
		"Pulumi.yaml",
		"name: consumer\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
	);
	if (cell.manager === "yarn") {
		// An empty lockfile says that the project begins here; Pulumi's host knows nothing of Plug'n'Play.
		write("yarn.lock", "");
		const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org";
		write(".yarnrc.yml", YARN.replace("REGISTRY", registry));
	}
	return folder;
}

const YARN = `nodeLinker: node-modules
enableScripts: false
enableTelemetry: false
enableImmutableInstalls: false
npmRegistryServer: "REGISTRY"
`;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const manifest = ({ modules, sdk, typescript }: Cell) => ({
	name: "consumer",
	version: "1.0.0",
	private: true,
	type: modules === "ESM" ? "module" : "commonjs",
	main: `${compiled}/resources.js`,
	dependencies: { "@pulumi/pulumi": sdk, "pulumi-datachain": "file:./package.tgz" },
	devDependencies: { "@types/node": "^20", typescript },
});

/** CommonJS as in Pulumi's template, which resolves modules in the way of Node 10; TypeScript 6 calls that old. */
function compilerOptions({ modules, typescript }: Cell) {
	// TypeScript 6 takes no types that are not asked for.
	const usual = { ...templateOptions, types: ["node"], rootDir: "." };
	if (modules === "ESM")
		return {
			...usual,
			target: "es2022",
			module: "nodenext",
			moduleResolution: "nodenext",
		};
	return typescript.startsWith("5.") ? usual : { ...usual, ignoreDeprecations: "6.0" };
}

// ── The programs of a cell ──

const nodeVersions: Readonly<Record<Runtime, string>> = {
	20: "20.20.2",
	22: "22.23.3",
	24: "24.21.0",
};
const yarnVersion = "4.18.1";
const bunVersion = "1.4.4";

const platform = process.platform === "win32" ? "win" : process.platform;
/** Its plain name was taken. */
const nodePackage =
	platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";

/** A program that comes as an npm package: fetched once, and kept. */
async function fetched(name: string, version: string, file: string): Promise<string> {
	const program = (root: string) => join(root, "node_modules", name, file);
	const folder = await keep({
		shelf: "programs",
		key: `${name.replace("/", "-")}-${version}`,
		title: `${name} ${version}`,
		isComplete: (place) => existsSync(program(place)),
		make: async (place) => {
			const flags = [
				"--no-save",
				"--no-package-lock",
				"--ignore-scripts",
				"--no-audit",
				"--no-fund",
			];
			await must(
				"npm",
				["install", ...flags, "--prefix", place, `${name}@${version}`],
				{ cwd: place },
			);
		},
	});
	return program(folder);
}

const node = (major: Runtime): Promise<string> =>
	process.version.startsWith(`v${major}.`)
		? Promise.resolve(process.execPath)
		: fetched(
				`${nodePackage}-${platform}-${process.arch}`,
				nodeVersions[major],
				join("bin", executable("node")),
			);

const bun = (): Promise<string> => {
	const system = process.platform === "win32" ? "windows" : process.platform;
	const name = `@oven/bun-${system}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
	return fetched(name, bunVersion, join("bin", executable("bun")));
};

/** What runs the cell's programs. */
const runtimeOf = ({ runtime }: Cell): Promise<string> =>
	runtime === "bun" ? bun() : node(runtime);

/** The environment in which the runtime is the first of its name, for scripts and for the engine. */
function environmentOf(runtime: string): NodeJS.ProcessEnv {
	return withPath(process.env, join(runtime, ".."));
}

/** The command that installs what package.json names. No package of ours needs its scripts. */
async function installCommand(
	cell: Cell,
	runtime: string,
): Promise<[string, ...string[]]> {
	switch (cell.manager) {
		case "npm":
			return [
				"npm",
				"install",
				"--ignore-scripts",
				"--prefer-offline",
				"--no-audit",
				"--no-fund",
			];
		case "pnpm": {
			const pnpm = join(repository, "node_modules", "pnpm", "bin", "pnpm.cjs");
			return [
				runtime,
				pnpm,
				"install",
				"--ignore-scripts",
				"--prefer-offline",
				"--no-frozen-lockfile",
			];
		}
		case "yarn":
			return [
				runtime,
				await fetched("@yarnpkg/cli-dist", yarnVersion, join("bin", "yarn.js")),
				"install",
			];
		case "bun":
			return [runtime, "install", "--ignore-scripts"];
	}
}
