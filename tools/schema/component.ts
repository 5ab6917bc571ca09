import { COMPONENT_IN_TYPESCRIPT, FILLED_IN, PLUGIN_PACKAGE, pluginType } from "../../src/schemas/kinds";
import type { Declarations } from "./declarations";
import { exampleUsage } from "./examples";
import type { PropertySpec } from "./types";
import { wording } from "./wording";

/** A resource of the schema, as far as the component is made of it. */
interface ResourceSpec {
	readonly inputProperties: Readonly<Record<string, PropertySpec>>;
	readonly requiredInputs: readonly string[];
	readonly properties: Readonly<Record<string, PropertySpec>>;
}

/** The component in terms of the resources in it: its inputs are theirs, but for what it fills in. */
export function componentSpec(
	resources: Readonly<Record<string, unknown>>,
	declarations: Declarations,
): { resource: Record<string, unknown>; types: Record<string, unknown> } {
	const of = (kind: string) => resources[pluginType(kind)] as ResourceSpec;
	const [pipeline, settings, schedule] = [of("Pipeline"), of("PipelineSettings"), of("PipelineSchedule")];
	const comments = new Map(
		declarations.properties("ScheduledPipelineArgs").map(({ name, comment }) => [name, comment]),
	);
	const inputs: Record<string, PropertySpec | undefined> = {
		datasets: pipeline.inputProperties.datasets,
		schedule: { $ref: `#/types/${typeToken("Schedule")}` },
		settings: { $ref: `#/types/${typeToken("Settings")}` },
		files: settings.inputProperties.files,
		paused: schedule.inputProperties.paused,
		removeJobs: pipeline.inputProperties.removeJobs,
		triggers: pipeline.inputProperties.triggers,
		onDestroy: pipeline.inputProperties.onDestroy,
		teamName: pipeline.inputProperties.teamName,
	};
	const unnamed = [...comments.keys()].filter((name) => inputs[name] === undefined);
	if (unnamed.length > 0) throw new Error(`The schema of ScheduledPipeline lacks ${unnamed.join(", ")}.`);
	const { scheduleName, nextRun } = schedule.properties;
	return {
		resource: {
			isComponent: true,
			description: `${wording("ScheduledPipeline", declarations.comment("ScheduledPipeline"))}\n\n${exampleUsage("ScheduledPipeline")}`,
			inputProperties: Object.fromEntries(
				Object.entries(inputs).map(([name, { willReplaceOnChanges: _, ...spec } = {}]) => [
					name,
					{ ...spec, description: wording(`ScheduledPipeline.${name}`, comments.get(name) ?? "") },
				]),
			),
			requiredInputs: ["datasets", "schedule"],
			properties: { pipelineName: pipeline.properties.name, scheduleName, nextRun },
			required: ["pipelineName", "scheduleName"],
			aliases: [{ type: COMPONENT_IN_TYPESCRIPT }],
		},
		types: {
			[typeToken("Schedule")]: part("When a ScheduledPipeline runs.", schedule, FILLED_IN),
			[typeToken("Settings")]: part("The settings of a ScheduledPipeline.", settings, [
				...FILLED_IN,
				"files",
			]),
		},
	};
}

const typeToken = (name: string): string => `${PLUGIN_PACKAGE}:index:ScheduledPipeline${name}`;

function part(description: string, of: ResourceSpec, without: readonly string[]): Record<string, unknown> {
	const isLeft = (name: string) => !without.includes(name);
	return {
		type: "object",
		description,
		properties: Object.fromEntries(Object.entries(of.inputProperties).filter(([name]) => isLeft(name))),
		required: of.requiredInputs.filter(isLeft),
	};
}
