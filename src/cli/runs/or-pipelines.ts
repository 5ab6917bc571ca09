import { NotFoundError } from "../../api";
import { noPipeline } from "../../schemas/some-of";
import type { Session } from "./session";

/** The answer; or, where the service knows no pipeline of that name, a failure that says which ones there are. */
export async function orPipelines<T>(
	{ client, team, interrupt }: Session,
	name: string,
	asked: Promise<T>,
): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		if (!(error instanceof NotFoundError) || !error.fromService) throw error;
		const known = await client.pipelines.list({ team_name: team, limit: 100 }, { signal: interrupt });
		const reason = noPipeline(
			team,
			name,
			known.map((pipeline) => pipeline.name),
		);
		throw new Error(reason.charAt(0).toUpperCase() + reason.slice(1), { cause: error });
	}
}
