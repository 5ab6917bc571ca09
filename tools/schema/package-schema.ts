import { isLookup, listKey } from "../../src/functions/table";
import { PROVIDER_FIELDS } from "../../src/plugin/provider-config";
import { dynamicType, KINDS, type Kind, PLUGIN_PACKAGE, pluginType } from "../../src/schemas/kinds";
import { Declarations } from "./declarations";
import { facts, tableOf } from "./facts";
import { type ObjectSpec, type PropertySpec, TypeSpecs } from "./types";
import { wording } from "./wording";

type Fields = Omit<ObjectSpec, "type">;

/** What package.json says, and the schema repeats: the generated packages name it on their pages. */
interface Manifest {
	readonly version: string;
	readonly description: string;
	readonly homepage: string;
	readonly repository: { readonly url: string };
}

/** The schema of the plugin, from the public types, their comments and the tables of the kinds. */
export function packageSchema({
	version,
	description,
	homepage,
	repository,
}: Manifest): Record<string, unknown> {
	const declarations = new Declarations();
	const types = new TypeSpecs(declarations, facts);
	const kinds = Object.keys(KINDS) as Kind[];
	const lookups = declarations.names().filter(isLookup).sort();
	const provider = types.object("Provider", declarations.properties("ProviderArgs"));
	const missing = PROVIDER_FIELDS.filter((field) => provider.properties[field] === undefined);
	if (missing.length > 0) throw new Error(`ProviderArgs lacks ${missing.join(", ")}.`);
	const resources = Object.fromEntries(
		kinds.map((kind) => [pluginType(kind), resource(kind, declarations, types)]),
	);
	const functions = Object.fromEntries(
		lookups.map((name) => [`${PLUGIN_PACKAGE}:index:${name}`, lookup(name, declarations, types)]),
	);
	return {
		name: PLUGIN_PACKAGE,
		displayName: "DataChain Studio",
		version,
		description,
		keywords: ["category/infrastructure", "kind/native", "datachain"],
		homepage,
		repository: repository.url.replace(/^git\+|\.git$/g, ""),
		license: "Apache-2.0",
		meta: { moduleFormat: "(.*)" },
		language: {
			python: {
				packageName: "pulumi_datachain",
				respectSchemaVersion: true,
				pyproject: { enabled: true },
				requires: { pulumi: ">=3.216.0,<4.0.0" },
			},
			nodejs: { packageName: "pulumi-datachain", respectSchemaVersion: true },
			go: {
				importBasePath: "pulumi-datachain/sdk/go/datachain",
				generateResourceContainerTypes: true,
				respectSchemaVersion: true,
			},
		},
		config: { variables: mapped(provider, asConfig) },
		provider: {
			description: wording("Provider", firstParagraph(declarations.comment("Provider"))),
			type: "object",
			inputProperties: provider.properties,
			properties: provider.properties,
		},
		types: Object.fromEntries(Object.entries(types.named).sort(([a], [b]) => (a < b ? -1 : 1))),
		resources,
		functions,
	};
}

/** A value of the config loses to the environment, where an argument of a `Provider` wins. */
const asConfig = (_name: string, spec: PropertySpec): PropertySpec =>
	spec.description === undefined
		? spec
		: { ...spec, description: spec.description.replace(/Wins over (`\w+`)\./, "$1 wins over it.") };

const firstParagraph = (comment: string): string => comment.split(/\n{2,}/)[0] ?? "";

function resource(kind: Kind, declarations: Declarations, types: TypeSpecs): Record<string, unknown> {
	const table = tableOf(kind) ?? {};
	const inputs = types.object(kind, declarations.properties(`${kind}Args`));
	const outputs = types.object(kind, declarations.outputs(kind));
	const described = (name: string, spec: PropertySpec): PropertySpec => ({
		...spec,
		...(table[name]?.change === "replace" && { willReplaceOnChanges: true }),
	});
	return {
		description: wording(kind, declarations.comment(kind)),
		inputProperties: mapped(inputs, described),
		requiredInputs: inputs.required,
		// An output that is an input too has its comment there.
		properties: mapped(outputs, (name, spec) => {
			const description = spec.description ?? inputs.properties[name]?.description;
			return { ...spec, ...(description !== undefined && { description }) };
		}),
		required: outputs.required,
		aliases: [{ type: dynamicType(kind) }],
	};
}

const mapped = (
	{ properties }: Fields,
	change: (name: string, spec: PropertySpec) => PropertySpec,
): Record<string, PropertySpec> =>
	Object.fromEntries(Object.entries(properties).map(([name, spec]) => [name, change(name, spec)]));

function lookup(name: string, declarations: Declarations, types: TypeSpecs): Record<string, unknown> {
	const { args, result } = declarations.signature(name);
	const argsName = args?.getText() ?? "";
	const inputs = types.object(argsName, declarations.properties(argsName));
	const [, element, isList] = /^Promise<(\w+)(\[\])?>$/.exec(result.getText()) ?? [];
	if (element === undefined) throw new Error(`${name}: no schema for ${result.getText()}`);
	const item = types.object(element, declarations.properties(element));
	const outputs = isList
		? { properties: { [listKey(name)]: types.list(element) }, required: [listKey(name)] }
		: item;
	return {
		description: wording(name, declarations.comment(name)),
		inputs: { type: "object", properties: inputs.properties, required: inputs.required },
		outputs: { type: "object", ...outputs },
	};
}
