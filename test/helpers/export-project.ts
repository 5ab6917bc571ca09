import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { LocalServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { stackEnvironment } from "../../tools/stack/environment";
import { runCli } from "./drift-cli";
import { repository, testEngine } from "./engine";

export type ExportPlace = Awaited<ReturnType<typeof exportPlace>>;

/** Where a user would stand: a folder, a connection in the environment, the Pulumi CLI on PATH. */
export async function exportPlace(server: LocalServer, extra: NodeJS.ProcessEnv = {}) {
	const place = tempFolder("export-");
	const engine = await testEngine();
	// Whoever cares for the project's types checks them once, and not with every command.
	const settings = { ...server.environment, PULUMI_NODEJS_TRANSPILE_ONLY: "true", ...extra };
	const { env } = stackEnvironment(join(place.path, "pulumi"), engine, settings);
	const project = join(place.path, "team");
	return {
		project,
		export: (...args: string[]) => runCli({ folder: place.path, env }, ["export", "--out", project, ...args]),
		/** Another command of ours, in the project's folder. */
		command: (...args: string[]) => runCli({ folder: project, env }, args),
		/** Pulumi in the project's folder; must succeed. */
		async pulumi(...args: string[]) {
			const result = await run(engine.command, [...args, "--stack", "dev", "--non-interactive"], {
				cwd: project,
				env,
				timeoutMs: 5 * 60_000,
			});
			if (result.code !== 0)
				throw new Error(`pulumi ${args[0]} failed (${result.code}):\n${result.stdout}\n${result.stderr}`);
			return result;
		},
		/** What `npm install` would do, with this checkout in place of the released package. */
		install() {
			const modules = join(project, "node_modules");
			for (const scope of ["@pulumi", "@types"]) mkdirSync(join(modules, scope), { recursive: true });
			symlinkSync(repository, join(modules, "pulumi-datachain"), "dir");
			for (const name of ["@pulumi/pulumi", "@types/node", "typescript", "ts-node"])
				symlinkSync(join(repository, "node_modules", name), join(modules, name), "dir");
		},
		files: () =>
			Object.fromEntries(
				readdirSync(project, { withFileTypes: true })
					.filter((entry) => entry.isFile())
					.map(({ name }) => [name, readFileSync(join(project, name), "utf8")]),
			),
		remove: () => place.remove(),
	};
}
