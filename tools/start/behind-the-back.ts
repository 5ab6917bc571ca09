import { createClient, resolveConnection } from "pulumi-datachain/client";
import { type Deployment, managedResources, resourceKind, resourceName } from "../stack";

export interface ScheduleChange {
	readonly name: string;
	readonly id: number;
	readonly before: string;
	readonly after: string;
}

type Client = ReturnType<typeof createClient>;

/** Someone edits a schedule in the web UI: its cron, through the REST API. Undefined where the stack has none. */
export async function changeFirstSchedule(
	state: Deployment,
	env: NodeJS.ProcessEnv,
): Promise<ScheduleChange | undefined> {
	const resource = managedResources(state).find((each) => resourceKind(each) === "PipelineSchedule");
	const id = Number(resource?.outputs?.scheduleId ?? resource?.id);
	if (resource === undefined || !Number.isSafeInteger(id)) return undefined;
	return withClient(env, async (client) => {
		const before = (await client.schedules.get({ schedule_id: id })).cron_expression ?? "";
		const after = before === "15 5 * * 1" ? "45 6 * * 2" : "15 5 * * 1";
		await client.schedules.update({ schedule_id: id, cron_expression: after });
		return { name: resourceName(resource), id, before, after };
	});
}

export function currentCron(id: number, env: NodeJS.ProcessEnv): Promise<string> {
	return withClient(env, async (client) => {
		return (await client.schedules.get({ schedule_id: id })).cron_expression ?? "";
	});
}

async function withClient<T>(env: NodeJS.ProcessEnv, work: (client: Client) => Promise<T>): Promise<T> {
	const client = createClient(resolveConnection({ env }));
	try {
		return await work(client);
	} finally {
		await client.close();
	}
}
