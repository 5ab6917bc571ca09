import type { Expression } from "./expression";
import { portableLiteral } from "./literal";
import type { ExportedResource, TeamModel } from "./model";
import type { ResourceKind, ResourceOptions } from "./render-program";

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
		...model.schedules.map((found) => renderResource("PipelineSchedule", "schedule", found, options)),
		...model.settings.map((found) =>
			renderResource("PipelineSettings", "settings", found, { retain: false }),
		),
	];
	return all.length === 0 ? ["resources: {}"] : ["resources:", ...all];
}

function renderResource(
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
		`    name: ${text(resource)}`,
		"    properties:",
		...args.fields.map(([name, value]) => `      ${name}: ${render(value)}`),
		...(retain ? ["    options:", "      retainOnDelete: true"] : []),
	].join("\n");
}

/** In the flow style, which is JSON: no text can be read as anything but text. */
function render(value: Expression): string {
	if (typeof value === "string") return text(value);
	if (typeof value !== "object") return String(value);
	if ("configKey" in value) {
		const reference = portableLiteral(`\${${value.configKey}}`);
		return value.base64 ? `{ "fn::fromBase64": ${reference} }` : reference;
	}
	if ("fields" in value)
		return `{ ${value.fields.map(([key, item]) => `${portableLiteral(key)}: ${render(item)}`).join(", ")} }`;
	return `[${value.map(render).join(", ")}]`;
}

/** A dollar sign before a brace would begin an interpolation, and of two in a row one would be lost; doubled, each is one. */
const text = (value: string): string => portableLiteral(value.replaceAll("$", () => "$$"));
