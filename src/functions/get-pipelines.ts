import type * as pulumi from "@pulumi/pulumi";
import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

/** One job of a pipeline. */
export interface PipelineJobRun {
	jobId?: string;
	/** Status of the job. */
	status?: string;
	/** Jobs that must be done before it starts. */
	parentJobIds?: string[];
	name?: string;
	createdJobId?: string;
}

/** A pipeline. Its environment is always a secret Output, because the service does not tell which values are. */
export interface PipelineResult {
	pipelineId: string;
	/** `PENDING`, `RUNNING`, `COMPLETED`, `FAILED`, `PAUSED` or `CANCELED`; the service may learn others. */
	status?: string;
	jobRuns?: PipelineJobRun[];
	/** How many of its jobs are done. */
	completed?: number;
	/** How many jobs it has. */
	total?: number;
	errorMessage?: string;
	errorStack?: string;
	/** `namespace.project.dataset`, with an optional `@version`. */
	triggeredFrom?: string;
	name?: string;
	createdAt?: string;
	updatedAt?: string;
	isTemplate?: boolean;
	scheduleName?: string;
	pythonVersion?: string;
	requirements?: string;
	repository?: string;
	workers?: number;
	/** 0 to 5; lower runs sooner. */
	priority?: number;
	environmentVariables: pulumi.Output<Record<string, string>>;
}

export interface GetPipelinesArgs {
	/** One status or several, such as `PAUSED`. */
	status?: string | string[];
	/** Part of the name or of the source dataset. */
	search?: string;
	/** How many at most. Default 100. */
	limit?: number;
}

const KEYS: KeysOf<GetPipelinesArgs> = { status: true, search: true, limit: true };
const DEFAULT_LIMIT = 100;

/** The team's pipelines, newest first. */
export async function getPipelines(
	args: GetPipelinesArgs = {},
	options?: LookupOptions,
): Promise<PipelineResult[]> {
	const { status, search, limit = DEFAULT_LIMIT } = knownArgs("getPipelines", KEYS, args);
	const statuses = status === undefined ? undefined : [status].flat().map((name) => name.toUpperCase());
	const query = { status: statuses, search, limit };
	const all = await lookUp("getPipelines", options, `pipelines ${JSON.stringify(query)}`, (client) =>
		client.pipelines.list(query),
	);
	return all.map(results().pipelineResult);
}

export const getPipelinesOutput = asOutput<GetPipelinesArgs, PipelineResult[]>(getPipelines, KEYS);
