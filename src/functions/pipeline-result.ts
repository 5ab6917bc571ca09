import { camelKeys } from "../schemas/camel";
import { pipelineSchema, type Pipeline as WirePipeline } from "../schemas/pipeline";
import type { PipelineResult } from "./get-pipelines";
import { secretVariables } from "./secret-variables";

export function pipelineResult(pipeline: WirePipeline): PipelineResult {
	const { environment_variables: variables, ...rest } = pipeline;
	return { ...camelKeys(pipelineSchema, rest), environmentVariables: secretVariables(variables) };
}
