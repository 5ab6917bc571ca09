import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import type { PipelineResult } from "./get-pipelines";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

export interface GetPipelineArgs {
	/** Exact name. */
	name: string;
}

const KEYS: KeysOf<GetPipelineArgs> = { name: true };

/** One pipeline, with its job runs and settings. */
export async function getPipeline(args: GetPipelineArgs, options?: LookupOptions): Promise<PipelineResult> {
	const { name } = knownArgs("getPipeline", KEYS, args);
	if (!name) throw new TypeError('getPipeline needs the name of a pipeline: getPipeline({ name: "…" }).');
	const pipeline = await lookUp("getPipeline", options, `pipeline ${name}`, (client) =>
		client.pipelines.status({ name }),
	);
	return results().pipelineResult(pipeline);
}

export const getPipelineOutput = asOutput<GetPipelineArgs, PipelineResult>(getPipeline, KEYS);
