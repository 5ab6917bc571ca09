import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as publicApi from "../../../src";
import { LANGUAGES as CLI_LANGUAGES } from "../../../src/cli/export-command";
import { LANGUAGES } from "../../../src/export/render-project";
import { LOOKUPS } from "../../../src/functions/table";
import { PROVIDER_FIELDS } from "../../../src/plugin/provider-config";
import { HANDLERS } from "../../../src/provider/handlers";
import { dynamicType, KINDS, type Kind, pluginType } from "../../../src/schemas/kinds";
import { SECRET_PARAMETERS } from "../../../src/schemas/storage";
import { schemaFile, schemaText } from "../../../tools/schema/main";

const property = z.looseObject({ description: z.string().optional(), secret: z.boolean().optional() });
const properties = z.record(z.string(), property);
const schemaSchema = z.looseObject({
	types: z.record(z.string(), z.looseObject({ description: z.string().optional(), properties })),
	resources: z.record(
		z.string(),
		z.looseObject({
			description: z.string(),
			inputProperties: properties,
			properties,
			aliases: z.array(z.object({ type: z.string() })),
		}),
	),
	functions: z.record(z.string(), z.looseObject({ description: z.string() })),
	config: z.looseObject({ variables: properties }),
	provider: z.looseObject({ description: z.string(), inputProperties: properties }),
});

describe("the plugin's schema", () => {
	let committed: string;
	let schema: z.infer<typeof schemaSchema>;
	beforeAll(() => {
		committed = readFileSync(schemaFile, "utf8");
		schema = schemaSchema.parse(JSON.parse(committed));
	});

	it("is what `npm run schema` writes", () => {
		expect(committed).toBe(schemaText());
	}, 120_000);

	it("has every kind with every input of its table, and the alias to the dynamic type", () => {
		for (const kind of Object.keys(KINDS) as Kind[]) {
			const resource = schema.resources[pluginType(kind)];
			// What check itself fills in is no input of a program.
			const inputs = Object.keys(HANDLERS[kind]().fields).filter(
				(name) => !["contentHash", "utcCron"].includes(name),
			);
			expect(Object.keys(resource?.inputProperties ?? {}).sort()).toEqual(inputs.sort());
			expect(resource?.aliases).toEqual([{ type: dynamicType(kind) }]);
		}
	});

	it("has every lookup that a program can import, and no other", () => {
		const lookups = Object.keys(publicApi).filter((name) => /^get\w+(?<!Output)$/.test(name));
		expect(Object.keys(LOOKUPS).sort()).toEqual(lookups.sort());
		expect(Object.keys(schema.functions).sort()).toEqual(
			lookups.map((name) => `datachain:index:${name}`).sort(),
		);
	});

	it("has the provider's settings, and marks its token and the credentials of storages", () => {
		expect(Object.keys(schema.provider.inputProperties).sort()).toEqual([...PROVIDER_FIELDS].sort());
		expect(schema.provider.inputProperties.token?.secret).toBe(true);
		const s3 = schema.types["datachain:index:S3"]?.properties ?? {};
		const secrets = Object.keys(s3).filter((name) => s3[name]?.secret);
		expect(secrets.sort()).toEqual(SECRET_PARAMETERS.s3.filter((name) => name in s3).sort());
	});

	it("says that the environment wins over the config, and a Provider over the environment", () => {
		for (const name of ["baseUrl", "token", "teamName"]) {
			expect(schema.config.variables[name]?.description).toMatch(/ `DATACHAIN_STUDIO_\w+` wins over it\.$/);
			expect(schema.provider.inputProperties[name]?.description).toMatch(
				/ Wins over `DATACHAIN_STUDIO_\w+`\.$/,
			);
		}
	});

	it("describes things in words that hold for every language", () => {
		const descriptions = [...committed.matchAll(/"description": "(.*)"/g)].map(([, text = ""]) => text);
		expect(descriptions.length).toBeGreaterThan(100);
		const typescript =
			/new datachain|pulumi\.(secret|Output)|config\.require|storage\.\w+\(|\(\{|`\w+Output`|Promise|TypeScript|FileAsset/;
		expect(descriptions.filter((text) => typescript.test(text))).toEqual([]);
	});

	it("lets Python have its version, or an import of the package would fail", () => {
		expect(JSON.parse(committed).language.python).toMatchObject({ respectSchemaVersion: true });
		expect(committed).not.toMatch(/"replaceOnChanges"/);
	});

	it("has no union of a text and a list, which breaks the generated Python", () => {
		const unions = [...committed.matchAll(/"oneOf": (\[[\s\S]*?\n\s*\])/g)].map(([, text = ""]) => text);
		expect(unions.filter((text) => text.includes('"array"'))).toEqual([]);
	});
});

it("the export command offers the languages that there are", () => {
	expect(CLI_LANGUAGES).toEqual([...LANGUAGES]);
});
