import { lookupNamed } from "../../src/lookups/table";
import { HANDLERS } from "../../src/provider/hosts/hosting";
import type { AnyTable } from "../../src/provider/model/table";
import {
	dynamicType,
	isKind,
	KINDS,
	type Kind,
	PLUGIN_PACKAGE,
	PLUGIN_SERVER,
	pluginType,
} from "../../src/schemas/kinds";
import { SECRET_PARAMETERS, STORAGE_KINDS, STORAGES } from "../../src/storage/rules";
import { Declarations } from "./declarations";
import { exampleUsage, lookupUsage } from "./examples";
import { type Facts, type ObjectSpec, type PropertySpec, TypeSpecs } from "./types";
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
	const address = repository.url.replace(/^git\+|\.git$/g, "");
	const declarations = new Declarations();
	const types = new TypeSpecs(declarations, facts);
	const kinds = Object.keys(KINDS) as Kind[];
	const lookups = declarations
		.names()
		.filter((name) => lookupNamed(name) !== undefined)
		.sort();
	const provider = types.object("Provider", declarations.properties("ProviderArgs"));
	const resources = Object.fromEntries(
		kinds.map((kind) => [pluginType(kind), resource(kind, declarations, types)]),
	);
	const functions = Object.fromEntries(
		lookups.map((name) => [
			`${PLUGIN_PACKAGE}:index:${name}`,
			lookup(name, declarations, types),
		]),
	);
	// The lookups have added theirs by now.
	const named = Object.fromEntries(
		Object.entries(types.named).sort(([a], [b]) => (a < b ? -1 : 1)),
	);
	return {
		name: PLUGIN_PACKAGE,
		displayName: "DataChain Studio",
		version,
		description,
		keywords: ["pulumi", "category/infrastructure", "kind/native", "datachain"],
		homepage,
		repository: address,
		license: "Apache-2.0",
		publisher: "pulumi-datachain",
		pluginDownloadURL: PLUGIN_SERVER,
		meta: { moduleFormat: "(.*)" },
		language: {
			python: {
				packageName: "pulumi_datachain",
				respectSchemaVersion: true,
				pyproject: { enabled: true },
				// As the SDK itself, from the first version on that we work with.
				pythonRequires: ">=3.10",
				requires: { pulumi: ">=3.216.0,<4.0.0" },
			},
			nodejs: { packageName: "pulumi-datachain", respectSchemaVersion: true },
			go: {
				importBasePath: `${address.replace("https://", "")}/sdk/go/datachain`,
				generateResourceContainerTypes: true,
				respectSchemaVersion: true,
			},
			csharp: {
				namespaces: { datachain: "DataChain" },
				packageReferences: { Pulumi: "3.*" },
				respectSchemaVersion: true,
			},
			java: {
				basePackage: "com.pulumi",
				buildFiles: "gradle",
				dependencies: { "com.pulumi:pulumi": "1.16.2" },
			},
		},
		config: { variables: mapped(provider, asConfig) },
		provider: {
			description: wording(
				"Provider",
				firstParagraph(declarations.comment("Provider")),
			),
			type: "object",
			inputProperties: provider.properties,
			properties: provider.properties,
		},
		types: named,
		resources,
		functions,
	};
}

/** A value of the config loses to the environment, where an argument of a `Provider` wins; nothing encrypts it by itself. */
const asConfig = (_name: string, spec: PropertySpec): PropertySpec =>
	spec.description === undefined
		? spec
		: {
				...spec,
				description: spec.description
					.replace(/Overrides (`\w+`)\./, "$1 overrides it.")
					.replace(
						"always stored as a secret",
						"set it with `pulumi config set --secret`",
					),
			};

const firstParagraph = (comment: string): string => comment.split(/\n{2,}/)[0] ?? "";

function resource(
	kind: Kind,
	declarations: Declarations,
	types: TypeSpecs,
): Record<string, unknown> {
	const table = tableOf(kind) ?? {};
	const inputs = types.object(kind, declarations.properties(`${kind}Args`));
	const outputs = types.object(kind, declarations.outputs(kind), true);
	const described = (name: string, spec: PropertySpec): PropertySpec => ({
		...spec,
		...(table[name]?.default !== undefined && { default: table[name]?.default }),
		...(table[name]?.change === "replace" && { willReplaceOnChanges: true }),
	});
	return {
		description: `${wording(kind, declarations.comment(kind))}\n\n${exampleUsage(kind)}`,
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
	Object.fromEntries(
		Object.entries(properties).map(([name, spec]) => [name, change(name, spec)]),
	);

function lookup(
	name: string,
	declarations: Declarations,
	types: TypeSpecs,
): Record<string, unknown> {
	const { args, result } = declarations.signature(name);
	const argsName = args?.getText() ?? "";
	const inputs = types.object(argsName, declarations.properties(argsName));
	const [, found] = /^Promise<(\w+)>$/.exec(result.getText()) ?? [];
	if (found === undefined)
		throw new Error(`${name}: no schema for ${result.getText()}`);
	const outputs = types.object(found, declarations.properties(found));
	return {
		description: `${wording(name, declarations.comment(name))}\n\n${lookupUsage(name)}`,
		inputs: {
			type: "object",
			properties: inputs.properties,
			required: inputs.required,
		},
		outputs: { type: "object", ...outputs },
	};
}

interface Checks {
	safeParse(value: unknown, options?: { reportInput: false }): { error?: unknown };
}

/** `S3Args` belongs to the storage kind s3. */
const storageKind = (owner: string) =>
	STORAGE_KINDS.find((kind) => owner.toLowerCase() === `${kind}args`);

const tableOf = (owner: string): AnyTable | undefined =>
	isKind(owner) ? HANDLERS[owner]().fields : undefined;

function schemaOf(owner: string, property: string): Checks | undefined {
	const kind = storageKind(owner);
	return kind ? STORAGES[kind].shape[property] : tableOf(owner)?.[property]?.schema;
}

/** Read from the rows that check the values; what the service alone writes has whole numbers only. */
const facts: Facts = {
	isInteger(owner, property) {
		const schema = schemaOf(owner, property);
		return (
			schema === undefined ||
			schema.safeParse(1.5, { reportInput: false }).error !== undefined
		);
	},
	isSecret(owner, property) {
		const kind = storageKind(owner);
		if (kind) return SECRET_PARAMETERS[kind].includes(property);
		// The environment of a resource is as secret as the program says.
		if (isKind(owner)) return false;
		return (
			(owner === "Provider" && property === "token") ||
			/^environment(Variables)?$/.test(property)
		);
	},
};
