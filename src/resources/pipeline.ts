import type * as pulumi from "@pulumi/pulumi";
import type { PipelineOnDestroy } from "../schemas/enums";
import {
	type Declaration,
	DynamicResource,
	type InputsAsOutputs,
	type PropertiesOf,
} from "./base";
import { isLater, whenKnown } from "./values";

export interface PipelineArgs {
	/**
	 * The datasets that the pipeline rebuilds: one or several, each as `namespace.project.name`, with an optional version as in
	 * `dev.images.raw@1.0.2`; without it the latest is used. Changing them replaces the pipeline.
	 */
	datasets: pulumi.Input<string | pulumi.Input<string>[]>;
	/**
	 * Whether its jobs start at once. Default: false. The pipeline is then created paused, and nothing runs until it is resumed,
	 * by `paused: false` of its schedule or settings, or by hand. Changing it to true starts a paused one.
	 */
	start?: pulumi.Input<boolean>;
	/** With `start`: the deployment waits for the pipeline to end, and fails if the pipeline fails. Default: false. */
	wait?: pulumi.Input<boolean>;
	/** How long to wait: `90s`, `30m`, `1h30m`, or a number of seconds. Default: `1h`. After that the deployment fails and the jobs keep running. */
	timeout?: pulumi.Input<string | number>;
	/** Any value. Changing it replaces the pipeline. */
	triggers?: pulumi.Input<unknown>;
	/** Names of jobs to remove while the pipeline is paused. Removing a name from the list replaces the pipeline. */
	removeJobs?: pulumi.Input<pulumi.Input<string>[]>;
	/** What happens on destroy, because the API cannot delete a pipeline: `pause` (default), or `leave`. */
	onDestroy?: pulumi.Input<PipelineOnDestroy>;
	/** Team to work in. Default: the connection's. Changing it replaces the pipeline. */
	teamName?: pulumi.Input<string>;
}

/** A job of a pipeline. */
export interface PipelineJob {
	/** Its dataset. */
	name?: string;
	/** Status of the job. */
	status?: string;
	/** Id of the job. */
	jobId?: string;
}

const DECLARATION: Declaration<PipelineArgs> = {
	kind: "Pipeline",
	properties: {
		datasets: "output",
		start: "output",
		wait: "optional",
		timeout: "optional",
		triggers: "optional",
		removeJobs: "optional",
		onDestroy: "output",
		teamName: "output",
		name: "output",
		pipelineId: "output",
		status: "output",
		jobRuns: "output",
		completed: "output",
		total: "output",
		triggeredFrom: "output",
		createdAt: "output",
		pending: "output",
		removedJobs: "output",
		serviceUrl: "output",
	} satisfies PropertiesOf<Pipeline, PipelineArgs>,
	insteadOfImport:
		"Leave it out: an existing pipeline is used by its name and needs no Pipeline resource. With provider: new Provider(…) it works.",
	inputs: (args) =>
		args.datasets === undefined ? args : { ...args, datasets: asList(args.datasets) },
};

/** One dataset may be given without a list around it. */
function asList(datasets: unknown): unknown {
	if (isLater(datasets)) return whenKnown(datasets, asList);
	return typeof datasets === "string" ? [datasets] : datasets;
}

/**
 * A pipeline: the jobs that rebuild datasets and their source datasets. The service names it. It is created paused unless
 * `start` is true; the schedules and settings that use its `name` follow it when it is replaced.
 *
 * ```ts
 * const images = new datachain.Pipeline("images", { datasets: "dev.images.final_result" });
 * new datachain.PipelineSchedule("nightly", {
 *     pipelineName: images.name,
 *     cronExpression: "0 3 * * *",
 *     paused: false,
 * });
 * ```
 */
export class Pipeline
	extends DynamicResource<PipelineArgs>
	implements InputsAsOutputs<PipelineArgs>
{
	declare readonly datasets: pulumi.Output<string[]>;
	declare readonly start: pulumi.Output<boolean>;
	declare readonly wait: pulumi.Output<boolean | undefined>;
	declare readonly timeout: pulumi.Output<string | number | undefined>;
	declare readonly triggers: pulumi.Output<unknown>;
	declare readonly removeJobs: pulumi.Output<string[] | undefined>;
	declare readonly onDestroy: pulumi.Output<PipelineOnDestroy>;
	declare readonly teamName: pulumi.Output<string>;
	/** Name that the service gave it: the `pipelineName` of schedules and settings. */
	declare readonly name: pulumi.Output<string>;
	/** The service's id of the pipeline; the same as `id`. */
	declare readonly pipelineId: pulumi.Output<string>;
	/** As of the last deployment or refresh, like the counts and jobs below. */
	declare readonly status: pulumi.Output<string>;
	/** Its jobs. */
	declare readonly jobRuns: pulumi.Output<PipelineJob[]>;
	/** Number of its jobs that have finished. */
	declare readonly completed: pulumi.Output<number | undefined>;
	/** Number of its jobs. */
	declare readonly total: pulumi.Output<number | undefined>;
	/** The datasets as the service shows them. */
	declare readonly triggeredFrom: pulumi.Output<string | undefined>;
	/** When it was created. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** Steps that a failed deployment has not done yet; the next deployment does them. */
	declare readonly pending: pulumi.Output<string[] | undefined>;
	/** Jobs that were removed. */
	declare readonly removedJobs: pulumi.Output<string[] | undefined>;
	/** The service it was deployed to. */
	declare readonly serviceUrl: pulumi.Output<string>;

	/** Reads an existing one without managing it. The id is its name or the service's id of it. */
	static get(
		name: string,
		id: pulumi.Input<pulumi.ID>,
		opts?: pulumi.CustomResourceOptions,
	): Pipeline {
		return new Pipeline(name, {} as PipelineArgs, { ...opts, id });
	}

	constructor(name: string, args: PipelineArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
