import { type DataChainClient, InvalidRequestError } from "../client";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ListMoment, OperationLists } from "./context";

let listsAsked = 0;

export const momentOfLists = (): ListMoment => ({ asked: listsAsked });

/** Called for each list that is asked for. Returns its number. */
export const countList = (): number => ++listsAsked;

/** The limits to ask for, until the service accepts one: its highest is not documented, its default is 20. */
export const PIPELINE_LIMITS = [10_000, 1_000, 100, 20] as const;

/** How many of the newest jobs are searched for one of ours. */
export const JOB_LIMITS = [500, 100, 20] as const;

type PipelineQuery = Omit<
	NonNullable<Parameters<DataChainClient["pipelines"]["list"]>[0]>,
	"limit"
>;

/** As many pipelines as the service lists at once, runs of schedules included. */
export const listAllPipelines = (
	client: DataChainClient,
	query: PipelineQuery = {},
): Promise<Pipeline[]> =>
	withAcceptedLimit(PIPELINE_LIMITS, (limit) =>
		client.pipelines.list({ ...query, limit }),
	);

export const listNewestJobs = (
	client: DataChainClient,
	team_name: string,
): Promise<Job[]> =>
	withAcceptedLimit(JOB_LIMITS, (limit) => client.jobs.list({ team_name, limit }));

async function withAcceptedLimit<T>(
	[limit = 0, ...lower]: readonly number[],
	list: (limit: number) => Promise<T[]>,
): Promise<T[]> {
	try {
		return await list(limit);
	} catch (error) {
		if (!(error instanceof InvalidRequestError) || lower.length === 0) throw error;
		return withAcceptedLimit(lower, list);
	}
}

/** Lists for a single operation, which shares them with no other: each is asked for when it is needed. */
export function unsharedLists(client: DataChainClient): OperationLists {
	const newPipelines = new Set<string>();
	const keyOf = (team: string, name: string) => JSON.stringify([team, name]);
	return {
		jobs: (team) => listNewestJobs(client, team),
		pipelines: (team) => listAllPipelines(client, { team_name: team }),
		noteNew: (team, name) => void newPipelines.add(keyOf(team, name)),
		isNew: (team, name) => newPipelines.has(keyOf(team, name)),
	};
}
