import { type Command, InvalidArgumentError } from "commander";
import { ApiError, ConflictError, NotFoundError } from "../client";
import { PiecesRedactor } from "../client/redaction";
import { DAY_MS } from "../cron";
import { listAllPipelines } from "../operations/lists";
import { isFinishedJobStatus, JOB_STATUS_GROUPS, JOB_STATUSES } from "../schemas/job";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import { jobFailure, jobTrace, openSettings, settingFacts } from "../team/redacted";
import { parseInstant, showInstantOf } from "../text/instant";
import { created, facts, shortTime, table, utc } from "../text/renderings";
import { lengthWords } from "../text/report";
import { messageOf, STEERING } from "../text/wording";
import {
	checkedStatuses,
	firstRows,
	LIMIT,
	type LimitOptions,
	listOrShow,
	newest,
	orJobs,
	type Session,
	type TeamOptions,
	teamCommand,
	withSession,
} from "./session";
import { endWithReader, jsonText, notify, progress, say } from "./terminal";

interface JobsOptions extends LimitOptions {
	status?: string;
	search?: string;
	/** Milliseconds since 1970. */
	since?: number;
	by?: string;
}

export const defineJobs = (command: Command): Command =>
	teamCommand(command)
		.option(
			"--status <status>",
			`only jobs with this status; ${JOB_STATUS_GROUPS.join(" and ")} are groups`,
		)
		.option("--search <text>", "only jobs with this in their name")
		.option(
			"--since <time>",
			"only jobs created since then: 90m, 24h, 7d or an instant in ISO 8601",
			since,
		)
		.option("--by <user>", "only jobs of this user")
		.option(...LIMIT)
		.action(listOrShow(listJobs, showJob));

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

function since(text: string): number {
	const [, amount, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
	const at =
		amount === undefined
			? parseInstant(text)
			: Date.now() - Number(amount) * (UNITS[unit] ?? 0);
	if (at !== undefined) return at;
	throw new InvalidArgumentError(
		"Write 90m, 24h or 7d, or an instant such as 2026-01-31T03:00:00Z.",
	);
}

/** The service filters by status alone; so many of the newest are searched for the rest. */
const MOST_SEARCHED = 10_000;

/** The newest jobs that pass the filters. */
async function findJobs(
	client: Session["client"],
	options: JobsOptions,
	status: string | undefined,
) {
	const { search, since: from, by } = options;
	if (search === undefined && from === undefined && by === undefined)
		return newest("jobs", options, (limit) => client.jobs.list({ limit, status }));
	const all = await client.jobs.list({ limit: MOST_SEARCHED, status });
	const has = (text: string | null | undefined, wanted: string) =>
		(text ?? "").toLowerCase().includes(wanted.toLowerCase());
	const matching = all.filter(
		({ name, created_at, created_by }) =>
			(search === undefined || has(name, search)) &&
			(from === undefined || (instantOf(created_at) ?? 0) >= from) &&
			(by === undefined || created_by?.toLowerCase() === by.toLowerCase()),
	);
	if (all.length >= MOST_SEARCHED)
		notify(
			`Only the newest ${MOST_SEARCHED.toLocaleString("en-US")} jobs were searched.`,
		);
	return firstRows("jobs", options, matching);
}

/** The pipeline of each job that belongs to one, by the job's id; a list of jobs does not say it. */
async function pipelinesOfJobs(
	client: Session["client"],
): Promise<Map<string, Pipeline>> {
	try {
		const pipelines = await listAllPipelines(client);
		const pairs = pipelines.flatMap((pipeline) =>
			(pipeline.job_runs ?? []).map(
				({ created_job_id: id }) => [id ?? "", pipeline] as const,
			),
		);
		return new Map(pairs);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		say(`warning: The pipelines of the jobs could not be read: ${error.message}`);
		return new Map();
	}
}

/** How long a job took, or has taken so far; undefined if it has not begun, or the service does not say when. */
function millisOf(job: Job, now = Date.now()): number | undefined {
	const start = instantOf(job.started_at);
	const end = isFinishedJobStatus(job.status) ? instantOf(job.finished_at) : now;
	return start === undefined || end === undefined || end < start
		? undefined
		: end - start;
}

const lengthOf = (job: Job): string | null => {
	const millis = millisOf(job);
	return millis === undefined ? null : lengthWords(millis);
};

const instantOf = (text: string | null | undefined): number | undefined =>
	text ? parseInstant(text) : undefined;

/** Lists jobs, newest first. */
export async function listJobs(
	{ client, print }: Session,
	options: JobsOptions,
): Promise<void> {
	const [status] = await checkedStatuses(
		options.status === undefined ? [] : [options.status],
		client,
		{
			what: "job",
			known: JOB_STATUSES,
			groups: JOB_STATUS_GROUPS,
			having: (wanted) => client.jobs.list({ status: wanted, limit: 1 }),
		},
	);
	const jobs = await findJobs(client, options, status);
	const pipelines =
		jobs.length === 0 ? new Map<string, Pipeline>() : await pipelinesOfJobs(client);
	const rows = jobs.map((job) => ({
		...jobView(job),
		pipeline: pipelines.get(job.id)?.name ?? null,
		schedule: pipelines.get(job.id)?.schedule_name || null,
		length: lengthOf(job),
	}));
	print(rows, () =>
		table(rows, "No jobs.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			status: (job) => job.status,
			"created (UTC)": ({ createdAt }) => shortTime(createdAt),
			length: ({ length }) => length,
			pipeline: ({ pipeline }) => pipeline,
			schedule: ({ schedule }) => schedule,
			by: ({ createdBy }) => createdBy,
		}),
	);
}

async function showJob({ client, print }: Session, id: string): Promise<void> {
	const live = await findJob(client, id);
	const job = jobDetails(live);
	const exit = job.exitCode === null ? "" : `, exit code ${job.exitCode}`;
	print(job, () =>
		facts([
			["Job", job.name],
			["Id", job.id],
			["Status", `${job.status}${exit}`],
			["Error", job.error],
			["Created", created(job)],
			["Started", utc(job.startedAt)],
			["Finished", utc(job.finishedAt)],
			[isFinishedJobStatus(job.status) ? "Took" : "Running for", lengthOf(live)],
			["Cluster", job.cluster],
			["Workers", job.workers],
			["Query", job.queryType],
			["Python", job.pythonVersion],
			...settingFacts(job),
			["Rerun from", job.rerunFrom],
			["Page", job.url],
		]),
	);
}

export const findJob = (client: Session["client"], id: string): Promise<Job> =>
	orJobs(
		client,
		id,
		client.jobs.list({ job_id: id }).then((jobs) => jobs.find((job) => job.id === id)),
	);

/** A job as the commands list it: without its query and its environment, which may hold secrets. */
export const jobView = (job: Job) => ({
	id: job.id,
	name: job.name ?? null,
	status: job.status,
	createdAt: showInstantOf(job.created_at),
	createdBy: job.created_by ?? null,
	startedAt: showInstantOf(job.started_at),
	finishedAt: showInstantOf(job.finished_at),
	exitCode: job.exit_code ?? null,
	error: jobFailure(job),
	workers: job.workers ?? null,
	cluster: job.compute_cluster_name ?? null,
	url: job.url ?? null,
});

/** One job with its settings; of its environment only the names. */
const jobDetails = (job: Job) => ({
	...jobView(job),
	queryType: job.query_type ?? null,
	pythonVersion: job.python_version ?? null,
	...openSettings(job.requirements, job.repository, job.environment),
	parentJob: job.parent_job_id ?? null,
	rerunFrom: job.rerun_from_job_id ?? null,
	errorStack: jobTrace(job),
});

interface LogsOptions extends TeamOptions {
	follow?: boolean;
}

export const defineLogs = (command: Command): Command =>
	teamCommand(command)
		.option("-f, --follow", "continue until the job ends")
		.action(logs);

/** On a terminal nothing that a job wrote can move the cursor or turn the text; in a pipe its bytes stay as they are. */
export const logText = (text: string): string =>
	process.stdout.isTTY
		? text.replace(/\r\n?/g, "\n").replace(STEERING, "\ufffd")
		: text;

/** Prints a job's log, as far as it is or to its end, without the values of its environment. */
const logs = (jobId: string, options: LogsOptions): Promise<void> =>
	withSession(options, async ({ client, interrupt }) => {
		const request = { job_id: jobId };
		const job = await findJob(client, jobId);
		const redacted = new PiecesRedactor(job.environment);
		let [isBegun, isInLine] = [false, false];
		// As in the service's own client, a message ends where it ends: its lines have line breaks of their own.
		const show = (message: string, id?: number) => {
			if (message === "") return;
			isBegun = true;
			if (!isInLine) progress.clear();
			process.stdout.write(
				options.json ? `${jsonText({ line: message, id })}\n` : logText(message),
			);
			isInLine = !options.json && !message.endsWith("\n");
		};
		const write = ({ message, id }: { id?: number | undefined; message: string }) =>
			show(redacted.take(message), id);
		const endLog = () => {
			show(redacted.end());
			if (isInLine) process.stdout.write("\n");
		};
		const goesOn = !isFinishedJobStatus(job.status);
		const readOnce = async () => {
			const { lines, isReadable } = await client.jobs.logs(request);
			if (!isReadable)
				throw new Error(
					`The service shows the log of job ${jobId} in a form that cannot be read. "pulumi-datachain logs ${jobId} --follow" may be able to read it.`,
				);
			for (const line of lines) write(line);
		};
		if (!options.follow && goesOn) {
			await readOnce();
			return endLog();
		}
		endWithReader();
		try {
			// The job goes on while the service cannot be reached, and so does the reading.
			const onInterrupted = ({ message }: ApiError) =>
				say(`warning: ${message} It is tried again until Ctrl-C.`);
			for await (const event of client.jobs.followLogs(
				request,
				goesOn ? { onInterrupted } : {},
			)) {
				if (event.type === "line") write(event);
				else if (options.json)
					process.stdout.write(`${jsonText({ status: event.status })}\n`);
				else if (!isInLine) progress.show(event.status);
			}
		} catch (error) {
			// Only the reading ends; the job goes on.
			if (interrupt.aborted) process.exitCode = 130;
			else if (error instanceof NotFoundError && !isBegun) {
				// A service with the documented requests only has no log that can be followed.
				await readOnce();
				if (goesOn)
					throw new Error(
						`The log of job ${jobId} cannot be followed. This is the log so far.`,
					);
			} else throw error;
		} finally {
			endLog();
		}
	});

export const defineCancel = (command: Command): Command =>
	teamCommand(command).action(cancel);

const cancel = (ids: readonly string[], options: TeamOptions): Promise<void> =>
	withSession(options, async ({ client, print }) => {
		const done: { id: string; message: string | null }[] = [];
		const failed: string[] = [];
		try {
			for (const id of ids) {
				try {
					const { message } = await cancelJob(client, id);
					done.push({ id, message: message ?? null });
				} catch (error) {
					// One that has ended, or does not exist, is no reason to let the others run.
					if (error instanceof ApiError && !(error instanceof ConflictError))
						throw error;
					failed.push(messageOf(error));
				}
			}
			if (failed.length > 0) throw new Error(failed.join("\n"));
		} finally {
			// If one fails, those before it are cancelled all the same.
			const lines = () =>
				done.map(({ id, message }) => `${id}: ${message ?? "asked to end"}\n`);
			if (done.length > 0) print(done, () => lines().join(""));
		}
	});

/** Cancels one job. The service refuses that for a job that has ended, which is no reason to try again. */
async function cancelJob(
	client: Session["client"],
	id: string,
): Promise<{ message?: string | null | undefined }> {
	try {
		return await orJobs(client, id, client.jobs.cancel({ job_id: id }));
	} catch (error) {
		if (error instanceof ApiError && !(error instanceof ConflictError)) throw error;
		const job = (await client.jobs.list({ job_id: id })).find((each) => each.id === id);
		if (job !== undefined && isFinishedJobStatus(job.status)) {
			const end = utc(showInstantOf(job.finished_at));
			throw new Error(
				`Job ${id} (${JSON.stringify(job.name ?? "")}) ended${end ? ` at ${end}` : ""}: ${job.status}. There is nothing to cancel.`,
			);
		}
		if (!(error instanceof ConflictError)) throw error;
		throw new Error(`${error.summary} "pulumi-datachain jobs ${id}" shows the job.`, {
			cause: error,
		});
	}
}

export const defineClusters = (command: Command): Command =>
	teamCommand(command).action((options: TeamOptions) =>
		withSession(options, listClusters),
	);

export async function listClusters({ client, print }: Session): Promise<void> {
	const clusters = (await client.clusters.list()).map(clusterView);
	print(clusters, () =>
		table(clusters, "No compute clusters.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			status: ({ status }) => status,
			default: (one) => (one.default ? "yes" : ""),
			"workers (busy/active/max)": ({ busyWorkers, activeWorkers, maxWorkers }) =>
				[busyWorkers, activeWorkers, maxWorkers]
					.map((workers) => workers ?? "?")
					.join("/"),
			provider: ({ provider }) => provider,
			region: ({ region }) => region,
			instance: ({ instanceType }) => instanceType,
		}),
	);
}

const clusterView = (cluster: Cluster) => ({
	id: cluster.id,
	name: cluster.name,
	status: cluster.status ?? null,
	isActive: cluster.is_active ?? null,
	default: cluster.default ?? null,
	maxWorkers: cluster.max_workers ?? null,
	activeWorkers: cluster.active_workers ?? null,
	busyWorkers: cluster.busy_workers ?? null,
	provider: cluster.cloud_provider ?? null,
	region: cluster.cloud_region ?? null,
	instanceType: cluster.instance_type ?? null,
	computeClass: cluster.compute_class ?? null,
	diskSize: cluster.disk_size ?? null,
	credentials: cluster.cloud_credentials ?? null,
});
