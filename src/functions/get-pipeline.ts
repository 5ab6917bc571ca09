import type { DataChainClient } from "../api";
import { noPipeline } from "../schemas/some-of";
import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import type { PipelineResult } from "./get-pipelines";
import { type KeysOf, knownArgs } from "./keys";
import { api, lookUp, results } from "./lookup";

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
		client.pipelines.status({ name }).catch((error: unknown) => withPipelines(client, name, error)),
	);
	return results().pipelineResult(pipeline);
}

export const getPipelineOutput = asOutput<GetPipelineArgs, PipelineResult>(getPipeline, KEYS);

/** A name that is not there is most often a misspelled one; the failure says which ones there are. */
async function withPipelines(client: DataChainClient, name: string, error: unknown): Promise<never> {
	if (!(error instanceof api().NotFoundError) || !error.fromService) throw error;
	const known = await client.pipelines.list({ limit: MOST_ASKED_FOR });
	const names = known.map((pipeline) => pipeline.name);
	throw new Error(`getPipeline: ${noPipeline(client.teamName, name, names)}`, { cause: error });
}

const MOST_ASKED_FOR = 100;
