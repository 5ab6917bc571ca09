import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { engines, peerDependencies } from "../../package.json";
import { OLDEST_CLI } from "../../src/commands/doctor/check";
import { JOB_STATUS_GROUPS, JOB_STATUSES } from "../../src/schemas/job";
import { KINDS } from "../../src/schemas/kinds";
import { PIPELINE_STATUSES } from "../../src/schemas/pipeline-status";
import { STORAGES, type StorageKind } from "../../src/storage/kinds";
import { isSecret, wireName } from "../../src/storage/parameter";
import { driftReportSchema } from "../../src/team/drift-report";
import { comparisonSchema } from "../../src/team/forecast-compare";
import { forecastReportSchema } from "../../src/team/forecast-report";
import { snakeCase } from "../../src/text/camel";
import { engineVersion } from "../../tools/engine/build";
import { generatedPages } from "../../tools/pages/main";
import { repository } from "../../tools/repository";
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
		const docs = pages
			.map(({ path }) => path)
			.filter((path) => path.startsWith("docs/"));
		expect(
			docs.filter(
				(path) => path !== "docs/README.md" && !index.includes(path.slice(5)),
			),
		).toEqual([]);
	});
});

test("the README has at most 800 words", () => {
	expect(readPage("README.md").text.match(/\S+/g)?.length).toBeLessThanOrEqual(800);
});

/** Those in Python and YAML are previewed by test/nightly/docs-programs.test.ts. */
test("the blocks in TypeScript compile in a project as `pulumi new typescript` makes it", () => {
	const blocks = pages
		.flatMap((page) => page.blocks)
		.filter(({ language }) => language === "ts");
	expect(blocks.length).toBeGreaterThan(10);
	const examples = schemaExamples("typescript").map(([kind, text]) => {
		return { page: `schema-${kind}`, language: "ts", line: 1, text };
	});
	expect(compileBlocks([...blocks, ...examples])).toEqual([]);
});

describe("the tabs of a how-to page", () => {
	const SOURCES = {
		ts: "index.ts",
		python: "python/__main__.py",
		yaml: "yaml/Pulumi.yaml",
		go: "go/main.go",
	};
	const groups = pages.flatMap(({ path, text }) =>
		[
			...text.matchAll(
				/<!-- (examples\/[\w-]+) -->\n((?:\n```\w+\n[\s\S]*?\n```\n)+)/g,
			),
		].map(([, example = "", blocks = ""]) => ({ path, example, blocks })),
	);

	expect(groups.length).toBeGreaterThan(3);
	test.each(groups)(
		"$path shows parts of $example, which the tests deploy, in each language it has",
		(group) => {
			const sources = Object.entries(SOURCES).filter(([, file]) =>
				existsSync(place(group.example, file)),
			);
			const shown = [...group.blocks.matchAll(/```(\w+)\n([\s\S]*?\n)```/g)];
			expect(shown.map(([, language]) => language)).toEqual(
				sources.map(([language]) => language),
			);
			for (const [index, [, file]] of sources.entries())
				expect(readFileSync(place(group.example, file), "utf8")).toContain(
					shown[index]?.[2],
				);
		},
	);

	const place = (example: string, file: string): string =>
		join(repository, example, file);
});

describe("the commands", () => {
	let known: KnownCommands;
	beforeAll(async () => {
		known = await knownCommands();
	});

	test("in the pages are known to `pulumi-datachain --help`, with their options", () => {
		expect([...known.keys()]).toEqual(
			expect.arrayContaining(["serve", "drift", "forecast", "resume"]),
		);
		const calls = pages.flatMap((page) =>
			callsIn(page).map((call) => ({ page: page.path, call })),
		);
		expect(calls.length).toBeGreaterThan(40);
		const wrong = calls.flatMap(({ page, call }) =>
			callProblems(known, call).map((problem) => `${page}: ${call}: ${problem}`),
		);
		expect(wrong).toEqual([]);
	});

	test.each([
		["drift", "docs/drift.md", "Options"],
		["forecast", "docs/board.md", "Forecast options"],
		["export", "docs/adopting-a-team.md", "Export options"],
		["serve", "docs/local-server.md", "Start the server"],
		["board", "docs/board.md", "Board"],
	])("%s has all its options in the table of %s", (command, path, heading) => {
		const table = tableBelow(readPage(path), heading).flatMap(
			([first = ""]) => first.match(/--[\w-]+/g) ?? [],
		);
		const options = (known.get(command) ?? []).filter((option) => option !== "--help");
		expect(table.filter((option) => option !== "--debug").sort()).toEqual(
			[...options].sort(),
		);
	});

	test("are all in the table of docs/cli.md", () => {
		const named = namesBelow(readPage("docs/cli.md"), "Commands").map(
			(usage) => usage.split(" ")[0],
		);
		const commands = [...known.keys()].filter((name) => name !== "");
		expect([...new Set(named)].sort()).toEqual(commands.sort());
	});

	test("about a team have all their options in the table of docs/cli.md", () => {
		const rows = tableBelow(readPage("docs/cli.md"), "Options");
		const elsewhere = [
			"",
			"completion",
			"serve",
			"drift",
			"forecast",
			"export",
			"doctor",
			"board",
		];
		const commands = [...known].filter(([name]) => !elsewhere.includes(name));
		expect(commands.length).toBeGreaterThan(10);
		for (const [command, options] of commands) {
			const own = rows.filter(
				([, which = ""]) =>
					which === "all" || which.split(", ").includes(`\`${command}\``),
			);
			const table = own.flatMap(([first = ""]) => first.match(/--[\w-]+/g) ?? []);
			expect(table.sort(), command).toEqual(
				options.filter((option) => option !== "--help").sort(),
			);
		}
	});

	test("name in docs/cli.md every status that they know", () => {
		const rows = tableBelow(readPage("docs/cli.md"), "Statuses").map(
			([, statuses = ""]) => codeIn(statuses),
		);
		expect(rows).toEqual([
			[...JOB_STATUSES, ...JOB_STATUS_GROUPS],
			[...PIPELINE_STATUSES],
		]);
	});
});

/** The names of all fields, at every depth. */
function fieldsIn(jsonSchema: unknown): string[] {
	if (typeof jsonSchema !== "object" || jsonSchema === null) return [];
	const own =
		"properties" in jsonSchema ? Object.keys(jsonSchema.properties ?? {}) : [];
	return [...own, ...Object.values(jsonSchema).flatMap(fieldsIn)];
}

test.each([
	["drift", "JSON of drift", 0, driftReportSchema],
	["forecast", "JSON of forecast", 0, forecastReportSchema],
	["forecast --compare", "JSON of forecast", 1, comparisonSchema],
])("docs/cli.md has every field of `%s --json`", (_, heading, which, report) => {
	const [, below = ""] = readPage("docs/cli.md").text.split(`\n## ${heading}\n`);
	const shape = below.split("```text")[which + 1]?.split("```")[0] ?? "";
	const resource = shape.includes("RESOURCE")
		? ["urn", "kind", "resource", "name", "id", "team"]
		: [];
	const shown = [...(shape.match(/\w+/g) ?? []), ...resource];
	expect(shown).toEqual(expect.arrayContaining(fieldsIn(z.toJSONSchema(report))));
});

const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const propertiesOf = (object: { properties?: object } | undefined): string[] =>
	Object.keys(object?.properties ?? {});

const pageOf = (kind: string): string =>
	`docs/${snakeCase(kind).slice(1).replaceAll("_", "-")}.md`;

describe("the page of a resource", () => {
	test.each(Object.keys(schema.resources))(
		"%s has every input and output, and no other",
		(token) => {
			const resource = schema.resources[token];
			const inputs = Object.keys(resource.inputProperties);
			const page = readPage(pageOf(token.split(":")[2] ?? ""));
			expect(namesBelow(page, "Inputs").filter(isName).sort()).toEqual(
				[...inputs].sort(),
			);
			const outputs = propertiesOf(resource).filter(
				(output) => !inputs.includes(output),
			);
			expect(namesBelow(page, "Outputs").filter(isName).sort()).toEqual(outputs.sort());
			const properties = { ...resource.properties, ...resource.inputProperties };
			for (const heading of ["Inputs", "Outputs"])
				for (const [field = "", type = ""] of tableBelow(page, heading))
					expect(`${field} ${type.replace(/\[(\w+)\]\([^)]*\)/, "$1")}`).toBe(
						`${field} ${typeText(properties[codeIn(field)[0] ?? ""])}`,
					);
		},
	);

	test.each(Object.keys(KINDS))(
		"%s has an example in each language and the sections of every such page",
		(kind) => {
			const page = readPage(pageOf(kind));
			const languages = page.blocks.slice(0, 4).map(({ language }) => language);
			expect(languages).toEqual(["ts", "python", "yaml", "go"]);
			const headings = page.prose.match(/^## .+$/gm) ?? [];
			const fixed = ["## Inputs", "## Outputs", "## Import", "## Related"];
			expect(headings.filter((heading) => fixed.includes(heading))).toEqual(fixed);
		},
	);

	test.each(EXAMPLE_KINDS)("%s has the example in Go that the schema has", (kind) => {
		const [go] = readPage(pageOf(kind)).blocks.filter(
			({ language }) => language === "go",
		);
		expect(go?.text).toBe(`${exampleProgram(kind, "go")}\n`);
	});

	test("Provider has every input, and no other", () => {
		const inputs = Object.keys(schema.provider.inputProperties);
		expect(namesBelow(readPage("docs/plugin.md"), "Inputs of Provider").sort()).toEqual(
			inputs.sort(),
		);
	});
});

const generated = generatedPages();
test.each(Object.keys(generated))("docs/%s is as `npm run pages` writes it", (name) => {
	expect(readPage(`docs/${name}`).text).toBe(generated[name]);
});

test("the pages for Pulumi's registry have the quickstart of each language, and every setting", () => {
	const index = generated["_index.md"] ?? "";
	expect(index).toContain('{{< chooser language "typescript,python,go,yaml" >}}');
	for (const language of ["typescript", "python", "go", "yaml"])
		expect(index).toContain(
			`{{% choosable language ${language} %}}\n\n\`\`\`${language}\n`,
		);
	const settings =
		generated["installation-configuration.md"]?.match(/^- `datachain:\w+`/gm) ?? [];
	expect(settings).toHaveLength(Object.keys(schema.config.variables).length);
});

/** A type of the schema as the pages write it: `list of strings`. */
function typeText(spec: TypeSpec): string {
	const several = (of: TypeSpec): string =>
		typeText(of).replace(/^(?:string|integer)$/, "$&s");
	if (spec.oneOf !== undefined) return spec.oneOf.map(typeText).join(" or ");
	if (spec.items !== undefined) return `list of ${several(spec.items)}`;
	if (spec.additionalProperties !== undefined)
		return `map of ${several(spec.additionalProperties)}`;
	const name = spec.$ref?.split(/[:/]/).at(-1) ?? spec.type ?? "";
	if (schema.types[`datachain:index:${name}`]?.enum !== undefined) return "string";
	return /^(?:Any|Asset)$/.test(name) ? name.toLowerCase() : name;
}

const isName = (text: string): boolean => /^[a-z]\w*$/i.test(text);

/** Refused in every program, so the schema lacks them. */
const LIVE_OBJECTS = ["session", "requestSession"];

const kinds = (Object.keys(STORAGES) as StorageKind[]).filter(
	(kind) => kind !== "file",
);
test.each(kinds)(
	"the page of storage parameters has every one of %s, with its wire name and whether it is a secret",
	(kind) => {
		const page = readPage("docs/storage-parameters.md");
		const [, section = ""] = page.text.split(`\n## ${kind}\n`);
		const [, others = ""] =
			/^Without effect in a job, or deprecated: (.*)\.$/m.exec(
				section.split("\n## ")[0] ?? "",
			) ?? [];
		const withoutEffect = codeIn(others);
		const rows = tableBelow(page, kind).map(([name = "", wire = "", , secret]) => [
			codeIn(name)[0],
			codeIn(wire)[0],
			secret === "yes",
		]);
		expect(rows).toEqual(
			Object.entries(STORAGES[kind].shape)
				.filter(
					([name]) => !withoutEffect.includes(name) && !LIVE_OBJECTS.includes(name),
				)
				.map(([name, shape]) => [name, wireName(name), isSecret(shape)]),
		);
		expect(Object.keys(STORAGES[kind].shape)).toEqual(
			expect.arrayContaining(withoutEffect),
		);
	},
);

test("the page of the installation has the versions that the packages ask for", () => {
	const rows = tableBelow(readPage("docs/configuration.md"), "Versions and support");
	const supported = Object.fromEntries(
		rows.map(([component = "", versions = ""]) => [component, versions]),
	);
	const oldest = (range: string) => /^>=(\S+)/.exec(range)?.[1];
	expect(supported["Node.js"]).toContain(`${oldest(engines.node)} or newer`);
	const sdk = peerDependencies["@pulumi/pulumi"];
	expect(supported["`@pulumi/pulumi`"]).toContain(
		`${oldest(sdk)} or newer, below ${sdk.split("<")[1]}`,
	);
	expect(supported.Python).toContain(
		`${oldest(schema.language.python.pythonRequires)} or newer`,
	);
	const [, go] =
		/^go (\d+\.\d+)/m.exec(
			readFileSync(join(repository, "sdk", "go", "go.mod"), "utf8"),
		) ?? [];
	expect(supported.Go).toContain(`${go} or newer`);
	expect(supported["Pulumi CLI"]).toContain(`${OLDEST_CLI} or newer`);
	expect(rows.find(([component]) => component === "Pulumi CLI")).toContain(
		engineVersion,
	);
});

test("the page of lookups has every lookup with its filters", () => {
	const rows = tableBelow(readPage("docs/lookups.md"), "All of them").map(
		([name = "", takes = ""]) => [
			codeIn(name)[0],
			codeIn(takes)
				.filter((code) => !/^[A-Z]+$/.test(code))
				.sort(),
		],
	);
	const lookups = Object.entries<{ inputs?: object }>(schema.functions).map(
		([token, { inputs }]) => [token.split(":")[2], propertiesOf(inputs).sort()],
	);
	expect(rows.sort()).toEqual(lookups.sort());
});

/** Each is a heading, so that it has an anchor and the search finds it. */
const quoted = [
	...readPage("docs/troubleshooting.md").text.matchAll(/^### (.+)$/gm),
].map(([, heading = ""]) => heading);
const texts = messages().map(({ text }) => text.replace(/\s+/g, " "));

test.each(quoted)("the text of an error %s is one that the sources have", (message) => {
	const parts = fixedParts(message);
	expect(parts.length).toBeGreaterThan(0);
	expect(parts.filter((part) => !texts.some((text) => text.includes(part)))).toEqual(
		[],
	);
});
