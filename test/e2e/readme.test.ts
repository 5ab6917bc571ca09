import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { killTree } from "../../tools/process/kill-tree";
import { succeeded } from "../../tools/process/must";
import { linkCommand, linkPackages } from "../../tools/repository";
import { createStack, managedResources } from "../../tools/stack";
import { templateOptions } from "../../tools/template-options";
import { type Block, readPage } from "../helpers/docs-pages";
import { temporaryProject, testEngine } from "../helpers/engine";

const block = (path: string, language: string, has: string): Block => {
	const found = readPage(path).blocks.find(
		(each) => each.language === language && each.text.includes(has),
	);
	if (found === undefined)
		throw new Error(`${path} has no block of ${language} with ${has}`);
	return found;
};

/** The shell in which a reader pastes the lines; it stays open, as the server runs in its background. */
interface Shell {
	readonly process: ChildProcess;
	readonly environment: Readonly<Record<string, string>>;
}

async function paste(lines: string, folder: string): Promise<Shell> {
	const script = `${lines}\nenv -0 > environment.txt; mv environment.txt ready.txt; wait\n`;
	const shell = spawn("bash", ["-c", script], {
		cwd: folder,
		stdio: "ignore",
		detached: true,
	});
	const file = join(folder, "ready.txt");
	for (let waited = 0; !existsSync(file); waited += 100) {
		if (waited > 60_000 || shell.exitCode !== null)
			throw new Error("The lines did not lead to a server.");
		await sleep(100);
	}
	const pairs = readFileSync(file, "utf8")
		.split("\0")
		.map(
			(line) =>
				[line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const,
		)
		.filter(([name]) => name.startsWith("DATACHAIN_"));
	return { process: shell, environment: Object.fromEntries(pairs) };
}

it.each([
	["README.md", 2],
	["docs/get-started.md", 1],
])(
	"the program of %s runs as pasted, against the server that the lines before it start",
	async (path, resources) => {
		const folder = temporaryProject(
			"readme",
			block(path, "ts", "PipelineSchedule").text,
			"index.ts",
		).path;
		writeFileSync(
			join(folder, "tsconfig.json"),
			JSON.stringify({
				compilerOptions: { ...templateOptions, types: ["node"] },
				files: ["index.ts"],
			}),
		);
		// What npm would install: the command, and what Pulumi's template names.
		linkCommand(folder);
		linkPackages(folder, "@types", "typescript");
		const { process: shell, environment } = await paste(
			block(path, "sh", "pulumi-datachain serve").text,
			folder,
		);
		onTestFinished(() => void (shell.pid !== undefined && killTree(shell.pid)));
		// Its types are checked with those of all pages, in test/package.
		const env = { ...environment, PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
		const stack = await createStack({
			projectDir: folder,
			engine: await testEngine(),
			env,
		});
		onTestFinished(stack.dispose);
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		expect(managedResources(stack.checkpoint())).toHaveLength(resources);
		const [, said] =
			/export const means = .*; \/\/ "(.+)"/.exec(block(path, "ts", "means").text) ??
			[];
		expect(await stack.outputs()).toMatchObject({
			means: said ?? "every day at 03:00 UTC",
		});
	},
);
