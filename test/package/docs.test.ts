import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { engines, peerDependencies } from "../../package.json";
import { OLDEST_CLI } from "../../src/commands/doctor-check";
import { snakeCase } from "../../src/schemas/camel";
import { JOB_STATUS_GROUPS, JOB_STATUSES } from "../../src/schemas/job";
import { PIPELINE_STATUSES } from "../../src/schemas/pipeline-status";
import { STORAGES, type StorageKind } from "../../src/storage/kinds";
import { isSecret, wireName } from "../../src/storage/parameter";
import { engineVersion } from "../../tools/engine/build";
import { repository } from "../../tools/repository";
import { Declarations, type Declared } from "../../tools/schema/declarations";
import { EXAMPLE_KINDS, exampleProgram } from "../../tools/schema/examples";
import { schemaFile } from "../../tools/schema/main";
import type { TypeSpec } from "../../tools/schema/types";
import { messages } from "../../tools/wording/messages";
import {
	callProblems,
	callsIn,
	codeIn,
	compileBlocks,
	fixedParts,
	type KnownCommands,
	knownCommands,
	linkProblem,
	namesBelow,
	readPage,
	readPages,
	relativeLinks,
	schemaExamples,
	tableBelow,
} from "../helpers/docs-pages";

const pages = readPages();
describe("the pages", () => {
	test("have links and anchors that lead somewhere", () => {
		const links = pages.flatMap(relativeLinks);
		expect(links.length).toBeGreaterThan(100);
		expect(links.flatMap((link) => linkProblem(link) ?? [])).toEqual([]);
	});

	test("are all in the index", () => {
		const index = relativeLinks(readPage("docs/README.md")).map(({ target }) => target);
		const docs = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
		expect(docs.filter((path) => path !== "docs/README.md" && !index.includes(path.slice(5)))).toEqual([]);
	});
});

test("the README has at most 900 words", () => {
	expect(readPage("README.md").text.match(/\S+/g)?.length).toBeLessThanOrEqual(900);
});

/** Those in Python and YAML are previewed by test/nightly/docs-programs.test.ts. */
test("the blocks in TypeScript compile in a project as `pulumi new typescript` makes it", () => {
	const blocks = pages.flatMap((page) => page.blocks).filter(({ language }) => language === "ts");
	expect(blocks.length).toBeGreaterThan(10);
	const examples = schemaExamples("typescript").map(([kind, text]) => {
		return { page: `schema-${kind}`, language: "ts", line: 1, text };
	});
	expect(compileBlocks([...blocks, ...examples])).toEqual([]);
});

describe("the tabs of a how-to page", () => {
	const SOURCES = { ts: "index.ts", python: "python/__main__.py", yaml: "yaml/Pulumi.yaml" };
	const groups = pages.flatMap(({ path, text }) =>
		[...text.matchAll(/<!-- (examples\/[\w-]+) -->\n((?:\n```\w+\n[\s\S]*?\n```\n)+)/g)].map(
			([, example = "", blocks = ""]) => ({ path, example, blocks }),
		),
	);

	expect(groups.length).toBeGreaterThan(3);
	test.each(groups)(
		"$path shows parts of $example, which the tests deploy, in each language it has",
		(group) => {
			const sources = Object.entries(SOURCES).filter(([, file]) => existsSync(place(group.example, file)));
			const shown = [...group.blocks.matchAll(/```(\w+)\n([\s\S]*?\n)```/g)];
			expect(shown.map(([, language]) => language)).toEqual(sources.map(([language]) => language));
			for (const [index, [, file]] of sources.entries())
				expect(readFileSync(place(group.example, file), "utf8")).toContain(shown[index]?.[2]);
		},
	);

	const place = (example: string, file: string): string => join(repository, example, file);
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

	test.each([
		["drift", "docs/drift.md", "Options"],
		["forecast", "docs/forecast.md", "Options"],
		["export", "docs/export.md", "Options"],
		["serve", "docs/local-server.md", "Start the server"],
		["board", "docs/board.md", "Options"],
	])("%s has all its options in the table of %s", (command, path, heading) => {
		const table = tableBelow(readPage(path), heading).flatMap(
			([first = ""]) => first.match(/--[\w-]+/g) ?? [],
		);
		const options = (known.get(command) ?? []).filter((option) => option !== "--help");
		expect(table.filter((option) => option !== "--debug").sort()).toEqual([...options].sort());
	});

	test("are all in the table of docs/cli.md", () => {
		const named = namesBelow(readPage("docs/cli.md"), "Commands").map((usage) => usage.split(" ")[0]);
		const commands = [...known.keys()].filter((name) => name !== "");
		expect([...new Set(named)].sort()).toEqual(commands.sort());
	});

	test("about a team have all their options in the table of docs/cli.md", () => {
		const rows = tableBelow(readPage("docs/cli.md"), "Options");
		const elsewhere = ["", "serve", "drift", "forecast", "export", "doctor", "board"];
		const commands = [...known].filter(([name]) => !elsewhere.includes(name));
		expect(commands.length).toBeGreaterThan(10);
		for (const [command, options] of commands) {
			const own = rows.filter(
				([, which = ""]) => which === "all" || which.split(", ").includes(`\`${command}\``),
			);
			const table = own.flatMap(([first = ""]) => first.match(/--[\w-]+/g) ?? []);
			expect(table.sort(), command).toEqual(options.filter((option) => option !== "--help").sort());
		}
	});

	test("name in docs/cli.md every status that they know", () => {
		const rows = tableBelow(readPage("docs/cli.md"), "Statuses").map(([, statuses = ""]) => codeIn(statuses));
		expect(rows).toEqual([[...JOB_STATUSES, ...JOB_STATUS_GROUPS], [...PIPELINE_STATUSES]]);
	});
});

const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const propertiesOf = (object: { properties?: object } | undefined): string[] =>
	Object.keys(object?.properties ?? {});

const pageOf = (kind: string): string => `docs/${snakeCase(kind).slice(1).replaceAll("_", "-")}.md`;

describe("the page of a resource", () => {
	const managed = Object.keys(schema.resources).filter((token) => !schema.resources[token].isComponent);
	test.each(managed)("%s has every input and output, and no other", (token) => {
		const resource = schema.resources[token];
		const inputs = Object.keys(resource.inputProperties);
		const page = readPage(pageOf(token.split(":")[2] ?? ""));
		expect(namesBelow(page, "Inputs").filter(isName).sort()).toEqual([...inputs].sort());
		const outputs = propertiesOf(resource).filter((output) => !inputs.includes(output));
		expect(namesBelow(page, "Outputs").filter(isName).sort()).toEqual(outputs.sort());
		const properties = { ...resource.properties, ...resource.inputProperties };
		for (const heading of ["Inputs", "Outputs"])
			for (const [field = "", type = ""] of tableBelow(page, heading))
				expect(`${field} ${type.replace(/\[(\w+)\]\([^)]*\)/, "$1")}`).toBe(
					`${field} ${typeText(properties[codeIn(field)[0] ?? ""])}`,
				);
	});

	test.each(["pipeline-schedule", "pipeline-settings", "job-file", "pipeline", "job", "scheduled-pipeline"])(
		"docs/%s.md has an example in each language and the sections of every such page",
		(name) => {
			const page = readPage(`docs/${name}.md`);
			const languages = page.blocks.slice(0, 4).map(({ language }) => language);
			expect(languages).toEqual(["ts", "python", "yaml", "go"]);
			const headings = page.prose.match(/^## .+$/gm) ?? [];
			const fixed = ["## Inputs", "## Outputs", "## Import", "## Related"];
			expect(headings.filter((heading) => fixed.includes(heading))).toEqual(fixed);
		},
	);

	test.each(EXAMPLE_KINDS)("%s has the example in Go that the schema has", (kind) => {
		const [go] = readPage(pageOf(kind)).blocks.filter(({ language }) => language === "go");
		expect(go?.text).toBe(`${exampleProgram(kind, "go")}\n`);
	});

	test("ScheduledPipeline has every input and output, and no other", () => {
		const page = readPage("docs/scheduled-pipeline.md");
		const declarations = new Declarations();
		const names = (properties: readonly Declared[]) => properties.map(({ name }) => name).sort();
		expect(namesBelow(page, "Inputs").sort()).toEqual(
			names(declarations.properties("ScheduledPipelineArgs")),
		);
		expect(namesBelow(page, "Outputs").sort()).toEqual(names(declarations.outputs("ScheduledPipeline")));
	});

	test("Provider has every input, and no other", () => {
		const inputs = Object.keys(schema.provider.inputProperties);
		expect(namesBelow(readPage("docs/provider.md"), "Inputs").sort()).toEqual(inputs.sort());
	});
});

describe("the pages for Pulumi's registry", () => {
	const QUICKSTARTS = {
		typescript: "examples/quickstart/index.ts",
		python: "examples/python/__main__.py",
		go: "examples/go/main.go",
		yaml: "examples/yaml/Pulumi.yaml",
	};

	test("have the quickstart of each language as the tests deploy it", () => {
		const { text } = readPage("docs/_index.md");
		expect(text).toContain(`{{< chooser language "${Object.keys(QUICKSTARTS)}" >}}`);
		for (const [language, file] of Object.entries(QUICKSTARTS)) {
			const program = readFileSync(join(repository, file), "utf8");
			const tab = [`choosable language ${language} %}}`, "", `\`\`\`${language}`, program];
			expect(text).toContain(`{{% ${tab.join("\n")}\`\`\`\n\n{{% /choosable %}}`);
		}
	});

	test("have every setting with its description, and the versions that the packages ask for", () => {
		const { text } = readPage("docs/installation-configuration.md");
		const settings = Object.entries<{ description: string; secret?: boolean }>(schema.config.variables);
		const rows = settings.map(
			([name, { description, secret }]) =>
				`- \`datachain:${name}\`${secret ? " (secret)" : ""}: ${description}`,
		);
		expect(text.split("\n").filter((line) => line.startsWith("- `datachain:"))).toEqual(rows);
		expect(text).toContain(`(Node.js ${engines.node})`);
		expect(text).toContain(`(Python ${schema.language.python.pythonRequires})`);
	});
});

/** A type of the schema as the pages write it: `list of strings`. */
function typeText(spec: TypeSpec): string {
	const several = (of: TypeSpec): string => typeText(of).replace(/^(?:string|integer)$/, "$&s");
	if (spec.oneOf !== undefined) return spec.oneOf.map(typeText).join(" or ");
	if (spec.items !== undefined) return `list of ${several(spec.items)}`;
	if (spec.additionalProperties !== undefined) return `map of ${several(spec.additionalProperties)}`;
	const name = spec.$ref?.split(/[:/]/).at(-1) ?? spec.type ?? "";
	if (schema.types[`datachain:index:${name}`]?.enum !== undefined) return "string";
	return /^(?:Any|Asset)$/.test(name) ? name.toLowerCase() : name;
}

const isName = (text: string): boolean => /^[a-z]\w*$/i.test(text);

const kinds = (Object.keys(STORAGES) as StorageKind[]).filter((kind) => kind !== "file");
test.each(kinds)(
	"the page of storages has every parameter of %s, with its wire name and whether it is a secret",
	(kind) => {
		const rows = tableBelow(readPage("docs/storage.md"), kind).map(([name = "", wire = "", , secret]) => [
			codeIn(name)[0],
			codeIn(wire)[0],
			secret === "yes",
		]);
		expect(rows).toEqual(
			Object.entries(STORAGES[kind].shape).map(([name, shape]) => [name, wireName(name), isSecret(shape)]),
		);
	},
);

test("the page of upgrading has the versions that the packages ask for", () => {
	const rows = tableBelow(readPage("docs/upgrading.md"), "Versions and support");
	const supported = Object.fromEntries(rows.map(([component = "", versions = ""]) => [component, versions]));
	const oldest = (range: string) => /^>=(\S+)/.exec(range)?.[1];
	expect(supported["Node.js"]).toContain(`${oldest(engines.node)} or newer`);
	const sdk = peerDependencies["@pulumi/pulumi"];
	expect(supported["`@pulumi/pulumi`"]).toContain(`${oldest(sdk)} or newer, below ${sdk.split("<")[1]}`);
	expect(supported.Python).toContain(`${oldest(schema.language.python.pythonRequires)} or newer`);
	const [, go] = /^go (\d+\.\d+)/m.exec(readFileSync(join(repository, "sdk", "go", "go.mod"), "utf8")) ?? [];
	expect(supported.Go).toContain(`${go} or newer`);
	expect(supported["Pulumi CLI"]).toContain(`${OLDEST_CLI} or newer`);
	expect(rows.find(([component]) => component === "Pulumi CLI")).toContain(engineVersion);
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

const quoted = readPage("docs/troubleshooting.md").blocks.filter(({ language }) => language === "text");
const texts = messages().map(({ text }) => text.replace(/\s+/g, " "));

test.each(quoted.map(({ text }) => text.trim()))(
	"the text of an error %s is one that the sources have",
	(message) => {
		const parts = fixedParts(message);
		expect(parts.length).toBeGreaterThan(0);
		expect(parts.filter((part) => !texts.some((text) => text.includes(part)))).toEqual([]);
	},
);
