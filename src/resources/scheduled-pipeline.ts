import { basename } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { COMPONENT, COMPONENT_IN_TYPESCRIPT, FILLED_IN, filledInProblem } from "../schemas/kinds";
import { didYouMean } from "../schemas/suggest";
import { givenArgs, resourceLabel } from "./base";
import { JobFile, type JobFileArgs } from "./job-file";
import { Pipeline, type PipelineArgs } from "./pipeline";
import { PipelineSchedule, type PipelineScheduleArgs } from "./pipeline-schedule";
import { PipelineSettings, type PipelineSettingsArgs } from "./pipeline-settings";

type Filled = (typeof FILLED_IN)[number];

export interface ScheduledPipelineArgs {
	/** Datasets to rebuild, each as `namespace.project.name`, with an optional version. */
	datasets: PipelineArgs["datasets"];
	/** When it runs: `cronExpression`, and the other inputs of a PipelineSchedule. */
	schedule: Omit<PipelineScheduleArgs, Filled>;
	/** Settings of the pipeline: the inputs of a PipelineSettings. They are written before anything runs. */
	settings?: Omit<PipelineSettingsArgs, Filled | "files">;
	/** Files that its jobs see: `JobFile`s, or the arguments of new ones. */
	files?: (JobFile | JobFileArgs)[];
	/**
	 * Default: false, because a schedule never runs a paused pipeline. The service runs a pipeline when it is resumed: the
	 * first run starts during the deployment.
	 */
	paused?: pulumi.Input<boolean>;
	/** Names of jobs to remove from the pipeline. */
	removeJobs?: PipelineArgs["removeJobs"];
	/** Any value. Changing it replaces the pipeline; settings and schedule move to the new one. */
	triggers?: PipelineArgs["triggers"];
	/** What happens to the pipeline on destroy: `pause` (default), or `leave`. */
	onDestroy?: PipelineArgs["onDestroy"];
	/** Team to work in. Default: the connection's. */
	teamName?: pulumi.Input<string>;
}

/** The compiler asks for every input. */
const INPUTS: Readonly<Record<keyof ScheduledPipelineArgs, true>> = {
	datasets: true,
	schedule: true,
	settings: true,
	files: true,
	paused: true,
	removeJobs: true,
	triggers: true,
	onDestroy: true,
	teamName: true,
};

/**
 * Datasets that are rebuilt on a schedule: a `Pipeline`, its `PipelineSettings` and its `PipelineSchedule`, in the right
 * order. The three have the component's own name, so that resources which a program had without it are moved into it,
 * not replaced.
 *
 * ```ts
 * new datachain.ScheduledPipeline("images", {
 *     datasets: "dev.images.final_result",
 *     schedule: { cronExpression: "0 3 * * *" },
 *     settings: { workers: 4, environment: { MODEL: "clip" } },
 * });
 * ```
 */
export class ScheduledPipeline extends pulumi.ComponentResource {
	readonly pipeline: Pipeline;
	/** Undefined if neither settings nor files are declared. */
	readonly settings: PipelineSettings | undefined;
	readonly schedule: PipelineSchedule;
	/** Files that its jobs see, in the order of the arguments. */
	readonly files: readonly JobFile[];
	/** Name that the service gave the pipeline. */
	readonly pipelineName: pulumi.Output<string>;
	/** Name of the schedule on the service. */
	readonly scheduleName: pulumi.Output<string>;
	/** When it runs next, as the service computes it. */
	readonly nextRun: pulumi.Output<string | undefined>;

	constructor(name: string, args: ScheduledPipelineArgs, opts?: pulumi.ComponentResourceOptions) {
		refuseMistakes(resourceLabel("ScheduledPipeline", name), args);
		// The plugin constructs the same component for other languages; a stack moves to it and back.
		super(
			COMPONENT_IN_TYPESCRIPT,
			name,
			{},
			{
				...opts,
				aliases: [...(opts?.aliases ?? []), { type: COMPONENT }],
			},
		);
		const { datasets, schedule, settings, paused = false, removeJobs, triggers, onDestroy, teamName } = args;
		const inside = { parent: this, aliases: [{ parent: pulumi.rootStackResource }] };
		const team = given({ teamName });
		this.pipeline = new Pipeline(
			name,
			{ datasets, ...given({ removeJobs, triggers, onDestroy }), ...team },
			inside,
		);
		this.files = (args.files ?? []).map((file, index) =>
			file instanceof JobFile
				? file
				: new JobFile(`${name}-${fileLabel(file, index)}`, { ...team, ...file }, inside),
		);
		const pipelineName = this.pipeline.name;
		const files = this.files.length > 0 ? { files: [...this.files] } : {};
		const declared = given({ ...settings, ...files });
		if (Object.keys(declared).length > 0) {
			this.settings = new PipelineSettings(name, { ...declared, pipelineName, ...team }, inside);
		}
		// What resumes the pipeline comes last: its jobs must find their settings.
		const after = [this.pipeline, ...(this.settings ? [this.settings] : [])];
		this.schedule = new PipelineSchedule(
			name,
			{ ...schedule, pipelineName, paused, ...team },
			{ ...inside, dependsOn: after },
		);
		this.pipelineName = pipelineName;
		this.scheduleName = this.schedule.scheduleName;
		this.nextRun = this.schedule.nextRun;
		this.registerOutputs({ pipelineName, scheduleName: this.scheduleName, nextRun: this.nextRun });
	}
}

/** An input that no resource of the component gets would be lost without a word. */
function refuseMistakes(where: string, args: ScheduledPipelineArgs): void {
	const known = Object.keys(INPUTS);
	for (const input of Object.keys(givenArgs(where, args))) {
		if (known.includes(input)) continue;
		throw new TypeError(
			`${where}: there is no input "${input}".${didYouMean(input, known)} The inputs are ${known.join(", ")}.`,
		);
	}
	for (const input of ["schedule", "settings"] as const) {
		const filled = FILLED_IN.find((name) => Object.hasOwn(givenArgs(where, args?.[input]), name));
		if (filled !== undefined) throw new TypeError(`${where}: ${filledInProblem(input, filled)}`);
	}
	if (args?.datasets === undefined || args.schedule === undefined)
		throw new TypeError(`${where} needs datasets and a schedule: { datasets: …, schedule: { … } }.`);
}

/** Without what is left out: an undefined argument would look declared. */
function given<T extends object>(values: T): Partial<T> {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const fileLabel = ({ name, source }: JobFileArgs, index: number): string => {
	if (typeof name === "string") return name;
	return typeof source === "string" ? basename(source) : String(index);
};
