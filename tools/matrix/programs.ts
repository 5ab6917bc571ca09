import { existsSync } from "node:fs";
import { join } from "node:path";
import { keep } from "../engine/cache";
import { executable, withPath } from "../engine/environment";
import { must } from "../process/must";
import { repository } from "../repository";
import type { Cell, Runtime } from "./cells";

const nodeVersions: Readonly<Record<Runtime, string>> = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0" };
const yarnVersion = "4.18.1";
const bunVersion = "1.4.4";

const platform = process.platform === "win32" ? "win" : process.platform;
/** Its plain name was taken. */
const nodePackage = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";

/** A program that comes as an npm package: fetched once, and kept. */
async function fetched(name: string, version: string, file: string): Promise<string> {
	const program = (root: string) => join(root, "node_modules", name, file);
	const folder = await keep({
		shelf: "programs",
		key: `${name.replace("/", "-")}-${version}`,
		title: `${name} ${version}`,
		isComplete: (place) => existsSync(program(place)),
		make: async (place) => {
			const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
			await must("npm", ["install", ...flags, "--prefix", place, `${name}@${version}`], { cwd: place });
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
export const runtimeOf = ({ runtime }: Cell): Promise<string> => (runtime === "bun" ? bun() : node(runtime));

/** The environment in which the runtime is the first of its name, for scripts and for the engine. */
export function environmentOf(runtime: string): NodeJS.ProcessEnv {
	return withPath(process.env, join(runtime, ".."));
}

/** The command that installs what package.json names. No package of ours needs its scripts. */
export async function installCommand(cell: Cell, runtime: string): Promise<[string, ...string[]]> {
	switch (cell.manager) {
		case "npm":
			return ["npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
		case "pnpm": {
			const pnpm = join(repository, "node_modules", "pnpm", "bin", "pnpm.cjs");
			return [runtime, pnpm, "install", "--ignore-scripts", "--prefer-offline", "--no-frozen-lockfile"];
		}
		case "yarn":
			return [runtime, await fetched("@yarnpkg/cli-dist", yarnVersion, join("bin", "yarn.js")), "install"];
		case "bun":
			return [runtime, "install", "--ignore-scripts"];
	}
}
