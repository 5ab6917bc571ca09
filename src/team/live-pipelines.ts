import type { DataChainClient } from "../client";
import type { Pipeline } from "../schemas/wire/pipeline";

/** The newest, and those that are paused however old they are: their schedules do not run. */
export async function newestAndPaused(
	client: DataChainClient,
	query: { readonly team_name?: string; readonly limit: number },
): Promise<Pipeline[]> {
	const newest = await client.pipelines.list(query);
	if (newest.length < query.limit) return newest;
	const newestIds = new Set(newest.map(({ pipeline_id }) => pipeline_id));
	const paused = await client.pipelines.list({ ...query, status: ["PAUSED"] });
	return [
		...newest,
		...paused.filter(({ pipeline_id }) => !newestIds.has(pipeline_id)),
	];
}
