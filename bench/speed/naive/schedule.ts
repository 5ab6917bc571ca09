import * as pulumi from "@pulumi/pulumi";

/*
 * A dynamic provider as the public examples have it: a class that closes over its helpers and over the SDK's config,
 * one request for each operation, a new provider object for each resource. It is what ours is compared with, so it
 * is kept as those are written, and not made better.
 */

interface ScheduleInputs {
	scheduleName: string;
	pipelineName: string;
	cronExpression: string;
}

interface ScheduleReply {
	id: number;
	schedule_name: string;
	cron_expression: string;
	next_run: string;
	created_at: string;
	updated_at: string;
}

interface ScheduleOutputs extends ScheduleInputs {
	scheduleId: number;
	nextRun: string;
	createdAt: string;
	updatedAt: string;
}

const config = new pulumi.Config("datachain");

/** The environment, where it is set, is live; the config is what the program had. */
function setting(variable: string, key: string): string {
	return process.env[variable] ?? config.require(key);
}

async function request<T>(method: "GET" | "POST", path: string, body: Record<string, unknown>): Promise<T> {
	const team = setting("DATACHAIN_STUDIO_TEAM", "teamName");
	const url = new URL(`${setting("DATACHAIN_STUDIO_URL", "baseUrl")}/api/datachain/pipeline/${path}`);
	if (method === "GET") {
		for (const [key, value] of Object.entries(body)) url.searchParams.set(key, String(value));
		url.searchParams.set("team_name", team);
	}
	const response = await fetch(url, {
		method,
		headers: {
			Authorization: `Bearer ${setting("DATACHAIN_STUDIO_TOKEN", "token")}`,
			"Content-Type": "application/json",
		},
		...(method === "POST" ? { body: JSON.stringify({ ...body, team_name: team }) } : {}),
	});
	if (!response.ok) {
		throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`);
	}
	return (await response.json()) as T;
}

function toOutputs(reply: ScheduleReply, pipelineName: string): ScheduleOutputs {
	return {
		scheduleName: reply.schedule_name,
		pipelineName,
		cronExpression: reply.cron_expression,
		scheduleId: reply.id,
		nextRun: reply.next_run,
		createdAt: reply.created_at,
		updatedAt: reply.updated_at,
	};
}

class ScheduleProvider implements pulumi.dynamic.ResourceProvider<ScheduleInputs, ScheduleOutputs> {
	async create(inputs: ScheduleInputs): Promise<pulumi.dynamic.CreateResult<ScheduleOutputs>> {
		const { schedule } = await request<{ schedule: ScheduleReply }>("POST", "create-schedule", {
			schedule_name: inputs.scheduleName,
			pipeline_name: inputs.pipelineName,
			cron_expression: inputs.cronExpression,
		});
		return { id: String(schedule.id), outs: toOutputs(schedule, inputs.pipelineName) };
	}

	async diff(
		_id: pulumi.ID,
		olds: ScheduleOutputs,
		news: ScheduleInputs,
	): Promise<pulumi.dynamic.DiffResult> {
		const replaces = olds.pipelineName === news.pipelineName ? [] : ["pipelineName"];
		const changes =
			replaces.length > 0 ||
			olds.scheduleName !== news.scheduleName ||
			olds.cronExpression !== news.cronExpression;
		return { changes, replaces };
	}

	async read(id: pulumi.ID, props?: ScheduleOutputs): Promise<pulumi.dynamic.ReadResult<ScheduleOutputs>> {
		const schedule = await request<ScheduleReply>("GET", "schedule", { schedule_id: id });
		return { id, props: toOutputs(schedule, props?.pipelineName ?? "") };
	}

	async update(
		id: pulumi.ID,
		_olds: ScheduleOutputs,
		news: ScheduleInputs,
	): Promise<pulumi.dynamic.UpdateResult<ScheduleOutputs>> {
		const { schedule } = await request<{ schedule: ScheduleReply }>("POST", "update-schedule", {
			schedule_id: Number(id),
			schedule_name: news.scheduleName,
			cron_expression: news.cronExpression,
		});
		return { outs: toOutputs(schedule, news.pipelineName) };
	}

	async delete(id: pulumi.ID): Promise<void> {
		await request("POST", "delete-schedule", { schedule_id: Number(id) });
	}
}

export interface ScheduleArgs {
	scheduleName: pulumi.Input<string>;
	pipelineName: pulumi.Input<string>;
	cronExpression: pulumi.Input<string>;
}

export class Schedule extends pulumi.dynamic.Resource {
	declare readonly scheduleId: pulumi.Output<number>;
	declare readonly nextRun: pulumi.Output<string>;
	declare readonly createdAt: pulumi.Output<string>;
	declare readonly updatedAt: pulumi.Output<string>;

	constructor(name: string, args: ScheduleArgs, opts?: pulumi.CustomResourceOptions) {
		super(
			new ScheduleProvider(),
			name,
			{ ...args, scheduleId: undefined, nextRun: undefined, createdAt: undefined, updatedAt: undefined },
			opts,
		);
	}
}
