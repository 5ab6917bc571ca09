import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { createStack, managedResources } from "../../tools/stack";
import { testEngine } from "../helpers/engine";
import {
	manifest,
	npm,
	packTarball,
	succeed,
	type Tarball,
	type TempFolder,
	tempFolder,
	tool,
} from "../helpers/package-tarball";

const ARGS = `{ pipelineName: "rusty-vise", cronExpression: "0 3 * * *" }`;

const PROGRAMS = {
	CommonJS: {
		file: "index.js",
		type: "commonjs",
		text: `const datachain = require("pulumi-datachain");\nexports.next = new datachain.PipelineSchedule("nightly", ${ARGS}).nextRun;\n`,
	},
	ESM: {
		file: "index.mjs",
		type: "module",
		text: `import * as datachain from "pulumi-datachain";\nexport const next = new datachain.PipelineSchedule("nightly", ${ARGS}).nextRun;\n`,
	},
} as const;

/** What users do: install the released package, with their package manager, in a program of their kind. */
describe("the packed package, installed", () => {
	let server: LocalServer;
	let folder: TempFolder;
	let tarball: Tarball;
	beforeAll(async () => {
		server = await startServer();
		folder = tempFolder("packed-");
		tarball = await packTarball(folder);
	});
	afterAll(async () => {
		folder?.remove();
		await server?.close();
	});

	const peer = `@pulumi/pulumi@${manifest.devDependencies["@pulumi/pulumi"]}`;
	const install = {
		npm: (path: string) =>
			npm(
				["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "./package.tgz", peer],
				path,
			),
		pnpm: (path: string) =>
			run(tool("pnpm"), ["add", "--ignore-scripts", "--prefer-offline", "./package.tgz", peer], {
				cwd: path,
				timeoutMs: 240_000,
			}),
	};

	it.each([
		["npm", "CommonJS"],
		["pnpm", "ESM"],
	] as const)("with %s deploys a program in %s, refreshes and destroys", async (manager, kind) => {
		const { file, type, text } = PROGRAMS[kind];
		const project = tempFolder(`${manager}-${kind}-`);
		try {
			cpSync(tarball.file, join(project.path, "package.tgz"));
			writeFileSync(
				join(project.path, "package.json"),
				JSON.stringify({ name: "consumer", private: true, type, main: file }),
			);
			writeFileSync(
				join(project.path, "Pulumi.yaml"),
				"name: consumer\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
			);
			writeFileSync(join(project.path, file), text);
			await succeed(install[manager](project.path));
			const stack = await createStack({
				projectDir: project.path,
				engine: await testEngine(),
				env: server.environment,
				stackName: `${manager}-${kind}`.toLowerCase(),
			});
			try {
				for (const step of [
					() => stack.up(["--skip-preview"]),
					() => stack.up(["--skip-preview", "--refresh", "--expect-no-changes"]),
					() => stack.destroy(["--skip-preview"]),
				]) {
					const result = await step();
					expect(result.code, result.stdout + result.stderr).toBe(0);
				}
				expect(managedResources(stack.checkpoint())).toEqual([]);
			} finally {
				stack.dispose();
			}
		} finally {
			project.remove();
		}
	});
});
