import { basename } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { JobFile, type JobFileArgs } from "./job-file";
import { Pipeline, type PipelineArgs } from "./pipeline";
import { PipelineSchedule, type PipelineScheduleArgs } from "./pipeline-schedule";
import { PipelineSettings, type PipelineSettingsArgs } from "./pipeline-settings";

/** What the component fills in for all its resources. */
type Filled = "pipelineName" | "teamName" | "paused";

export interface ScheduledPipelineArgs {
	/** What to rebuild: one dataset or several, each as `namespace.project.name`, with an optional version. */
	datasets: PipelineArgs["datasets"];
	/** When: `{ cronExpression: "0 3 * * *" }`, and whatever else a `PipelineSchedule` takes. */
	schedule: Omit<PipelineScheduleArgs, Filled>;
	/** With which settings: whatever a `PipelineSettings` takes. They are written before anything runs. */
	settings?: Omit<PipelineSettingsArgs, Filled | "files">;
	/** Files that its jobs see: `JobFile`s, or the arguments of new ones. */
	files?: (JobFile | JobFileArgs)[];
	/**
	 * Default false, because a schedule never runs a paused pipeline. The service resumes a pipeline by running it: the
	 * first run is that of the deployment.
	 */
	paused?: pulumi.Input<boolean>;
	/** Names of jobs to take out of the pipeline. */
	removeJobs?: PipelineArgs["removeJobs"];
	/** Any value; another one makes another pipeline, which settings and schedule follow. */
	triggers?: PipelineArgs["triggers"];
	/** What happens to the pipeline on destroy: `pause` (default), or `leave`. */
	onDestroy?: PipelineArgs["onDestroy"];
	/** Team to work in. Default: the connection's. */
	teamName?: pulumi.Input<string>;
}

const TYPE = "pulumi-datachain:index:ScheduledPipeline";

/**
 * Datasets that are rebuilt by the clock: a `Pipeline`, its `PipelineSettings` and its `PipelineSchedule`, in the right
 * order. The three have the component's own name, so that resources which a program had without it are moved into it,
 * not made anew.
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
	/** Undefined where neither settings nor files are declared. */
	readonly settings: PipelineSettings | undefined;
	readonly schedule: PipelineSchedule;
	/** Files that its jobs see, in the order of the arguments. */
	readonly files: readonly JobFile[];
	/** The service's name of the pipeline. */
	readonly pipelineName: pulumi.Output<string>;
	/** Name of the schedule on the service. */
	readonly scheduleName: pulumi.Output<string>;
	/** When it runs next, as the service computes it. */
	readonly nextRun: pulumi.Output<string | undefined>;

	constructor(name: string, args: ScheduledPipelineArgs, opts?: pulumi.ComponentResourceOptions) {
		super(TYPE, name, {}, opts);
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

/** Without what is left out: an undefined argument would look declared. */
function given<T extends object>(values: T): Partial<T> {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const fileLabel = ({ name, source }: JobFileArgs, index: number): string => {
	if (typeof name === "string") return name;
	return typeof source === "string" ? basename(source) : String(index);
};
