import type { Expression, Fields } from "./expression";
import { portableLiteral } from "./literal";
import type { ExportedResource } from "./model";
import type { ResourceKind, ResourceOptions } from "./render-program";

const INDENT = "    ";

/** A module of a program in Python. The only server text in it is in string literals. */
export function renderPythonModule(
	kind: ResourceKind,
	resources: readonly ExportedResource[],
	options: ResourceOptions,
): string {
	if (resources.length === 0) return '"""Nothing was there to export."""\n';
	const body = resources.map((resource) => renderResource(kind, resource, options)).join("\n");
	const usesConfig = body.includes(CONFIG_CALL);
	const imports = usesConfig || options.retain ? "import pulumi\n" : "";
	const config = usesConfig ? "config = pulumi.Config()\n\n" : "";
	return `${imports}import pulumi_datachain as datachain\n\n${config}${body}`;
}

export const PYTHON_MAIN = "import schedules  # noqa: F401\nimport settings  # noqa: F401\n";

const CONFIG_CALL = "config.require_secret(";

function renderResource(
	kind: ResourceKind,
	{ resource, args, notes = [] }: ExportedResource,
	{ retain }: ResourceOptions,
): string {
	const comments = notes.map((note) => `# ${note}\n`).join("");
	const lines = args.fields.map(([name, value]) => `${INDENT}${snakeCase(name)}=${render(value, 1)},\n`);
	const opts = retain ? `${INDENT}opts=pulumi.ResourceOptions(retain_on_delete=True),\n` : "";
	return `${comments}datachain.${kind}(\n${INDENT}${portableLiteral(resource)},\n${lines.join("")}${opts})\n`;
}

/** Inputs have the spelling of the language; keys inside a value are the user's own. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function render(value: Expression, depth: number): string {
	if (typeof value === "string") return portableLiteral(value);
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return String(value);
	if ("configKey" in value) return `${CONFIG_CALL}${portableLiteral(value.configKey)})`;
	if ("fields" in value) return renderDict(value, depth);
	return `[${value.map((item) => render(item, depth)).join(", ")}]`;
}

function renderDict({ fields }: Fields, depth: number): string {
	if (fields.length === 0) return "{}";
	const inside = INDENT.repeat(depth + 1);
	const lines = fields.map(
		([key, item]) => `${inside}${portableLiteral(key)}: ${render(item, depth + 1)},\n`,
	);
	return `{\n${lines.join("")}${INDENT.repeat(depth)}}`;
}
