import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ConfigSecret, type Expression } from "../../../src/commands/export/expression";
import { modelOf, type TeamModel } from "../../../src/commands/export/model";
import { renderProject, TOOL_VERSIONS } from "../../../src/commands/export/project";
import {
	HOSTILE,
	hostileText,
	livePipeline,
	liveSchedule,
	liveTeam,
} from "../../helpers/export-teams";

const repository = join(__dirname, "..", "..", "..");
const versions = { provider: "0.1.0", sdk: ">=3.216.0 <4" };
const filesOf = (model: TeamModel, more: object = {}) =>
	renderProject(model, {
		language: "typescript",
		teamName: "vision",
		retain: false,
		versions,
		...more,
	});

/** A team in which every text that the service may hold is one of the given ones. */
const modelWith = (texts: readonly string[], options = {}) =>
	modelOf(
		liveTeam(
			texts.map((text, id) => liveSchedule(id, text, { pipeline: livePipeline(text) })),
			texts.flatMap((text) => [
				livePipeline(text, {
					requirements: `${text}\n${text}`,
					repository: text,
					environment_variables: { VALUE: text },
				}),
				livePipeline(`names ${text}`, { environment_variables: { [text]: text } }),
			]),
		),
		options,
	);

/** The resources that the modules of the program declare when they run, with their arguments. They know no other names. */
function declaredBy(files: ReadonlyMap<string, string>): unknown[] {
	const declared: unknown[] = [];
	const noting = (kind: string) =>
		class {
			constructor(resource: string, args: object, options?: object) {
				declared.push({ kind, resource, args, options });
			}
		};
	const modules: Readonly<Record<string, object>> = {
		"@pulumi/pulumi": {
			Config: class {
				requireSecret = (configKey: string) => ({ configKey });
			},
		},
		"pulumi-datachain": {
			PipelineSchedule: noting("PipelineSchedule"),
			PipelineSettings: noting("PipelineSettings"),
		},
	};
	for (const name of ["schedules.ts", "settings.ts"]) {
		const { outputText, diagnostics } = ts.transpileModule(files.get(name) ?? "", {
			reportDiagnostics: true,
			compilerOptions: {
				module: ts.ModuleKind.CommonJS,
				target: ts.ScriptTarget.ES2022,
			},
		});
		expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
		new Function("exports", "require", "process", outputText)(
			{},
			(asked: string) => modules[asked],
		);
	}
	return declared;
}

/** An argument as the program gives it. */
function given(value: Expression): unknown {
	if (value instanceof ConfigSecret) return { configKey: value.configKey };
	if (Array.isArray(value)) return value.map(given);
	if (typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => [name, given(item)]),
	);
}

it("the exported program declares what the model says for any names", () => {
	const texts = fc.array(hostileText, { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(texts, fc.boolean(), fc.boolean(), (each, plainValues, retain) => {
			const model = modelWith(each, { plainValues, retain, teamName: 'it\'s "ours"' });
			const optionsOf = (own?: boolean) => (own ? { retainOnDelete: true } : undefined);
			expect(declaredBy(filesOf(model))).toEqual(
				[...model.schedules, ...model.settings].map(
					({ kind, resource, args, retain: own }) => {
						return { kind, resource, args: given(args), options: optionsOf(own) };
					},
				),
			);
		}),
		{ numRuns: 40, examples: [[[...HOSTILE], true, true]] },
	);
});

describe("the exported project", () => {
	it("never holds a value that belongs into the configuration", () => {
		const secret = "hunter2-in-the-code";
		const pipelines = [
			livePipeline("images", {
				environment_variables: { PLAIN: secret, TOKEN: secret },
				repository: `https://u:${secret}@example.com/r`,
				requirements: `--index-url https://u:${secret}@example.com/simple`,
			}),
		];
		const model = modelOf(liveTeam([], pipelines));
		const files = filesOf(model);
		expect([...files.values()].join("")).not.toContain(secret);
		for (const key of [
			"images.PLAIN",
			"images.TOKEN",
			"images.repository-text",
			"images.requirement-1",
		])
			expect(files.get("README.md")).toContain(`\npulumi config set --secret ${key}\n`);
	});

	it("selects in the README the stack that has the secrets, after --write-config", () => {
		const model = modelWith(["nightly"]);
		const readmeWith = (more: object) => filesOf(model, more).get("README.md") ?? "";
		expect(readmeWith({})).toContain("\npulumi stack select --create dev\n");
		expect(readmeWith({ stack: "acme/vision/prod" })).toContain(
			"\npulumi stack select --create acme/vision/prod\n",
		);
	});

	it("lists what was left out in the README as JSON, one line each", () => {
		const name = 'twin ``` \u202e "x"';
		const model = modelOf(
			liveTeam([
				liveSchedule(1, name),
				liveSchedule(2, name),
				liveSchedule(3, "a\n```\n# b"),
			]),
		);
		const readme = filesOf(model).get("README.md") ?? "";
		const lines = /```json\n([\s\S]*?)\n```/.exec(readme)?.[1]?.split("\n") ?? [];
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([
			{ schedule: "a\n```\n# b", id: 3 },
			{ schedule: name, id: 1 },
			{ schedule: name, id: 2 },
		]);
		expect(readme).not.toContain("\u202e");
	});

	it.each(["Team Ünïcode!", "日本", "x".repeat(255)])(
		"has a name that Pulumi and npm accept, for team %j",
		(teamName) => {
			const files = filesOf(modelOf(liveTeam([])), { teamName });
			const name = JSON.parse(files.get("package.json") ?? "").name;
			expect(name).toMatch(/^datachain-[a-z0-9][a-z0-9-]{0,60}$/);
			expect(files.get("Pulumi.yaml")).toContain(`name: ${name}\n`);
		},
	);

	it("asks for tools that this package is tested with", () => {
		const { devDependencies } = JSON.parse(
			readFileSync(join(repository, "package.json"), "utf8"),
		);
		const minor = (range: string) => /\d+\.\d+/.exec(range)?.[0];
		for (const [tool, range] of Object.entries(TOOL_VERSIONS))
			expect(minor(range)).toBe(minor(devDependencies[tool]));
	});
});

const PYTHON = `import pulumi
import pulumi_datachain as datachain

# The service has this cron expression, so it is adopted; in a new schedule it would be refused.
datachain.PipelineSchedule(
    "nightly",
    schedule_name="nightly",
    pipeline_name="images",
    cron_expression="@reboot",
    adopt=True,
    opts=pulumi.ResourceOptions(retain_on_delete=True),
)
`;
const YAML = `
config:
  "images--KEY":
    type: string
    secret: true
resources:
  # The service has this cron expression, so it is adopted; in a new schedule it would be refused.
  "schedule-nightly":
    type: datachain:PipelineSchedule
    name: "nightly"
    properties:
      scheduleName: "nightly"
      pipelineName: "images"
      cronExpression: "@reboot"
      adopt: true
    options:
      retainOnDelete: true
  "settings-images":
    type: datachain:PipelineSettings
    name: "images"
    properties:
      pipelineName: "images"
      requirements: [ "a", "b" ]
      environment: { "KEY": "\u0024{images--KEY}" }
      adopt: true
      onDestroy: "keep"
`;

it.each([
	["python", "schedules.py", PYTHON],
	[
		"python",
		"settings.py",
		'\n\nconfig = pulumi.Config()\n\ndatachain.PipelineSettings(\n    "images",\n',
	],
	[
		"python",
		"settings.py",
		'\n    environment={\n        "KEY": config.require_secret("images.KEY"),\n    },\n',
	],
	["yaml", "Pulumi.yaml", YAML],
] as const)("a project in %s reads as people write it: %s", (language, file, text) => {
	const pipeline = livePipeline("images", {
		requirements: "a\nb",
		environment_variables: { KEY: "x" },
	});
	const nightly = liveSchedule(1, "nightly", { cron_expression: "@reboot", pipeline });
	const model = modelOf(liveTeam([nightly], [pipeline]), {
		retain: true,
		yaml: language === "yaml",
	});
	expect(filesOf(model, { language }).get(file)).toContain(text);
});

it("the program in TypeScript imports the modules that are written beside it", () => {
	const files = filesOf(modelWith(["nightly"]));
	const imported = [
		...(files.get("index.ts") ?? "").matchAll(/^import "\.\/(.+)";$/gm),
	].map(([, name]) => name);
	expect(imported).toEqual(["schedules", "settings"]);
	for (const name of imported) expect([...files.keys()]).toContain(`${name}.ts`);
});
