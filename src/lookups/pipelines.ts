import type { DataChainClient } from "../client";
import { asOutput, checkedArgs, type KeysOf, lookUp, resultsModule } from "./lookup";
import type { LookupOptions } from "./place";
import type { PipelineResult } from "./result-types";

export interface GetPipelinesArgs {
	/** One status or several, such as `PAUSED`. */
	status?: string | string[];
	/** Part of the name or of the source dataset. */
	search?: string;
	/** Maximum number of pipelines. Default: 100. */
	limit?: number;
	/** True adds the values of the environment variables, as a secret. Their names are always returned. */
	withEnvironment?: boolean;
}

const LIST_KEYS: KeysOf<GetPipelinesArgs> = {
	status: true,
	search: true,
	limit: true,
	withEnvironment: true,
};
const DEFAULT_LIMIT = 100;

export interface GetPipelinesResult {
	/** The pipelines that match. */
	pipelines: PipelineResult[];
}

/**
 * The team's pipelines, newest first.
 *
 * ```ts
 * datachain.getPipelinesOutput({ status: ["PAUSED"] }).pipelines
 * ```
 */
export async function getPipelines(
	args: GetPipelinesArgs = {},
	options?: LookupOptions,
): Promise<GetPipelinesResult> {
	const {
		status,
		search,
		limit = DEFAULT_LIMIT,
		withEnvironment,
	} = checkedArgs("getPipelines", LIST_KEYS, args);
	const statuses =
		status === undefined
			? undefined
			: [status].flat().map((name) => name.toUpperCase());
	const query = { status: statuses, search, limit };
	const all = await lookUp(
		"getPipelines",
		options,
		`pipelines ${JSON.stringify(query)}`,
		(client) => client.pipelines.list(query),
	);
	if (all.length === 0) resultsModule().warnOfStatuses("getPipelines", statuses ?? []);
	return {
		pipelines: all.map((pipeline) =>
			resultsModule().pipelineResult(pipeline, withEnvironment),
		),
	};
}

export const getPipelinesOutput = asOutput<GetPipelinesArgs, GetPipelinesResult>(
	getPipelines,
	LIST_KEYS,
);

export interface GetPipelineArgs {
	/** Exact name. */
	name: string;
	/** True adds the values of the environment variables, as a secret. Their names are always returned. */
	withEnvironment?: boolean;
}

const SINGLE_KEYS: KeysOf<GetPipelineArgs> = { name: true, withEnvironment: true };

/** Loaded when it is needed, as all that a lookup asks the service with. */
const clientModule = () =>
	require("../client/client") as typeof import("../client/client");

/**
 * One pipeline, with its job runs and settings.
 *
 * ```ts
 * datachain.getPipelineOutput({ name: "nightly-images" }).environmentNames
 * ```
 */
export async function getPipeline(
	args: GetPipelineArgs,
	options?: LookupOptions,
): Promise<PipelineResult> {
	const { name, withEnvironment } = checkedArgs("getPipeline", SINGLE_KEYS, args);
	if (!name) throw new TypeError("getPipeline needs the name of a pipeline. Set name.");
	const pipeline = await lookUp("getPipeline", options, `pipeline ${name}`, (client) =>
		client.pipelines
			.status({ name })
			.catch((error: unknown) => failWithPipelineNames(client, name, error)),
	);
	return resultsModule().pipelineResult(pipeline, withEnvironment);
}

export const getPipelineOutput = asOutput<GetPipelineArgs, PipelineResult>(
	getPipeline,
	SINGLE_KEYS,
);

async function failWithPipelineNames(
	client: DataChainClient,
	name: string,
	error: unknown,
): Promise<never> {
	const reason = await clientModule().missingPipelineReason(
		client,
		{ team_name: client.teamName, name },
		error,
	);
	throw new Error(`getPipeline: ${reason}`, { cause: error });
}
