import { type Fields, LINE_WIDTH, renderField, widthOf } from "./expression";
import { literal } from "./literal";
import type { ExportedResource } from "./model";

export type ResourceKind = "PipelineSchedule" | "PipelineSettings";

export interface ResourceOptions {
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
	const configured = resources.some(({ args }) => usesConfig(args));
	const imports = [
		...(configured ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
		'import * as datachain from "pulumi-datachain";',
	];
	const config = configured ? "const config = new pulumi.Config();\n\n" : "";
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

function usesConfig(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	return "configKey" in value || Object.values(value).some(usesConfig);
}
