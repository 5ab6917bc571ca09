import { orPipelines, type RunsOptions, type Session, withSession } from "./session";
import { jobView, pipelineView, shortTime, table } from "./views";

export interface JobsOptions extends RunsOptions {
	status?: string;
	limit: number;
}

export interface PipelinesOptions extends RunsOptions {
	status?: string[];
	search?: string;
	limit: number;
}

/** Lists jobs, newest first. */
export const jobs = (options: JobsOptions): Promise<void> =>
	withSession(options, async ({ client, print }) => {
		const found = (await client.jobs.list({ limit: options.limit, status: options.status })).map(jobView);
		const rows = found.map((job) => [job.id, job.name, job.status, shortTime(job.createdAt), job.createdBy]);
		print(
			found,
			found.length === 0 ? "No jobs.\n" : table(["id", "name", "status", "created (UTC)", "by"], rows),
		);
	});

/** Lists pipelines, newest first; or shows one of them with its jobs. */
export const pipelines = (name: string | undefined, options: PipelinesOptions): Promise<void> =>
	withSession(options, (session) => (name === undefined ? list(session, options) : status(session, name)));

async function list({ client, print }: Session, options: PipelinesOptions): Promise<void> {
	const { limit, status: statuses, search } = options;
	const found = (await client.pipelines.list({ limit, status: statuses, search })).map(pipelineView);
	const rows = found.map((one) => [
		one.name,
		one.status,
		`${one.completed ?? "?"}/${one.total ?? "?"}`,
		one.triggeredFrom,
		one.schedule,
		shortTime(one.createdAt),
	]);
	const heads = ["name", "status", "jobs", "from", "run of schedule", "created (UTC)"];
	print(found, found.length === 0 ? "No pipelines.\n" : table(heads, rows));
}

async function status({ client, print }: Session, name: string): Promise<void> {
	const one = pipelineView(await orPipelines(client, name, client.pipelines.status({ name })));
	const facts = [
		["Pipeline", one.name],
		["Status", `${one.status}, ${one.completed ?? "?"} of ${one.total ?? "?"} jobs done`],
		["From", one.triggeredFrom],
		["Created", `${shortTime(one.createdAt)} UTC`],
		...(one.schedule ? [["Run of schedule", one.schedule]] : []),
		...(one.error ? [["Error", one.error]] : []),
	];
	const rows = one.jobs.map((job) => [job.id, job.name, job.status]);
	print(one, `${table(["", ""], facts).trimStart()}\n${table(["job", "name", "status"], rows)}`);
}
