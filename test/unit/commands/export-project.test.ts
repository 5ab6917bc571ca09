import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { modelOf, type TeamModel } from "../../../src/commands/export-model";
import { renderProject, TOOL_VERSIONS } from "../../../src/commands/export-project";
import { HOSTILE, hostileText, livePipeline, liveSchedule, liveTeam } from "../../helpers/export-teams";
import { testFolder } from "../../helpers/test-folder";

const repository = join(__dirname, "..", "..", "..");
const versions = { provider: "0.1.0", sdk: ">=3.216.0 <4" };

const filesOf = (model: TeamModel, more: object = {}) =>
	renderProject(model, { teamName: "vision", retain: false, versions, ...more });

/** A team in which every text that the service may hold is one of the given ones. */
function project(
	texts: readonly string[],
	options: { retain?: boolean; teamName?: string; plainValues?: boolean } = {},
) {
	const schedules = texts.map((text, id) => liveSchedule(id, text, { pipeline: livePipeline(text) }));
	const pipelines = texts.map((text) =>
		livePipeline(text, {
			requirements: `${text}\n${text}`,
			repository: text,
			environment_variables: /^[a-z_]\w*$/i.test(text) ? { [text]: text } : { VALUE: text },
		}),
	);
	const model = modelOf(liveTeam(schedules, pipelines), options);
	const teamName = options.teamName ?? texts[0] ?? "team";
	return { model, files: filesOf(model, { teamName, retain: options.retain === true }) };
}

/** Everything that is code must be one of these statements: an import, the config, or a resource with plain arguments. */
function codeIn(text: string): string[] {
	const source = ts.createSourceFile("program.ts", text, ts.ScriptTarget.ES2022, true);
	const odd: string[] = [];
	const { StringLiteral, NumericLiteral, TrueKeyword, FalseKeyword } = ts.SyntaxKind;
	const allowed = new Set<ts.SyntaxKind>([StringLiteral, NumericLiteral, TrueKeyword, FalseKeyword]);
	const visit = (node: ts.Node): void => {
		if (ts.isObjectLiteralExpression(node))
			for (const property of node.properties) {
				if (!ts.isPropertyAssignment(property)) odd.push(property.getText(source));
				else visit(property.initializer);
			}
		else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(visit);
		else if (ts.isCallExpression(node) && node.expression.getText(source) === "config.requireSecret")
			node.arguments.forEach(visit);
		else if (!allowed.has(node.kind)) odd.push(node.getText(source));
	};
	for (const statement of source.statements) {
		if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) continue;
		const value = ts.isVariableStatement(statement) && statement.declarationList.declarations[0]?.initializer;
		if (!value || !ts.isNewExpression(value)) odd.push(statement.getText(source));
		else if (
			!/^(datachain\.Pipeline(Schedule|Settings)|pulumi\.Config)$/.test(value.expression.getText(source))
		)
			odd.push(statement.getText(source));
		else value.arguments?.forEach(visit);
	}
	return odd;
}

function comments(text: string): string[] {
	const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
	const { EndOfFileToken, SingleLineCommentTrivia, MultiLineCommentTrivia } = ts.SyntaxKind;
	const found: string[] = [];
	for (let token = scanner.scan(); token !== EndOfFileToken; token = scanner.scan())
		if (token === SingleLineCommentTrivia || token === MultiLineCommentTrivia)
			found.push(scanner.getTokenText());
	return found;
}

function expectOnlyData(files: ReadonlyMap<string, string>): void {
	for (const name of ["schedules.ts", "settings.ts", "index.ts"]) {
		const text = files.get(name) ?? "";
		const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
		expect((diagnostics ?? []).map((one) => one.messageText)).toEqual([]);
		expect(codeIn(text)).toEqual([]);
		expect(comments(text)).toEqual([]);
	}
}

describe("the exported program", () => {
	it.each([{}, { retain: true, teamName: 'it\'s "ours"', plainValues: true }])(
		"holds hostile names as data only (%j)",
		(options) => {
			const { files, model } = project(HOSTILE, options);
			expect(model.schedules.length).toBeGreaterThan(30);
			expect(model.settings.length).toBeGreaterThan(30);
			expectOnlyData(files);
		},
	);

	it.each(HOSTILE)("keeps a cron as data, with a comment if it would be refused: %j", (cron_expression) => {
		const model = modelOf(liveTeam([liveSchedule(1, "nightly", { cron_expression })]));
		for (const retain of [false, true]) {
			const text = filesOf(model, { retain }).get("schedules.ts") ?? "";
			expect(codeIn(text)).toEqual([]);
			expect(comments(text)).toEqual((model.schedules[0]?.notes ?? []).map((note) => `// ${note}`));
		}
	});

	it("holds any names as data only", () => {
		fc.assert(
			fc.property(fc.array(hostileText, { minLength: 1, maxLength: 8 }), (texts) =>
				expectOnlyData(project(texts, { plainValues: true }).files),
			),
			{ numRuns: 40 },
		);
	});

	it("is formatted as this package's own sources are", () => {
		const cwd = testFolder("export-format-");
		const texts = [...HOSTILE, "short", "it's", 'say "hi"', "w ".repeat(60).trim(), "x".repeat(104)];
		const files: string[] = [];
		for (const [variant, options] of [{}, { retain: true, plainValues: true }].entries()) {
			for (const [name, text] of project(texts, options).files)
				if (/\.(ts|json)$/.test(name)) {
					writeFileSync(join(cwd, `${variant}-${name}`), text);
					files.push(`${variant}-${name}`);
				}
		}
		const { formatter, json } = JSON.parse(readFileSync(join(repository, "biome.json"), "utf8"));
		cpSync(join(repository, ".editorconfig"), join(cwd, ".editorconfig"));
		writeFileSync(join(cwd, "biome.json"), JSON.stringify({ root: true, formatter, json }));
		const biome = join(repository, "node_modules", "@biomejs", "biome", "bin", "biome");
		execFileSync(process.execPath, [biome, "format", ...files], { cwd, stdio: "pipe", encoding: "utf8" });
	});
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
		for (const key of ["images.PLAIN", "images.TOKEN", "images.repository-text", "images.requirement-1"])
			expect(files.get("README.md")).toContain(`\npulumi config set --secret ${key}\n`);
	});

	it("lists what was left out in the README as JSON, one line each", () => {
		const name = 'twin ``` \u202e "x"';
		const model = modelOf(
			liveTeam([liveSchedule(1, name), liveSchedule(2, name), liveSchedule(3, "a\n```\n# b")]),
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

	it.each(["vision", "Team Ünïcode!", "日本", '"\n- x', "x".repeat(255)])(
		"has a name that Pulumi and npm accept, for team %j",
		(teamName) => {
			const files = filesOf(modelOf(liveTeam([])), { teamName });
			const name = JSON.parse(files.get("package.json") ?? "").name;
			expect(name).toMatch(/^datachain-[a-z0-9][a-z0-9-]{0,60}$/);
			expect(files.get("Pulumi.yaml")).toContain(`name: ${name}\n`);
		},
	);

	it("asks for tools that this package is tested with", () => {
		const { devDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
		const minor = (range: string) => /\d+\.\d+/.exec(range)?.[0];
		for (const [tool, range] of Object.entries(TOOL_VERSIONS))
			expect(minor(range)).toBe(minor(devDependencies[tool]));
	});
});

it.each([
	["typescript", "adopt: true", "onDestroy"],
	["python", "adopt=True", "on_destroy"],
	["yaml", "adopt: true", "onDestroy"],
] as const)("the README of a project in %s spells inputs as its code does", (language, adopt, onDestroy) => {
	for (const retain of [true, false]) {
		const { model } = project(["a"]);
		const readme = filesOf(model, { retain, language }).get("README.md") ?? "";
		expect(readme).toContain(`Every resource has \`${adopt}\``);
		expect(readme).toContain(`\`${onDestroy}\``);
	}
});

it("a module in Python reads the configuration only if a value comes from it", () => {
	const settingsOf = (environment_variables: Record<string, string>) => {
		const pipeline = livePipeline("a", { environment_variables });
		const model = modelOf(liveTeam([], [pipeline]), { plainValues: true });
		return filesOf(model, { language: "python" }).get("settings.py");
	};
	expect(settingsOf({ API_KEY: "x" })).toMatch(/^import pulumi\n.*\n\nconfig = pulumi\.Config\(\)\n/);
	expect(settingsOf({ LEVEL: "config.require_secret(" })).not.toContain("pulumi.Config()");
});
