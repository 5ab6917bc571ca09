import * as pulumi from "@pulumi/pulumi";
import { type CamelKeys, camelKeys } from "../schemas/camel";
import { pipelineSchema, type Pipeline as WirePipeline } from "../schemas/pipeline";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

/** A pipeline. Its environment is always a secret Output, because the service does not tell which values are. */
export type PipelineResult = Omit<CamelKeys<WirePipeline>, "environmentVariables"> & {
	environmentVariables: pulumi.Output<Record<string, string>>;
};

export interface GetPipelinesArgs {
	/** One status or several, such as `PAUSED`. */
	status?: string | string[];
	/** Part of the name or of the source dataset. */
	search?: string;
	/** How many at most. Default 100. */
	limit?: number;
}

const DEFAULT_LIMIT = 100;

/** The team's pipelines, newest first. */
export async function getPipelines(
	args: GetPipelinesArgs = {},
	options?: LookupOptions,
): Promise<PipelineResult[]> {
	const statuses =
		args.status === undefined ? undefined : [args.status].flat().map((status) => status.toUpperCase());
	const query = { status: statuses, search: args.search, limit: args.limit ?? DEFAULT_LIMIT };
	const all = await lookUp(options, `pipelines ${JSON.stringify(query)}`, (client) =>
		client.pipelines.list(query),
	);
	return all.map(pipelineResult);
}

export const getPipelinesOutput = asOutput<GetPipelinesArgs, PipelineResult[]>(getPipelines);

export function pipelineResult(pipeline: WirePipeline): PipelineResult {
	const { environmentVariables, ...rest } = camelKeys(pipelineSchema, pipeline);
	return {
		...rest,
		environmentVariables: pulumi.secret((environmentVariables ?? {}) as Record<string, string>),
	};
}
