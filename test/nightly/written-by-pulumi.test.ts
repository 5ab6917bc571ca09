import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { ensureHost } from "../../tools/engine/hosts";
import { must, succeeded } from "../../tools/process/must";
import { linkPackages, repository } from "../../tools/repository";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { PLUGINS } from "../helpers/engine";
import { writes } from "../helpers/plugin-languages";

/** Comes with a current CLI, as the language hosts that write code do; those that we build are older and write none. */
const converter = findIn(pathFolders(process.env), "pulumi-converter-yaml");

const PIPELINE = "rusty-vise";

/** Each kind, each enum, a provider and lookups, as a program in YAML has them. */
const YAML = `name: lifecycle
runtime: yaml
plugins: ${PLUGINS}
variables:
  byOps:
    fn::invoke: { function: "datachain:getSchedules", arguments: { createdBy: ops-oncall }, return: schedules }
  paused:
    fn::invoke:
      function: datachain:getPipelines
      arguments: { status: [PAUSED], limit: 3 }
      options: { provider: "\${own}" }
resources:
  own: { type: "pulumi:providers:datachain", properties: { maxConcurrentWrites: 4 } }
  script: { type: "datachain:JobFile", properties: { name: a.py, text: print(1) } }
  whole:
    type: datachain:Pipeline
    properties: { datasets: [dev.images.clean], onDestroy: leave, start: false }
    options: { provider: "\${own}" }
  images:
    type: datachain:PipelineSettings
    properties:
      pipelineName: ${PIPELINE}
      onDestroy: reset
      requirements: [pillow==11.0.0]
      storage:
        s3: { key: key, secret: { "fn::secret": canary } }
        gs: { access: read_only, consistency: md5, token: anon }
      files: ["\${script.id}"]
  job: { type: "datachain:Job", properties: { query: print(1), queryType: PYTHON, clusterId: "1", timeout: 30m } }
  nightly:
    type: datachain:PipelineSchedule
    properties: { pipelineName: "\${images.pipelineName}", cronExpression: 0 3 * * * }
outputs:
  first: \${byOps[0].scheduleName}
  paused: \${paused.pipelines[0].name}
  means: \${nightly.cronDescription}
`;

describe.skipIf(converter === undefined)("TypeScript that Pulumi writes", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		// Before the engine's own folder: the hosts in it may be older.
		const folders = [
			dirname(converter ?? ""),
			test.stack.env.PATH,
			await ensureHost("yaml"),
		];
		test.stack.env.PATH = folders.join(delimiter);
		linkPackages(test.folder, "typescript", "@types/node");
		for (const file of ["index.js", "Pulumi.yaml"]) rmSync(join(test.folder, file));
	});
	afterAll(() => test?.dispose());

	const pulumi = async (...args: string[]) => {
		const result = await test.stack.run([...args, "--non-interactive"]);
		succeeded(`pulumi ${args[0]}`, result);
		return result;
	};
	const program = () => readFileSync(join(test.folder, "index.ts"), "utf8");
	const compile = () =>
		must(process.execPath, [
			join(repository, "node_modules", "typescript", "bin", "tsc"),
			...["-p", test.folder, "--noEmit"],
		]);

	it("of a program in YAML compiles, and goes on with its stack without a change", async () => {
		writeFileSync(join(test.folder, "Pulumi.yaml"), YAML);
		await test.up();
		const outputs = await test.stack.outputs();
		await pulumi("convert", "--language", "typescript", "--generate-only");
		for (const written of [
			"PipelineSettingsOnDestroy.Reset",
			"PipelineOnDestroy.Leave",
			"GsAccess.ReadOnly",
		])
			expect(program()).toContain(`datachain.${written}`);
		await compile();
		const before = writes(test.server);
		await test.expectSettled();
		expect(await test.stack.outputs()).toEqual(outputs);
		expect(writes(test.server)).toBe(before);
	});

	it("of imported objects compiles, and declares them as they are", async () => {
		await test.client.pipelines.settings({
			pipeline_name: "quiet-harbor",
			python_version: "3.12",
			workers: 2,
		});
		const byHand = {
			schedule_name: "by-hand",
			pipeline_name: PIPELINE,
			cron_expression: "5 5 * * *",
		};
		await test.client.schedules.create(byHand);
		const [schedule] = await test.named("by-hand");
		let code = program();
		for (const [kind, id] of [
			["PipelineSchedule", String(schedule?.id)],
			["PipelineSettings", "quiet-harbor"],
			["Pipeline", "swift-ridge"],
		] as const) {
			const out = join(test.folder, "imported.txt");
			await pulumi(
				...["import", `datachain:index:${kind}`, `imported${kind}`, id],
				...["--yes", "--skip-preview", "--protect=false", "--out", out],
				...["--stack", test.stack.name, "--config-file", test.stack.configFile],
			);
			code += readFileSync(out, "utf8").replace(/^import .*$/gm, "");
		}
		writeFileSync(join(test.folder, "index.ts"), code);
		await compile();
		await test.expectSettled();
	});
});
