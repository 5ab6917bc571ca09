import { pipelinesInstead } from "../../api/pipelines-instead";
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
		const target = { team_name: team, name };
		const reason = await pipelinesInstead(client, target, error, { signal: interrupt });
		throw new Error(reason.charAt(0).toUpperCase() + reason.slice(1), { cause: error });
	}
}
