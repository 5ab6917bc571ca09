import { type PipelineResult, pipelineResult } from "./get-pipelines";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

export interface GetPipelineArgs {
	/** Exact name. */
	name: string;
}

/** One pipeline, with its job runs and settings. */
export async function getPipeline(args: GetPipelineArgs, options?: LookupOptions): Promise<PipelineResult> {
	const { name } = args;
	return pipelineResult(
		await lookUp(options, `pipeline ${name}`, (client) => client.pipelines.status({ name })),
	);
}

export const getPipelineOutput = asOutput<GetPipelineArgs, PipelineResult>(getPipeline);
