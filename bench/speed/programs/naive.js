const pulumi = require("@pulumi/pulumi");

/*
 * A dynamic provider as the public examples have it: a class that closes over its helpers, one request for each
 * operation, a provider object for each resource. It confirms nothing, repeats nothing, and does not look whether a name
 * is taken. It is kept as those are written, and not made better.
 */

async function request(method, path, fields) {
	const team = process.env.DATACHAIN_STUDIO_TEAM;
	const url = new URL(
		`${process.env.DATACHAIN_STUDIO_URL}/api/datachain/pipeline/${path}`,
	);
	if (method === "GET") {
		for (const [key, value] of Object.entries(fields))
			url.searchParams.set(key, String(value));
		url.searchParams.set("team_name", team);
	}
	const response = await fetch(url, {
		method,
		headers: {
			Authorization: `Bearer ${process.env.DATACHAIN_STUDIO_TOKEN}`,
			"Content-Type": "application/json",
		},
		...(method === "POST" && { body: JSON.stringify({ ...fields, team_name: team }) }),
	});
	if (!response.ok)
		throw new Error(
			`${method} ${path} failed: ${response.status} ${await response.text()}`,
		);
	return response.json();
}

function toOutputs(live, pipelineName) {
	return {
		scheduleName: live.schedule_name,
		pipelineName,
		cronExpression: live.cron_expression,
		scheduleId: live.id,
		nextRun: live.next_run,
		createdAt: live.created_at,
		updatedAt: live.updated_at,
	};
}

class ScheduleProvider {
	async create(inputs) {
		const { schedule } = await request("POST", "create-schedule", {
			schedule_name: inputs.scheduleName,
			pipeline_name: inputs.pipelineName,
			cron_expression: inputs.cronExpression,
		});
		return { id: String(schedule.id), outs: toOutputs(schedule, inputs.pipelineName) };
	}

	async diff(_id, olds, news) {
		const replaces = olds.pipelineName === news.pipelineName ? [] : ["pipelineName"];
		const changes =
			replaces.length > 0 ||
			olds.scheduleName !== news.scheduleName ||
			olds.cronExpression !== news.cronExpression;
		return { changes, replaces };
	}

	async read(id, props) {
		const live = await request("GET", "schedule", { schedule_id: id });
		return { id, props: toOutputs(live, props.pipelineName) };
	}

	async update(id, _olds, news) {
		const { schedule } = await request("POST", "update-schedule", {
			schedule_id: Number(id),
			schedule_name: news.scheduleName,
			cron_expression: news.cronExpression,
		});
		return { outs: toOutputs(schedule, news.pipelineName) };
	}

	async delete(id) {
		await request("POST", "delete-schedule", { schedule_id: Number(id) });
	}
}

class Schedule extends pulumi.dynamic.Resource {
	constructor(name, args, opts) {
		const outputs = {
			scheduleId: undefined,
			nextRun: undefined,
			createdAt: undefined,
			updatedAt: undefined,
		};
		super(new ScheduleProvider(), name, { ...args, ...outputs }, opts);
	}
}

for (let number = 0; number < Number(process.env.BENCH_N); number++) {
	const name = `schedule-${number}`;
	new Schedule(name, {
		scheduleName: `${pulumi.getProject()}-${pulumi.getStack()}-${name}`,
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON,
	});
}
