import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { STORAGES, type StorageKind } from "../../src/schemas/storage/kinds";
import { isSecret, wireName } from "../../src/schemas/storage/parameter";
import { repository } from "../../tools/repository";
import { callProblems, callsIn, type KnownCommands, knownCommands } from "../helpers/docs-commands";
import { compileBlocks } from "../helpers/docs-compile";
import { fixedParts, sourceTexts } from "../helpers/docs-messages";
import {
	codeIn,
	linkProblem,
	namesBelow,
	readPage,
	readPages,
	relativeLinks,
	tableBelow,
} from "../helpers/docs-pages";

const pages = readPages();
const blocks = pages.flatMap((page) => page.blocks);
const blocksIn = (language: string) => blocks.filter((block) => block.language === language);

describe("the pages", () => {
	test("have links and anchors that lead somewhere", () => {
		const links = pages.flatMap(relativeLinks);
		expect(links.length).toBeGreaterThan(100);
		expect(links.flatMap((link) => linkProblem(link) ?? [])).toEqual([]);
	});

	test("name a file where they link, as a folder has no page in the site", () => {
		const folders = pages.flatMap(relativeLinks).filter(({ target }) => !/\.\w+(#.*)?$|^#/.test(target));
		expect(folders).toEqual([]);
	});

	test("are all in the index", () => {
		const index = relativeLinks(readPage("docs/README.md")).map(({ target }) => target);
		const docs = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
		expect(docs.filter((path) => path !== "docs/README.md" && !index.includes(path.slice(5)))).toEqual([]);
	});

	test("begin with one title", () => {
		const titles = pages.map(({ path, prose }) => [path, prose.match(/^# .+$/gm)?.length]);
		expect(titles.filter(([, count]) => count !== 1)).toEqual([]);
	});

	test("say which language a block is in, where a machine can read it", () => {
		const known = ["ts", "sh", "python", "yaml", "text", ""];
		expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
	});
});

test("the README has at most 900 words", () => {
	expect(
		readPage("README.md")
			.text.split(/\s+/)
			.filter((word) => word !== "").length,
	).toBeLessThanOrEqual(900);
});

describe("the blocks", () => {
	test("in TypeScript compile in a project as `pulumi new typescript` makes it", () => {
		expect(blocksIn("ts").length).toBeGreaterThan(10);
		expect(compileBlocks(blocksIn("ts"))).toEqual([]);
	});

	test("that do not compile are found, with their line", () => {
		const text =
			'import * as datachain from "pulumi-datachain";\n\nnew datachain.JobFile("a", { path: "b" });\n';
		const wrong = compileBlocks([{ page: "a.md", language: "ts", line: 7, text }]);
		expect(wrong).toEqual([expect.stringMatching(/^a\.md:9: .*'path' does not exist/s)]);
	});

	const hasPython = spawnSync("python3", ["--version"]).status === 0;
	test.skipIf(!hasPython)("in Python can be read by Python (skipped where there is no python3)", () => {
		const sources = blocksIn("python").map(({ page, line, text }) => [`${page}:${line}`, text]);
		expect(sources.length).toBeGreaterThan(2);
		const script = "import json, sys\nfor name, text in json.load(sys.stdin): compile(text, name, 'exec')";
		const { stderr } = spawnSync("python3", ["-c", script], {
			input: JSON.stringify(sources),
			encoding: "utf8",
		});
		expect(stderr).toBe("");
	});

	test("in YAML can be read", () => {
		// The reader of front matter in the site's own tool.
		const yaml: { parse(text: string): unknown } = createRequire(require.resolve("typedoc"))("yaml");
		expect(blocksIn("yaml").length).toBeGreaterThan(2);
		for (const { text } of blocksIn("yaml")) expect(yaml.parse(text)).toBeTypeOf("object");
	});
});

describe("the commands", () => {
	let known: KnownCommands;
	beforeAll(async () => {
		known = await knownCommands();
	});

	test("in the pages are known to `pulumi-datachain --help`, with their options", () => {
		expect([...known.keys()]).toEqual(expect.arrayContaining(["serve", "drift", "forecast", "resume"]));
		const calls = pages.flatMap((page) => callsIn(page).map((call) => ({ page: page.path, call })));
		expect(calls.length).toBeGreaterThan(40);
		const wrong = calls.flatMap(({ page, call }) =>
			callProblems(known, call).map((problem) => `${page}: ${call}: ${problem}`),
		);
		expect(wrong).toEqual([]);
	});

	test("that do not exist are found, and options of others", () => {
		expect(callProblems(known, "upgrade --all")).toEqual(['there is no command "upgrade"']);
		expect(callProblems(known, "drift --live --json")).toEqual(['"drift" knows no --live']);
	});

	test.each([
		["drift", "docs/drift.md", "Options"],
		["forecast", "docs/forecast.md", "Options"],
		["export", "docs/export.md", "Options"],
		["serve", "docs/local-server.md", "`serve`"],
	])("%s has all its options in the table of %s", (command, path, heading) => {
		const table = tableBelow(readPage(path), heading).flatMap(
			([first = ""]) => first.match(/--[\w-]+/g) ?? [],
		);
		const options = (known.get(command) ?? []).filter((option) => option !== "--help");
		expect(table.filter((option) => option !== "--debug").sort()).toEqual([...options].sort());
	});

	test.each(["jobs", "pipelines", "logs", "run", "trigger", "cancel", "pause", "resume"])(
		"%s has all its options in the table of docs/runs.md",
		(command) => {
			const rows = tableBelow(readPage("docs/runs.md"), "Options").filter(
				([, commands = ""]) => commands === "all" || commands.split(", ").includes(`\`${command}\``),
			);
			const table = rows.flatMap(([first = ""]) => first.match(/--[\w-]+/g) ?? []);
			const options = (known.get(command) ?? []).filter((option) => option !== "--help");
			expect(table.sort()).toEqual([...options].sort());
		},
	);
});

const schema = JSON.parse(readFileSync(join(repository, "src", "plugin", "schema.json"), "utf8"));
const propertiesOf = (object: { properties?: object } | undefined): string[] =>
	Object.keys(object?.properties ?? {});

describe("the page of a resource", () => {
	test.each([
		["PipelineSchedule", "docs/pipeline-schedule.md"],
		["PipelineSettings", "docs/pipeline-settings.md"],
		["JobFile", "docs/job-file.md"],
		["Pipeline", "docs/pipeline.md"],
		["Job", "docs/job.md"],
	])("%s has every input and output, and no other", (name, path) => {
		const resource = schema.resources[`datachain:index:${name}`];
		const inputs = Object.keys(resource.inputProperties);
		const page = readPage(path);
		expect(namesBelow(page, "Inputs").filter(isName).sort()).toEqual([...inputs].sort());
		const outputs = propertiesOf(resource).filter((output) => !inputs.includes(output));
		expect(namesBelow(page, "Outputs").filter(isName).sort()).toEqual(outputs.sort());
	});

	test("ScheduledPipeline has every input and output, and no other", () => {
		const page = readPage("docs/scheduled-pipeline.md");
		const { args, members } = componentNames();
		expect(namesBelow(page, "Inputs").sort()).toEqual(args.sort());
		expect(namesBelow(page, "Outputs").sort()).toEqual(members.sort());
	});

	test("Provider has every input, and no other", () => {
		const inputs = Object.keys(schema.provider.inputProperties);
		expect(namesBelow(readPage("docs/provider.md"), "Inputs").sort()).toEqual(inputs.sort());
	});

	test("is there for each resource", () => {
		const titles = pages.map(({ text }) => text.split("\n", 1)[0]);
		const names = Object.keys(schema.resources).map((token) => `# ${token.split(":")[2]}`);
		expect(names.filter((title) => !titles.includes(title))).toEqual([]);
	});
});

const isName = (text: string): boolean => /^[a-z]\w*$/i.test(text);

/** The component is no resource of the plugin, so that its names come from its source. */
function componentNames(): { args: string[]; members: string[] } {
	const path = join(repository, "src", "resources", "scheduled-pipeline.ts");
	const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022);
	const namesIn = (members: readonly (ts.TypeElement | ts.ClassElement)[]): string[] =>
		members
			.filter((member) => ts.isPropertySignature(member) || ts.isPropertyDeclaration(member))
			.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
	const args = source.statements.find(ts.isInterfaceDeclaration);
	const component = source.statements.find(ts.isClassDeclaration);
	return { args: namesIn(args?.members ?? []), members: namesIn(component?.members ?? []) };
}

describe("the page of storages", () => {
	const kinds = (Object.keys(STORAGES) as StorageKind[]).filter((kind) => kind !== "file");
	test.each(kinds)("has every parameter of %s, with its wire name and whether it is a secret", (kind) => {
		const rows = tableBelow(readPage("docs/storage.md"), kind).map(([name = "", wire = "", , secret]) => [
			codeIn(name)[0],
			codeIn(wire)[0],
			secret === "yes",
		]);
		expect(rows).toEqual(
			Object.entries(STORAGES[kind].shape).map(([name, shape]) => [name, wireName(name), isSecret(shape)]),
		);
	});
});

test("the page of lookups has every lookup with its filters", () => {
	const rows = tableBelow(readPage("docs/lookups.md"), "All of them").map(([name = "", takes = ""]) => [
		codeIn(name)[0],
		codeIn(takes)
			.filter((code) => !/^[A-Z]+$/.test(code))
			.sort(),
	]);
	const lookups = Object.entries<{ inputs?: object }>(schema.functions).map(([token, { inputs }]) => [
		token.split(":")[2],
		propertiesOf(inputs).sort(),
	]);
	expect(rows.sort()).toEqual(lookups.sort());
});

describe("the texts of errors", () => {
	const quoted = readPage("docs/troubleshooting.md").blocks.filter(({ language }) => language === "text");
	const texts = sourceTexts().map((text) => text.replace(/\s+/g, " "));

	test.each(quoted.map(({ text }) => text.trim()))("%s is one that the sources have", (message) => {
		const parts = fixedParts(message);
		expect(parts.length).toBeGreaterThan(0);
		expect(parts.filter((part) => !texts.some((text) => text.includes(part)))).toEqual([]);
	});

	test("that the sources do not have are found", () => {
		const parts = fixedParts('Could not frobnicate the schedule "…" in this team.');
		expect(parts.filter((part) => !texts.some((text) => text.includes(part)))).toEqual(parts);
	});
});
