import type { Alias } from "@pulumi/pulumi/proto/alias_pb";
import { type Props, setOnly, UNKNOWN } from "../provider/handler";
import { snakeCase } from "../schemas/camel";
import {
	COMPONENT,
	COMPONENT_IN_TYPESCRIPT,
	dynamicType,
	FILLED_IN,
	filledInProblem,
	type Kind,
	pluginType,
} from "../schemas/kinds";
import type { Monitor, Registered, Registration } from "./monitor";
import { fieldsOf, plainInputs } from "./values";

/** A ScheduledPipeline of a program, as the engine hands it over. */
export interface Declared {
	readonly name: string;
	readonly parent: string;
	readonly inputs: Props;
	/** URNs that each input comes from. */
	readonly inputDependencies: Readonly<Record<string, readonly string[]>>;
	readonly dependencies: readonly string[];
	readonly aliases: readonly Alias[];
	/** The provider that this process serves: what is in the component is its own, too. */
	readonly provider: string;
	readonly preview: boolean;
	readonly protect: boolean | undefined;
	readonly retainOnDelete: boolean | undefined;
}

/** The component's URN, its outputs, and which resources they come from. */
export interface Constructed extends Registered {
	readonly from: Readonly<Record<string, readonly string[]>>;
}

/** What the class of that name does in a TypeScript program: the same resources, names, order and aliases. */
export async function constructScheduledPipeline(monitor: Monitor, declared: Declared): Promise<Constructed> {
	const { name, provider, protect, retainOnDelete } = declared;
	const { values, origins } = plainInputs(declared.inputs, declared.inputDependencies);
	const { datasets, files, paused = false, ...rest } = values;
	const { schedule, settings } = parts(name, values);
	const component = await monitor.register({
		type: COMPONENT,
		name,
		parent: declared.parent,
		inputs: {},
		dependencies: declared.dependencies,
		aliases: [...declared.aliases, { type: COMPONENT_IN_TYPESCRIPT }],
		protect,
		retainOnDelete,
	});
	const { removeJobs, triggers, onDestroy, teamName } = rest;
	const child = (
		kind: Kind,
		inputs: Props,
		from: Registration["inputDependencies"],
		after: readonly string[],
	) =>
		monitor.register({
			type: pluginType(kind),
			name,
			parent: component.urn,
			provider,
			inputs,
			inputDependencies: from,
			dependencies: [...new Set([...declared.dependencies, ...Object.values(from ?? {}).flat(), ...after])],
			aliases: formerPlaces(kind),
			protect,
			retainOnDelete,
		});
	const team = setOnly({ teamName });
	const ofTeam = { teamName: origins.teamName ?? [] };
	const pipeline = await child(
		"Pipeline",
		{ datasets, ...setOnly({ removeJobs, triggers, onDestroy }), ...team },
		{ ...pick(origins, ["datasets", "removeJobs", "triggers", "onDestroy"]), ...ofTeam },
		[],
	);
	// A preview leaves out what only the service will know.
	const later = declared.preview ? UNKNOWN : undefined;
	const pipelineName = pipeline.outputs.name ?? later;
	const ofPipeline = { pipelineName: [pipeline.urn], ...ofTeam };
	const wanted = setOnly({ ...settings, files });
	const hasSettings = Object.keys(wanted).length > 0;
	const made = hasSettings
		? await child(
				"PipelineSettings",
				{ ...wanted, pipelineName, ...team },
				{ ...spread(wanted, origins.settings), ...pick(origins, ["files"]), ...ofPipeline },
				[],
			)
		: undefined;
	// What resumes the pipeline comes last: its jobs must find their settings.
	const scheduled = await child(
		"PipelineSchedule",
		{ ...schedule, pipelineName, paused, ...team },
		{ ...spread(schedule, origins.schedule), ...pick(origins, ["paused"]), ...ofPipeline },
		made === undefined ? [] : [made.urn],
	);
	const { scheduleName = later, nextRun = later } = scheduled.outputs;
	const outputs = setOnly({ pipelineName, scheduleName, nextRun });
	await monitor.registerOutputs(component.urn, outputs);
	return {
		urn: component.urn,
		outputs,
		from: { pipelineName: [pipeline.urn], scheduleName: [scheduled.urn], nextRun: [scheduled.urn] },
	};
}

/** Of the dynamic host, or declared in a program without the component, or both. */
const formerPlaces = (kind: Kind) => [
	{ noParent: true },
	{ type: dynamicType(kind) },
	{ type: dynamicType(kind), noParent: true },
];

/** The inputs that are objects, without the mistakes that one can make in them. */
function parts(name: string, values: Props): { schedule: Props; settings: Props } {
	const where = `ScheduledPipeline "${name}"`;
	if (values.datasets === undefined || values.schedule === undefined)
		throw new Error(`${where} needs datasets and a schedule.`);
	const part = (input: string): Props => {
		const inner = fieldsOf(values[input]);
		// It decides which resources and inputs there are, so it must be known now.
		if (inner === undefined) {
			throw new Error(
				`${where}: ${input} as a whole is not known before the deployment. Declare it as an object, whose fields may be outputs.`,
			);
		}
		// Python's SDK hands on what its types do not have, in the spelling of the program.
		const filled = FILLED_IN.find((key) => key in inner || snakeCase(key) in inner);
		if (filled !== undefined) throw new Error(`${where}: ${filledInProblem(input, filled)}`);
		return inner;
	};
	return { schedule: part("schedule"), settings: part("settings") };
}

const pick = (origins: Readonly<Record<string, readonly string[]>>, keys: readonly string[]) =>
	Object.fromEntries(keys.map((key) => [key, origins[key] ?? []]));

/** Every input in the object may come from what the object comes from. */
const spread = (inputs: Props, origins: readonly string[] = []) =>
	Object.fromEntries(Object.keys(inputs).map((key) => [key, origins]));
