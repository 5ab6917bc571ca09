import { noPipeline } from "../schemas/some-of";
import type { DataChainClient } from "./client";
import { NotFoundError } from "./errors";
import type { CallOptions } from "./options";

const MOST_ASKED_FOR = 100;

/**
 * What to say where the service knows no pipeline of a name, which is most often misspelled: those that there are. Any
 * other failure is thrown as it is, and so is this one where the pipelines cannot be listed.
 */
export async function pipelinesInstead(
	client: DataChainClient,
	target: { readonly team_name: string; readonly name: string },
	error: unknown,
	options: CallOptions = {},
): Promise<string> {
	if (!(error instanceof NotFoundError) || !error.fromService) throw error;
	const { team_name, name } = target;
	const known = await client.pipelines.list({ team_name, limit: MOST_ASKED_FOR }, options).catch(() => {
		throw error;
	});
	const names = known.map((pipeline) => pipeline.name);
	return noPipeline(team_name, name, names);
}
