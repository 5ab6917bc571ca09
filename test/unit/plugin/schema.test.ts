import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import * as publicApi from "../../../src";
import { lookupNamed } from "../../../src/lookups/table";
import { HANDLERS } from "../../../src/provider/hosts/hosting";
import { PROVIDER_FIELDS } from "../../../src/provider/hosts/plugin/provider";
import { KINDS, type Kind, pluginType } from "../../../src/schemas/kinds";
import { SECRET_PARAMETERS } from "../../../src/storage/rules";
import { LANGUAGES } from "../../../tools/schema/examples";
import { LOOKUP_LANGUAGES } from "../../../tools/schema/lookup-examples";
import { schemaFile, schemaText } from "../../../tools/schema/main";
import type { ObjectSpec } from "../../../tools/schema/types";

type Properties = ObjectSpec["properties"];
type Named<T> = Readonly<Record<string, T>>;
/** The parts of the schema that are looked at here. */
interface Schema {
	readonly types: Named<Partial<ObjectSpec>>;
	readonly resources: Named<{
		description: string;
		inputProperties: Properties;
		properties: Properties;
	}>;
	readonly functions: Named<{
		description: string;
		inputs: { properties: Properties };
		outputs: { properties: Properties };
	}>;
	readonly config: { variables: Properties };
	readonly provider: { inputProperties: Properties };
	readonly language: Named<object>;
}
const kinds = Object.keys(KINDS) as Kind[];
const secretsIn = (properties: Properties = {}) =>
	Object.keys(properties).filter((name) => properties[name]?.secret);

describe("the plugin's schema", () => {
	let committed: string;
	let schema: Schema;
	beforeAll(() => {
		committed = readFileSync(schemaFile, "utf8");
		schema = JSON.parse(committed);
	});

	it("is what `npm run schema` writes", () => {
		expect(committed).toBe(schemaText());
	}, 120_000);

	it("orders the engine nothing", () => {
		// The engine would obey `replaceOnChanges` even if two values mean the same.
		expect(committed).not.toMatch(/"replaceOnChanges"/);
	});

	it("marks no output as a secret, which only the program knows, and has the defaults that the provider's check fills in, and no other", () => {
		for (const kind of kinds) {
			const secret = secretsIn(schema.resources[pluginType(kind)]?.properties);
			expect([kind, secret]).toEqual([kind, []]);
		}
		// The SDKs send a default, and the classes of TypeScript do not: a stack that changes its language must not differ.
		const defaults = kinds.flatMap((kind) =>
			Object.entries(schema.resources[pluginType(kind)]?.inputProperties ?? {}).flatMap(
				([name, spec]) =>
					spec.default === undefined ? [] : [[kind, name, spec.default]],
			),
		);
		expect(defaults).toEqual([
			["PipelineSettings", "onDestroy", "keep"],
			["Pipeline", "start", false],
			["Pipeline", "onDestroy", "pause"],
		]);
		expect([...committed.matchAll(/"default(Info)?": [^{]/g)]).toHaveLength(
			defaults.length,
		);
	});

	it("has an input for every field that a program sets, and shows it as an output too", () => {
		const shownAsHash: readonly string[] = ["JobFile.source", "JobFile.text"];
		for (const kind of kinds) {
			const { inputProperties, properties } = schema.resources[pluginType(kind)] ?? {
				inputProperties: {},
				properties: {},
			};
			const fields = Object.entries(HANDLERS[kind]().fields);
			const set = fields.flatMap(([name, { filledIn }]) => (filledIn ? [] : [name]));
			expect([kind, Object.keys(inputProperties).sort()]).toEqual([kind, set.sort()]);
			const hidden = set
				.filter((name) => !Object.hasOwn(properties, name))
				.map((name) => `${kind}.${name}`);
			expect(hidden.filter((name) => !shownAsHash.includes(name))).toEqual([]);
		}
	});

	it("describes every type, word, input and output, and shows how each resource and lookup is used", () => {
		const undescribed = (
			owner: string,
			found: Record<string, { description?: string | undefined }>,
		) =>
			Object.keys(found)
				.filter((name) => !found[name]?.description)
				.map((name) => `${owner}.${name}`);
		const { types, resources, functions, config, provider } = schema;
		const all = [
			...undescribed("types", types),
			...Object.entries(types).flatMap(([name, type]) =>
				undescribed(name, type.properties ?? {}),
			),
			...Object.entries(resources).flatMap(([name, found]) => [
				...undescribed(name, found.inputProperties),
				...undescribed(name, found.properties),
			]),
			...Object.entries(functions).flatMap(([name, found]) => [
				...undescribed(name, found.inputs.properties),
				...undescribed(name, found.outputs.properties),
			]),
			...undescribed("config", config.variables),
			...undescribed("provider", provider.inputProperties),
		];
		expect(all).toEqual([]);
		for (const [token, { description }] of Object.entries(resources)) {
			const blocks = [...description.matchAll(/^```(\w+)$/gm)].map(
				([, language]) => language,
			);
			expect([token, blocks]).toEqual([token, expect.arrayContaining([...LANGUAGES])]);
		}
		for (const [token, { description }] of Object.entries(functions)) {
			const blocks = [...description.matchAll(/^```(\w+)$/gm)].map(
				([, language]) => language,
			);
			expect([token, blocks]).toEqual([token, [...LOOKUP_LANGUAGES]]);
		}
	});

	it("has every lookup that a program can import, and no other", () => {
		const lookups = Object.keys(publicApi).filter((name) =>
			/^get\w+(?<!Output)$/.test(name),
		);
		expect(
			Object.keys(publicApi).filter((name) => lookupNamed(name) !== undefined),
		).toEqual(lookups);
		expect(Object.keys(schema.functions).sort()).toEqual(
			lookups.map((name) => `datachain:index:${name}`).sort(),
		);
	});

	it("has the provider's settings, and marks its token and the credentials of storages", () => {
		expect(Object.keys(schema.provider.inputProperties).sort()).toEqual(
			[...PROVIDER_FIELDS].sort(),
		);
		expect(schema.provider.inputProperties.token?.secret).toBe(true);
		const s3 = schema.types["datachain:index:S3"]?.properties ?? {};
		const secrets = SECRET_PARAMETERS.s3.filter((name) => name in s3);
		expect(secretsIn(s3).sort()).toEqual(secrets.sort());
	});

	it("describes things in words that hold for every language", () => {
		const descriptions = [...committed.matchAll(/"description": "(.*)"/g)].map(
			([, text = ""]) => text.replace(/```.*?```/g, ""),
		);
		expect(descriptions.length).toBeGreaterThan(100);
		const typescript =
			/new datachain|pulumi\.(secret|Output)|config\.require|storage\.\w+\(|\(\{|`\w+Output`|Promise|TypeScript|FileAsset/;
		expect(descriptions.filter((text) => typescript.test(text))).toEqual([]);
	});

	it.each([
		["PipelineSettings", "onDestroy", ["keep", "reset"]],
		["Pipeline", "onDestroy", ["pause", "leave"]],
		["Job", "queryType", ["PYTHON", "SHELL"]],
	])(
		"knows the words of %s.%s, so that a type checker finds a misspelt one",
		(kind, name, words) => {
			const { inputProperties, properties } =
				schema.resources[`datachain:index:${kind}`] ?? {};
			const token = String(inputProperties?.[name]?.$ref).replace("#/types/", "");
			const described = { description: expect.any(String) };
			const values = words.map((value) => ({
				name: expect.any(String),
				value,
				...described,
			}));
			expect(schema.types[token]).toEqual({
				type: "string",
				enum: values,
				...described,
			});
			// The service may learn other words; a program must be able to read them.
			expect(properties?.[name]).toMatchObject({ type: "string" });
			expect(properties?.[name]?.$ref).toBeUndefined();
		},
	);

	it("names the package that the examples in Java import", () => {
		const { basePackage } = schema.language.java as { basePackage?: string };
		for (const { description } of Object.values(schema.resources))
			expect(description).toContain(`import ${basePackage}.datachain.*;`);
	});

	it("lets Python have its version, or an import of the package would fail", () => {
		expect(schema.language.python).toMatchObject({ respectSchemaVersion: true });
	});

	it("has no union of a text and a list, which breaks the generated Python", () => {
		const unions = [...committed.matchAll(/"oneOf": (\[[\s\S]*?\n\s*\])/g)].map(
			([, text = ""]) => text,
		);
		expect(unions.filter((text) => text.includes('"array"'))).toEqual([]);
	});
});
