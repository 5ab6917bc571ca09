import type { DataChainClient } from "../api";
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

/** Loaded when it is needed, as all that a lookup asks the service with. */
const instead = () => require("../api/pipelines-instead") as typeof import("../api/pipelines-instead");

/** One pipeline, with its job runs and settings. */
export async function getPipeline(args: GetPipelineArgs, options?: LookupOptions): Promise<PipelineResult> {
	const { name } = knownArgs("getPipeline", KEYS, args);
	if (!name) throw new TypeError('getPipeline needs the name of a pipeline: getPipeline({ name: "…" }).');
	const pipeline = await lookUp("getPipeline", options, `pipeline ${name}`, (client) =>
		client.pipelines.status({ name }).catch((error: unknown) => sayWhichThereAre(client, name, error)),
	);
	return results().pipelineResult(pipeline);
}

export const getPipelineOutput = asOutput<GetPipelineArgs, PipelineResult>(getPipeline, KEYS);

async function sayWhichThereAre(client: DataChainClient, name: string, error: unknown): Promise<never> {
	const reason = await instead().pipelinesInstead(client, { team_name: client.teamName, name }, error);
	throw new Error(`getPipeline: ${reason}`, { cause: error });
}
