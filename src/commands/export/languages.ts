import { escapeUnit } from "../../storage/render";
import { snakeCase } from "../../text/camel";
import { ConfigSecret, type Expression, type Fields } from "./expression";
import type { ExportedResource, TeamModel } from "./model";

const isList = (
	value: readonly Expression[] | Fields,
): value is readonly Expression[] => Array.isArray(value);

/** How a language spells the parts of a value. The only text of the server in a program is in `text`. */
interface Spelling {
	text(text: string): string;
	key(name: string): string;
	boolean(value: boolean): string;
	secret(secret: ConfigSecret): string;
	/** By how much the parts of a list or an object are indented; empty if all stand on one line. */
	readonly step: string;
}

/** `line` begins a line as far to the right as the one on which the value starts. */
function valueText(value: Expression, spelling: Spelling, line: string): string {
	if (typeof value === "string") return spelling.text(value);
	if (typeof value === "number") return String(value);
	if (typeof value === "boolean") return spelling.boolean(value);
	if (value instanceof ConfigSecret) return spelling.secret(value);
	const inside = `${line}${spelling.step}`;
	const [open, close] = isList(value) ? "[]" : "{}";
	const parts = Object.entries(value).map(([name, item]) => {
		const text = valueText(item, spelling, inside);
		return isList(value) ? text : `${spelling.key(name)}: ${text}`;
	});
	if (parts.length === 0) return `${open}${close}`;
	const end = spelling.step === "" ? "" : ",";
	return `${open}${inside}${parts.join(`,${inside}`)}${end}${line}${close}`;
}

/** Whether something in it is taken from the stack's configuration. */
const usesConfig = (value: Expression): boolean =>
	value instanceof ConfigSecret ||
	(typeof value === "object" && Object.values(value).some(usesConfig));

// ── TypeScript ──

const TYPESCRIPT: Spelling = {
	text: literal,
	// Inputs, and variables that can be declared, have names that are identifiers.
	key: (name) => name,
	boolean: String,
	secret: ({ configKey }) => `config.requireSecret(${literal(configKey)})`,
	step: "\t",
};

/** A module of the program that declares resources of one kind. */
export function renderModule(resources: readonly ExportedResource[]): string {
	// A file without an import or export is no module to TypeScript.
	if (resources.length === 0) return "export {};\n";
	const isConfigured = resources.some(({ args }) => usesConfig(args));
	const imports = isConfigured ? 'import * as pulumi from "@pulumi/pulumi";\n' : "";
	const config = isConfigured ? "const config = new pulumi.Config();\n\n" : "";
	const body = resources.map(
		({ kind, resource, identifier, args, notes = [], retain }) => {
			const comments = notes.map((note) => `// ${note}\n`).join("");
			const options = retain ? ", { retainOnDelete: true }" : "";
			const given = `${literal(resource)}, ${valueText(args, TYPESCRIPT, "\n")}${options}`;
			return `${comments}export const ${identifier} = new datachain.${kind}(${given});\n`;
		},
	);
	return `${imports}import * as datachain from "pulumi-datachain";\n\n${config}${body.join("\n")}`;
}

// ── Python ──

const PYTHON: Spelling = {
	text: portableLiteral,
	key: portableLiteral,
	boolean: (value) => (value ? "True" : "False"),
	secret: ({ configKey }) => `config.require_secret(${portableLiteral(configKey)})`,
	step: "    ",
};

/** The same in Python. */
export function renderPythonModule(resources: readonly ExportedResource[]): string {
	if (resources.length === 0) return '"""Nothing was there to export."""\n';
	const isConfigured = resources.some(({ args }) => usesConfig(args));
	const imports =
		isConfigured || resources.some(({ retain }) => retain) ? "import pulumi\n" : "";
	const config = isConfigured ? "config = pulumi.Config()\n\n" : "";
	const body = resources.map(({ kind, resource, args, notes = [], retain }) => {
		const comments = notes.map((note) => `# ${note}\n`).join("");
		const given = [
			portableLiteral(resource),
			// Inputs have the spelling of the language; keys inside a value are the user's own.
			...Object.entries(args).map(
				([name, value]) => `${snakeCase(name)}=${valueText(value, PYTHON, "\n    ")}`,
			),
			...(retain ? ["opts=pulumi.ResourceOptions(retain_on_delete=True)"] : []),
		];
		return `${comments}datachain.${kind}(\n${given.map((each) => `    ${each},\n`).join("")})\n`;
	});
	return `${imports}import pulumi_datachain as datachain\n\n${config}${body.join("\n")}`;
}

// ── YAML ──

/** In the flow style, which is JSON: no text can be read as anything but text. */
const YAML: Spelling = {
	text: yamlText,
	key: portableLiteral,
	boolean: String,
	secret: ({ configKey, base64 }) => {
		const reference = portableLiteral(`\${${configKey}}`);
		return base64 ? `{ "fn::fromBase64": ${reference} }` : reference;
	},
	step: "",
};

/** Where `npm install` puts the plugin. */
const PLUGIN = "node_modules/pulumi-datachain/dist/plugin";

/** The whole project in YAML: the program is the project file. */
export function renderYamlProject(
	name: string,
	{ schedules, settings, secrets }: TeamModel,
): string {
	// The engine refuses to start without a value for each of these.
	const config = secrets.map(
		({ key }) => `  ${portableLiteral(key)}:\n    type: string\n    secret: true`,
	);
	const resources = [...schedules, ...settings].map(yamlResource);
	const lines = [
		"runtime: yaml",
		`plugins:\n  providers:\n    - name: datachain\n      path: ${PLUGIN}`,
		...(config.length === 0 ? [] : ["config:", ...config]),
		...(resources.length === 0 ? ["resources: {}"] : ["resources:", ...resources]),
	];
	return projectFile(name, `${lines.join("\n")}\n`);
}

/** Pulumi.yaml in any language. */
export const projectFile = (name: string, rest: string): string => `name: ${name}
description: Schedules and pipeline settings of a DataChain team, as they were exported.
${rest}`;

function yamlResource({
	kind,
	resource,
	args,
	notes = [],
	retain,
}: ExportedResource): string {
	// Both kinds share the names of one map; their own names are distinct only within the kind.
	const key = `${kind === "PipelineSchedule" ? "schedule" : "settings"}-${resource}`;
	return [
		...notes.map((note) => `  # ${note}`),
		`  ${portableLiteral(key)}:`,
		`    type: datachain:${kind}`,
		// The resource's own name, so that another language finds the same one in the state.
		`    name: ${yamlText(resource)}`,
		"    properties:",
		...Object.entries(args).map(
			([name, value]) => `      ${name}: ${valueText(value, YAML, " ")}`,
		),
		...(retain ? ["    options:", "      retainOnDelete: true"] : []),
	].join("\n");
}

/** A dollar sign before a brace would begin an interpolation, and of two in a row one would be lost; doubled, each is one. */
function yamlText(value: string): string {
	return portableLiteral(value.replaceAll("$", () => "$$"));
}

// ── Texts ──

/**
 * Everything that JSON leaves as it is but that a reader, an editor or a parser may take for something else: line
 * separators, invisible and direction-changing characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * A text as a string literal of JavaScript and JSON. Names and values come from a server: whatever they hold, the result
 * is one literal on one line that evaluates to the same text, and reads as what it is.
 */
export function literal(text: string): string {
	// `</script>` must not end a page that shows the program.
	return JSON.stringify(text)
		.replace(UNSEEN, (character) => character.split("").map(escapeUnit).join(""))
		.replaceAll("</", "<\\/");
}

/**
 * A text as a string literal that Python and YAML read alike: JSON, in which a character beyond the first plane is
 * escaped as one and not, as JavaScript does, as two halves.
 */
export function portableLiteral(text: string): string {
	return JSON.stringify(text).replace(UNSEEN, (character) => {
		const code = character.codePointAt(0) ?? 0;
		const hex = code.toString(16);
		return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
	});
}
