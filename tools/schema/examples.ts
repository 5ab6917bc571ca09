import { snakeCase } from "../../src/schemas/camel";
import type { TypeSpec } from "./types";

/** An output of a resource that stands before it in the example. */
class OutputOf {
	constructor(
		readonly resource: string,
		readonly property: string,
	) {}
}

type Value = string | number | boolean | OutputOf | readonly Value[] | { readonly [key: string]: Value };

interface Example {
	readonly kind: string;
	readonly name: string;
	readonly args: Readonly<Record<string, Value>>;
}

const from = (path: string): OutputOf => {
	const [resource = "", property = ""] = path.split(".");
	return new OutputOf(resource, property);
};

/** What the page of each resource shows, once for all languages. The tests deploy it and compile it. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
	PipelineSchedule: [
		{
			kind: "PipelineSchedule",
			name: "nightly",
			args: { pipelineName: "nightly-images", cronExpression: "0 3 * * 1-5", timeZone: "Europe/Berlin" },
		},
	],
	PipelineSettings: [
		{
			kind: "PipelineSettings",
			name: "settings",
			args: {
				pipelineName: "rusty-vise",
				pythonVersion: "3.12",
				requirements: ["pillow==11.0.0"],
				environment: { LOG_LEVEL: "info" },
				storage: { s3: { anon: true } },
			},
		},
	],
	JobFile: [
		{ kind: "JobFile", name: "labels", args: { name: "labels.json", text: '["cat", "dog"]' } },
		{
			kind: "Job",
			name: "check",
			args: { query: "print(open('labels.json').read())", files: [from("labels.id")] },
		},
	],
	Pipeline: [
		{ kind: "Pipeline", name: "images", args: { datasets: ["dev.images.final_result"] } },
		{
			kind: "PipelineSchedule",
			name: "weekly",
			args: { pipelineName: from("images.name"), cronExpression: "0 4 * * 0", paused: false },
		},
	],
	Job: [{ kind: "Job", name: "smoke", args: { query: "print(1)", wait: true, timeout: "10m" } }],
	ScheduledPipeline: [
		{
			kind: "ScheduledPipeline",
			name: "daily",
			args: {
				datasets: ["dev.images.clean"],
				schedule: { cronExpression: "0 5 * * *" },
				settings: { workers: 2, environment: { MODEL: "clip" } },
			},
		},
	],
};

/** How `pulumi import` names an object of the kind; a kind that is missing cannot be imported. */
const IMPORT_IDS: Readonly<Record<string, string>> = {
	PipelineSchedule: "nightly 12",
	PipelineSettings: "images vision/nightly-images",
	Pipeline: "images nightly-images",
};

/** The parts of the schema that say which type a value has. */
export interface Types {
	readonly resources: Readonly<
		Record<string, { readonly inputProperties: Readonly<Record<string, TypeSpec>> }>
	>;
	readonly types: Readonly<Record<string, { readonly properties?: Readonly<Record<string, TypeSpec>> }>>;
}

/** What Pulumi's registry and its generators understand: they show each reader the block of the reader's language. */
export function exampleUsage(kind: string, types: Types): string {
	const blocks = LANGUAGES.map(
		(language) => `\`\`\`${language}\n${exampleProgram(kind, language, types)}\n\`\`\``,
	);
	const usage = ["{{% examples %}}", "## Example Usage", "{{% example %}}", ...blocks, "{{% /example %}}"];
	const id = IMPORT_IDS[kind];
	const how = id && ["## Import", `\`\`\`sh\n$ pulumi import datachain:index:${kind} ${id}\n\`\`\``];
	return [...usage, "{{% /examples %}}", ...(how || [])].join("\n\n");
}

/** Tests compile or deploy every example, except those in C#: there, only the SDK is compiled, when a release is made. */
export const LANGUAGES = ["typescript", "python", "go", "csharp", "java", "yaml"] as const;
export type Language = (typeof LANGUAGES)[number];

export function exampleProgram(kind: string, language: Language, types: Types): string {
	const resources = EXAMPLES[kind] ?? [];
	const writer = new Writer(WRITTEN[language], types);
	const isUsed = (name: string) => resources.some(({ args }) => JSON.stringify(args).includes(`"${name}"`));
	const declared = resources.map(({ name, kind: of, args }, index) => ({
		name,
		kind: of,
		args: writer.entries(types.resources[`datachain:index:${of}`]?.inputProperties ?? {}, args),
		isUsed: isUsed(name),
		isFirst: index === 0,
	}));
	return WRITTEN[language].program(declared);
}

interface Declared {
	readonly name: string;
	readonly kind: string;
	readonly args: readonly Entry[];
	readonly isUsed: boolean;
	readonly isFirst: boolean;
}

type Entry = readonly [name: string, text: string];

/** How a language writes values and resources. */
interface Written {
	text(value: string): string;
	word(value: number | boolean): string;
	list(items: readonly string[], hasOutputs: boolean): string;
	map(entries: readonly Entry[]): string;
	object(type: string, entries: readonly Entry[]): string;
	output(of: OutputOf): string;
	program(resources: readonly Declared[]): string;
}

class Writer {
	constructor(
		private readonly written: Written,
		private readonly types: Types,
	) {}

	entries(specs: Readonly<Record<string, TypeSpec>>, values: Readonly<Record<string, Value>>): Entry[] {
		return Object.entries(values).map(([name, value]) => [name, this.value(value, specs[name] ?? {})]);
	}

	private value(value: Value, spec: TypeSpec): string {
		if (value instanceof OutputOf) return this.written.output(value);
		if (typeof value === "string") return this.written.text(value);
		if (typeof value === "number" || typeof value === "boolean") return this.written.word(value);
		if (isList(value)) {
			const items = value.map((item) => this.value(item, spec.items ?? {}));
			return this.written.list(
				items,
				value.some((item) => item instanceof OutputOf),
			);
		}
		const token = spec.$ref?.replace("#/types/", "");
		if (token === undefined) {
			const entries = Object.entries(value).map(([key, item]): Entry => [key, this.value(item, {})]);
			return this.written.map(entries);
		}
		const properties = this.types.types[token]?.properties ?? {};
		return this.written.object(`${token.split(":").at(-1)}Args`, this.entries(properties, value));
	}
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const quoted = (text: string): string => JSON.stringify(text);
const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Lines between two, one step further in. */
const block = (open: string, lines: readonly string[], close: string, step = "    "): string =>
	[open, ...lines.map((line) => step + line.replaceAll("\n", `\n${step}`)), close].join("\n");

/** A line for each entry between the two. */
const object = (
	open: string,
	entries: readonly Entry[],
	line: (name: string, text: string) => string,
	close = "}",
	step?: string,
): string =>
	block(
		open,
		entries.map(([name, text]) => line(name, text)),
		close,
		step,
	);

const typescriptObject = (entries: readonly Entry[]): string =>
	object("{", entries, (name, text) => `${name}: ${text},`);

const pythonObject = (entries: readonly Entry[]): string =>
	object("{", entries, (name, text) => `${quoted(name)}: ${text},`);

const goObject = (type: string, entries: readonly Entry[]): string =>
	object(`&datachain.${type}{`, entries, (name, text) => `${upper(name)}: ${text},`, "}", "\t");

const csharpObject = (type: string, entries: readonly Entry[]): string =>
	object(`new${type}\n{`, entries, (name, text) => `${upper(name)} = ${text},`);

const builder = (type: string, entries: readonly Entry[]): string =>
	object(
		`${type}.builder()`,
		entries,
		// Every object of Java has a method of that name already.
		(name, text) => `.${name === "wait" ? "wait_" : name}(${text})`,
		"    .build()",
	);

const yamlObject = (entries: readonly Entry[]): string =>
	entries
		.map(([name, text]) => (text.startsWith("\n") ? `\n${name}:${inner(text)}` : `\n${name}: ${text}`))
		.join("");
const inner = (text: string): string => text.replaceAll("\n", "\n  ");

const WRITTEN: Readonly<Record<Language, Written>> = {
	typescript: {
		text: quoted,
		word: String,
		list: (items) => `[${items.join(", ")}]`,
		map: typescriptObject,
		object: (_, entries) => typescriptObject(entries),
		output: ({ resource, property }) => `${resource}.${property}`,
		program: (resources) =>
			[
				'import * as datachain from "pulumi-datachain";\n',
				...resources.map(
					({ name, kind, args }) =>
						`const ${name} = new datachain.${kind}(${quoted(name)}, ${typescriptObject(args)});`,
				),
			].join("\n"),
	},
	python: {
		text: quoted,
		word: (value) => (typeof value === "boolean" ? upper(String(value)) : String(value)),
		list: (items) => `[${items.join(", ")}]`,
		map: pythonObject,
		object: (_, entries) => pythonObject(entries.map(([name, text]) => [snakeCase(name), text])),
		output: ({ resource, property }) => `${resource}.${snakeCase(property)}`,
		program: (resources) =>
			[
				"import pulumi_datachain as datachain\n",
				...resources.map(({ name, kind, args }) => {
					const lines = args.map(([key, text]) => `${snakeCase(key)}=${text},`);
					return block(`${name} = datachain.${kind}(`, [`${quoted(name)},`, ...lines], ")");
				}),
			].join("\n"),
	},
	go: {
		text: (value) => `pulumi.String(${quoted(value)})`,
		word: (value) => `pulumi.${typeof value === "boolean" ? "Bool" : "Int"}(${value})`,
		list: (items) => `pulumi.StringArray{${items.join(", ")}}`,
		map: (entries) =>
			object("pulumi.StringMap{", entries, (key, text) => `${quoted(key)}: ${text},`, "}", "\t"),
		object: goObject,
		output: ({ resource, property }) =>
			property === "id" ? `${resource}.ID()` : `${resource}.${upper(property)}`,
		program: (resources) => {
			const lines = resources.map(({ name, kind, args, isUsed, isFirst }) => {
				const target = `${isUsed ? name : "_"}, err ${isUsed || isFirst ? ":=" : "="}`;
				const call = `datachain.New${kind}(ctx, ${quoted(name)}, ${goObject(`${kind}Args`, args)})`;
				return `${target} ${call}\nif err != nil {\n\treturn err\n}`;
			});
			const body = block(
				"pulumi.Run(func(ctx *pulumi.Context) error {",
				[...lines, "return nil"],
				"})",
				"\t",
			);
			const imports = [
				'"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"',
				'"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
			];
			return [
				"package main\n",
				`${block("import (", imports, ")", "\t")}\n`,
				block("func main() {", [body], "}", "\t"),
			].join("\n");
		},
	},
	csharp: {
		text: quoted,
		word: String,
		list: (items) => `new[] { ${items.join(", ")} }`,
		map: (entries) => object("{", entries, (key, text) => `{ ${quoted(key)}, ${text} },`),
		object: (type, entries) => csharpObject(` DataChain.Inputs.${type}`, entries),
		output: ({ resource, property }) => `${resource}.${upper(property)}`,
		program: (resources) => {
			const lines = resources.map(
				({ name, kind, args }) =>
					`var ${name} = new DataChain.${kind}(${quoted(name)}, ${csharpObject("()", args)});`,
			);
			const uses = ["using Pulumi;", "using DataChain = Pulumi.DataChain;\n"];
			return [...uses, block("return await Deployment.RunAsync(() =>\n{", lines, "});")].join("\n");
		},
	},
	java: {
		text: quoted,
		word: String,
		list: (items, hasOutputs) => (hasOutputs ? `Output.all(${items.join(", ")})` : items.join(", ")),
		map: (entries) => `Map.of(${entries.map(([key, text]) => `${quoted(key)}, ${text}`).join(", ")})`,
		object: builder,
		output: ({ resource, property }) => `${resource}.${property}()`,
		program: (resources) => {
			const lines = resources.map(
				({ name, kind, args }) =>
					`var ${name} = new ${kind}(${quoted(name)}, ${builder(`${kind}Args`, args)});`,
			);
			const body = block("Pulumi.run(ctx -> {", lines, "});");
			const method = block("public static void main(String[] args) {", [body], "}");
			const imports = [
				"com.pulumi.Pulumi",
				"com.pulumi.core.Output",
				"com.pulumi.datachain.*",
				"com.pulumi.datachain.inputs.*",
				"java.util.Map",
			];
			return [
				...imports.map((name) => `import ${name};`),
				`\n${block("public class App {", [method], "}")}`,
			].join("\n");
		},
	},
	yaml: {
		text: (value) => (/^[A-Za-z][\w.-]*$/.test(value) ? value : quoted(value)),
		word: String,
		list: (items) => items.map((item) => `\n- ${item}`).join(""),
		map: yamlObject,
		object: (_, entries) => yamlObject(entries),
		output: ({ resource, property }) => `\${${resource}.${property}}`,
		program: (resources) => {
			const entries = resources.map(({ name, kind, args }): Entry => {
				const parts: Entry[] = [
					["type", `datachain:${kind}`],
					["properties", yamlObject(args)],
				];
				return [name, yamlObject(parts)];
			});
			return yamlObject([["resources", yamlObject(entries)]]).trimStart();
		},
	},
};
