import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { packTarball } from "../../tools/pack/tarball";
import { succeeded } from "../../tools/process/must";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { createStack, type Stack } from "../../tools/stack";
import { commandsOf, runCommands } from "../helpers/cli";
import { testEngine } from "../helpers/engine";
import { unpackTarball } from "../helpers/package-tarball";
import { withoutPlugin } from "../helpers/plugin-languages";

const PROGRAM = `const datachain = require("pulumi-datachain");
new datachain.PipelineSchedule("nightly", { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" });
`;

/** What users have: the released package in a project of their own, and the workflow files beside it. That npm installs it, and what the workflows tell GitHub, is shown in test/package. */
describe("the commands of the installed package", () => {
	let server: LocalServer;
	let packed: TempFolder;
	let project: TempFolder;
	let stack: Stack;
	let env: NodeJS.ProcessEnv;

	beforeAll(async () => {
		server = await startServer();
		packed = tempFolder("drift-packed-");
		project = await unpackTarball(await packTarball(packed));
		const yaml =
			"name: installed\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n";
		writeFileSync(join(project.path, "Pulumi.yaml"), yaml);
		writeFileSync(join(project.path, "index.js"), PROGRAM);
		stack = await createStack({
			projectDir: project.path,
			engine: await testEngine(),
			env: { ...server.environment, PATH: withoutPlugin() },
		});
		env = { ...stack.env, PULUMI_STACK: stack.name };
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		cpSync(stack.configFile, join(project.path, `Pulumi.${stack.name}.yaml`));
	});
	afterAll(async () => {
		stack?.dispose();
		await server?.close();
	});

	it("the preview of the GitHub workflow becomes a comment", async () => {
		const preview = await runCommands(
			commandsOf("github/preview.yml", "Preview"),
			project.path,
			env,
		);
		expect(preview.code, preview.stderr).toBe(0);
		const comment = readFileSync(join(project.path, "comment.md"), "utf8");
		expect(comment).toMatch(
			/^<!-- datachain-preview -->\n### Preview of dev\n\n~{8}diff\n/,
		);
		expect(comment).toContain("unchanged");
		expect(comment).toMatch(/### Upcoming runs\n\nNo run of stack "dev" changes/);
	});

	it("the nightly GitHub workflow is quiet without drift, and reports it", async () => {
		const summary = join(packed.path, "summary.md");
		const results = join(packed.path, "env.txt");
		const runner = { ...env, GITHUB_STEP_SUMMARY: summary, GITHUB_ENV: results };
		const night = () =>
			runCommands(commandsOf("github/drift.yml", "Drift"), project.path, runner);
		const quiet = await night();
		expect([quiet.code, readFileSync(results, "utf8")], quiet.stderr).toEqual([
			0,
			"code=0\n",
		]);

		const team = server.team(server.teamName);
		const changed = team
			.schedules()
			.find(({ name }) => name === "installed-dev-nightly");
		team.updateSchedule({
			schedule_id: changed?.id ?? 0,
			cron_expression: "30 5 * * *",
		});
		const found = await night();
		expect([found.code, readFileSync(results, "utf8")], found.stderr).toEqual([
			0,
			"code=0\ncode=2\n",
		]);
		expect(readFileSync(summary, "utf8")).toContain("cronExpression");
		expect(existsSync(join(project.path, "drift.html"))).toBe(true);
	});

	it("the nightly GitHub workflow fails if the check itself fails", async () => {
		const broken = {
			...env,
			DATACHAIN_STUDIO_TOKEN: "expired",
			GITHUB_STEP_SUMMARY: "/dev/null",
			GITHUB_ENV: "/dev/null",
		};
		const { code, stderr } = await runCommands(
			commandsOf("github/drift.yml", "Drift"),
			project.path,
			broken,
		);
		expect([code, stderr]).toEqual([1, expect.stringContaining("401")]);
	});
});
