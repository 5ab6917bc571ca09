import { columnsOf } from "../report/renderings";
import { snakeCase } from "../schemas/camel";
import { escapeUnit } from "../storage/render";
import type { ExportedResource, TeamModel } from "./export-model";

/** A value that the program takes from the stack's configuration. */
interface ConfigSecret {
	readonly configKey: string;
	/** The configuration has it in base64. */
	readonly base64?: true;
}

/** An object literal; the order of its fields is kept. */
export interface Fields {
	readonly fields: readonly (readonly [string, Expression])[];
}

/** What can stand as an argument in the exported program. There is no way to say "code". */
export type Expression = string | number | boolean | ConfigSecret | readonly Expression[] | Fields;

/** Longest line, as in this package's own sources. */
const LINE_WIDTH = 110;

const widthOf = (line: string): number => columnsOf(line.replaceAll("\t", "  "));

/** One field of an object literal, with its comma, laid out as a formatter would at the given depth. */
function renderField(name: string, value: Expression, depth: number): string {
	const key = objectKey(name);
	const indent = "\t".repeat(depth);
	const flat = renderFlat(value);
	if (flat !== undefined) {
		const line = `${indent}${key}: ${flat},`;
		if (widthOf(line) <= LINE_WIDTH) return line;
		if (typeof value === "string") return `${indent}${key}:\n${indent}\t${flat},`;
	}
	// So long a name of a variable that not even the call starts on its line.
	const isCall = typeof value === "object" && "configKey" in value;
	if (isCall && widthOf(`${indent}${key}: config.requireSecret(`) > LINE_WIDTH)
		return `${indent}${key}:\n${indent}\t${renderItem(value, depth + 1)},`;
	return `${indent}${key}: ${renderBroken(value, depth)},`;
}

/** On one line; undefined for objects, which are easier to read and to compare one field a line. */
function renderFlat(value: Expression): string | undefined {
	if (typeof value === "string") return literal(value);
	if (typeof value !== "object") return String(value);
	if ("configKey" in value) return `config.requireSecret(${literal(value.configKey)})`;
	if ("fields" in value) return value.fields.length === 0 ? "{}" : undefined;
	const items = value.map(renderFlat);
	return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

function renderBroken(value: Expression, depth: number): string {
	const indent = "\t".repeat(depth);
	const inside = `${indent}\t`;
	if (typeof value !== "object") return renderFlat(value) ?? "";
	if ("configKey" in value) return `config.requireSecret(\n${inside}${literal(value.configKey)},\n${indent})`;
	if ("fields" in value) {
		const lines = value.fields.map(([name, field]) => renderField(name, field, depth + 1));
		return `{\n${lines.join("\n")}\n${indent}}`;
	}
	const items = value.map((item) => `${inside}${renderItem(item, depth + 1)},\n`);
	return `[\n${items.join("")}${indent}]`;
}

function renderItem(item: Expression, depth: number): string {
	const flat = renderFlat(item);
	const fits = flat !== undefined && widthOf("\t".repeat(depth) + flat) < LINE_WIDTH;
	return fits ? flat : renderBroken(item, depth);
}

type ResourceKind = "PipelineSchedule" | "PipelineSettings";

interface ResourceOptions {
	/** Leaves the object on the service when the resource goes. */
	readonly retain: boolean;
}

/** A module of the program that declares resources of one kind. The only server text in it is in string literals. */
export function renderModule(
	kind: ResourceKind,
	resources: readonly ExportedResource[],
	options: ResourceOptions,
): string {
	// A file without an import or export is no module to TypeScript.
	if (resources.length === 0) return "export {};\n";
	const body = resources.map((resource) => renderResource(kind, resource, options)).join("\n");
	const isConfigured = usesConfig(resources);
	const imports = [
		...(isConfigured ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
		'import * as datachain from "pulumi-datachain";',
	];
	const config = isConfigured ? "const config = new pulumi.Config();\n\n" : "";
	return `${imports.join("\n")}\n\n${config}${body}`;
}

export const INDEX = 'import "./schedules";\nimport "./settings";\n';

function renderResource(
	kind: ResourceKind,
	{ resource, identifier, args, notes = [] }: ExportedResource,
	{ retain }: ResourceOptions,
): string {
	const comments = notes.map((note) => `// ${note}\n`).join("");
	const head = `export const ${identifier} = new datachain.${kind}(`;
	const name = literal(resource);
	const opening = `${head}${name}, {`;
	if (!retain && widthOf(opening) <= LINE_WIDTH)
		return `${comments}${opening}\n${renderArgs(args, 1)}\n});\n`;
	const opts = retain ? "\t{ retainOnDelete: true },\n" : "";
	return `${comments}${head}\n\t${name},\n\t{\n${renderArgs(args, 2)}\n\t},\n${opts});\n`;
}

const renderArgs = ({ fields }: Fields, depth: number): string =>
	fields.map(([name, value]) => renderField(name, value, depth)).join("\n");

/** Whether something in it is taken from the stack's configuration. */
function usesConfig(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	return "configKey" in value || Object.values(value).some(usesConfig);
}

const INDENT = "    ";

/** A module of a program in Python. The only server text in it is in string literals. */
export function renderPythonModule(
	kind: ResourceKind,
	resources: readonly ExportedResource[],
	options: ResourceOptions,
): string {
	if (resources.length === 0) return '"""Nothing was there to export."""\n';
	const body = resources.map((resource) => pythonResource(kind, resource, options)).join("\n");
	const isConfigured = usesConfig(resources);
	const imports = isConfigured || options.retain ? "import pulumi\n" : "";
	const config = isConfigured ? "config = pulumi.Config()\n\n" : "";
	return `${imports}import pulumi_datachain as datachain\n\n${config}${body}`;
}

export const PYTHON_MAIN = "import schedules  # noqa: F401\nimport settings  # noqa: F401\n";

function pythonResource(
	kind: ResourceKind,
	{ resource, args, notes = [] }: ExportedResource,
	{ retain }: ResourceOptions,
): string {
	const comments = notes.map((note) => `# ${note}\n`).join("");
	// Inputs have the spelling of the language; keys inside a value are the user's own.
	const lines = args.fields.map(([name, value]) => `${INDENT}${snakeCase(name)}=${pythonValue(value, 1)},\n`);
	const opts = retain ? `${INDENT}opts=pulumi.ResourceOptions(retain_on_delete=True),\n` : "";
	return `${comments}datachain.${kind}(\n${INDENT}${portableLiteral(resource)},\n${lines.join("")}${opts})\n`;
}

function pythonValue(value: Expression, depth: number): string {
	if (typeof value === "string") return portableLiteral(value);
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return String(value);
	if ("configKey" in value) return `config.require_secret(${portableLiteral(value.configKey)})`;
	if ("fields" in value) return renderDict(value, depth);
	return `[${value.map((item) => pythonValue(item, depth)).join(", ")}]`;
}

function renderDict({ fields }: Fields, depth: number): string {
	if (fields.length === 0) return "{}";
	const inside = INDENT.repeat(depth + 1);
	const lines = fields.map(
		([key, item]) => `${inside}${portableLiteral(key)}: ${pythonValue(item, depth + 1)},\n`,
	);
	return `{\n${lines.join("")}${INDENT.repeat(depth)}}`;
}

/** Where `npm install` puts the plugin. */
const PLUGIN = "node_modules/pulumi-datachain/dist/plugin";

/** The whole project in YAML: the program is the project file. */
export function renderYamlProject(name: string, model: TeamModel, options: ResourceOptions): string {
	const lines = [
		"runtime: yaml",
		`plugins:\n  providers:\n    - name: datachain\n      path: ${PLUGIN}`,
		...configPart(model),
		...resourcesPart(model, options),
	];
	return projectFile(name, `${lines.join("\n")}\n`);
}

/** Pulumi.yaml in any language. */
export const projectFile = (name: string, rest: string): string => `name: ${name}
description: Schedules and pipeline settings of a DataChain team, as they were exported.
${rest}`;

/** The engine refuses to start without a value for each of these. */
function configPart({ secrets }: TeamModel): string[] {
	if (secrets.length === 0) return [];
	return [
		"config:",
		...secrets.map(({ key }) => `  ${portableLiteral(key)}:\n    type: string\n    secret: true`),
	];
}

function resourcesPart(model: TeamModel, options: ResourceOptions): string[] {
	// Both kinds share the names of one map; their own names are distinct only within the kind.
	const all = [
		...model.schedules.map((found) => yamlResource("PipelineSchedule", "schedule", found, options)),
		...model.settings.map((found) => yamlResource("PipelineSettings", "settings", found, { retain: false })),
	];
	return all.length === 0 ? ["resources: {}"] : ["resources:", ...all];
}

function yamlResource(
	kind: ResourceKind,
	prefix: string,
	{ resource, args, notes = [] }: ExportedResource,
	{ retain }: ResourceOptions,
): string {
	return [
		...notes.map((note) => `  # ${note}`),
		`  ${portableLiteral(`${prefix}-${resource}`)}:`,
		`    type: datachain:${kind}`,
		// The resource's own name, so that another language finds the same one in the state.
		`    name: ${yamlText(resource)}`,
		"    properties:",
		...args.fields.map(([name, value]) => `      ${name}: ${yamlValue(value)}`),
		...(retain ? ["    options:", "      retainOnDelete: true"] : []),
	].join("\n");
}

/** In the flow style, which is JSON: no text can be read as anything but text. */
function yamlValue(value: Expression): string {
	if (typeof value === "string") return yamlText(value);
	if (typeof value !== "object") return String(value);
	if ("configKey" in value) {
		const reference = portableLiteral(`\${${value.configKey}}`);
		return value.base64 ? `{ "fn::fromBase64": ${reference} }` : reference;
	}
	if ("fields" in value)
		return `{ ${value.fields.map(([key, item]) => `${portableLiteral(key)}: ${yamlValue(item)}`).join(", ")} }`;
	return `[${value.map(yamlValue).join(", ")}]`;
}

/** A dollar sign before a brace would begin an interpolation, and of two in a row one would be lost; doubled, each is one. */
const yamlText = (value: string): string => portableLiteral(value.replaceAll("$", () => "$$"));

/**
 * Everything that JSON leaves as it is but that a reader, an editor or a parser may take for something else: line
 * separators, invisible and direction-changing characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * A text as a string literal of JavaScript. Names and values come from a server: whatever they hold, the result is
 * one literal on one line that evaluates to the same text, and reads as what it is.
 */
export function literal(text: string): string {
	// As formatters do: the quote that needs fewer escapes.
	return count(text, '"') > count(text, "'") ? singleQuoted(text) : jsonLiteral(text);
}

/** The same in JSON, for places that are no code: messages and lists for people. */
export function jsonLiteral(text: string): string {
	return escapeUnseen(JSON.stringify(text));
}

function singleQuoted(text: string): string {
	const body = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
	return `'${escapeUnseen(body)}'`;
}

function escapeUnseen(json: string): string {
	// `</script>` must not end a page that shows the program.
	return json
		.replace(UNSEEN, (character) => character.split("").map(escapeUnit).join(""))
		.replaceAll("</", "<\\/");
}

/**
 * A text as a string literal that Python and YAML read alike: JSON, in which a character beyond the first plane is
 * escaped as one and not, as JavaScript does, as two halves.
 */
export const portableLiteral = (text: string): string => JSON.stringify(text).replace(UNSEEN, escapedWhole);

function escapedWhole(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	const hex = code.toString(16);
	return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

const count = (text: string, character: string): number => text.split(character).length - 1;

const NAME = /^[A-Za-z_$][\w$]*$/;

/** A text as the key of an object literal. `__proto__` as a plain key would set the object's prototype. */
export function objectKey(name: string): string {
	if (name === "__proto__") return '["__proto__"]';
	return NAME.test(name) ? name : literal(name);
}
