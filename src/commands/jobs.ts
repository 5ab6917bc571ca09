import type { Command } from "commander";
import { ApiError, ConflictError, NotFoundError } from "../api";
import { PiecesRedactor } from "../api/redaction";
import { created, facts, shortTime, table, utc } from "../report/renderings";
import { showInstantOf } from "../schemas/instant";
import { isFinishedJobStatus, JOB_STATUS_GROUPS, JOB_STATUSES } from "../schemas/job";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import { messageOf, STEERING } from "../schemas/wording";
import { jobFailure, jobTrace, openSettings, settingFacts } from "./redacted";
import {
	checkedStatuses,
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
import { endWithReader, jsonText, progress, say } from "./terminal";

interface JobsOptions extends LimitOptions {
	status?: string;
}

export const defineJobs = (command: Command): Command =>
	teamCommand(command)
		.option("--status <status>", `only jobs with this status; ${JOB_STATUS_GROUPS.join(" and ")} are groups`)
		.option(...LIMIT)
		.action(listOrShow(listJobs, showJob));

/** Lists jobs, newest first. */
export async function listJobs({ client, print }: Session, options: JobsOptions): Promise<void> {
	const [status] = await checkedStatuses(options.status === undefined ? [] : [options.status], client, {
		what: "job",
		known: JOB_STATUSES,
		groups: JOB_STATUS_GROUPS,
		having: (wanted) => client.jobs.list({ status: wanted, limit: 1 }),
	});
	const jobs = await newest("jobs", options, (limit) => client.jobs.list({ limit, status }));
	const found = jobs.map(jobView);
	print(found, () =>
		table(found, "No jobs.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			status: (job) => job.status,
			"created (UTC)": ({ createdAt }) => shortTime(createdAt),
			by: ({ createdBy }) => createdBy,
		}),
	);
}

async function showJob({ client, print }: Session, id: string): Promise<void> {
	const job = jobDetails(await findJob(client, id));
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

const findJob = (client: Session["client"], id: string): Promise<Job> =>
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
	teamCommand(command).option("-f, --follow", "go on until the job ends").action(logs);

/** On a terminal nothing that a job wrote can move the cursor or turn the text; in a pipe its bytes stay as they are. */
export const logText = (text: string): string =>
	process.stdout.isTTY ? text.replace(/\r\n?/g, "\n").replace(STEERING, "\ufffd") : text;

/** Prints a job's log, as far as it is or to its end, without the values of its environment. */
const logs = (jobId: string, options: LogsOptions): Promise<void> =>
	withSession(options, async ({ client, interrupt }) => {
		const which = { job_id: jobId };
		const job = await findJob(client, jobId);
		const redacted = new PiecesRedactor(job.environment);
		let [isBegun, isInLine] = [false, false];
		// As in the service's own client, a message ends where it ends: its lines have line breaks of their own.
		const show = (message: string, id?: number) => {
			if (message === "") return;
			isBegun = true;
			if (!isInLine) progress.clear();
			process.stdout.write(options.json ? `${jsonText({ line: message, id })}\n` : logText(message));
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
			const { lines, isReadable } = await client.jobs.logs(which);
			if (!isReadable)
				throw new Error(
					`The service shows the log of job ${jobId} in a form that cannot be read. "pulumi-datachain logs ${jobId} --follow" reads it in another way.`,
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
			for await (const event of client.jobs.followLogs(which, goesOn ? { onInterrupted } : {})) {
				if (event.type === "line") write(event);
				else if (options.json) process.stdout.write(`${jsonText({ status: event.status })}\n`);
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
						`The service has no log of job ${jobId} that can be followed: this is all of it so far.`,
					);
			} else throw error;
		} finally {
			endLog();
		}
	});

export const defineCancel = (command: Command): Command => teamCommand(command).action(cancel);

const cancel = (ids: readonly string[], options: TeamOptions): Promise<void> =>
	withSession(options, async ({ client, print }) => {
		const done: { id: string; message: string | null }[] = [];
		const failed: string[] = [];
		try {
			for (const id of ids) {
				try {
					const { message } = await orJobs(client, id, client.jobs.cancel({ job_id: id }));
					done.push({ id, message: message ?? null });
				} catch (error) {
					// One that has ended, or does not exist, is no reason to let the others run.
					if (error instanceof ApiError && !(error instanceof ConflictError)) throw error;
					failed.push(messageOf(error));
				}
			}
			if (failed.length > 0) throw new Error(failed.join("\n"));
		} finally {
			// If one fails, those before it are cancelled all the same.
			const lines = () => done.map(({ id, message }) => `${id}: ${message ?? "asked to end"}\n`);
			if (done.length > 0) print(done, () => lines().join(""));
		}
	});

export const defineClusters = (command: Command): Command =>
	teamCommand(command).action((options: TeamOptions) => withSession(options, listClusters));

export async function listClusters({ client, print }: Session): Promise<void> {
	const found = (await client.clusters.list()).map(clusterView);
	print(found, () =>
		table(found, "No compute clusters.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			status: ({ status }) => status,
			default: (one) => (one.default ? "yes" : ""),
			"workers (busy/active/max)": ({ busyWorkers, activeWorkers, maxWorkers }) =>
				[busyWorkers, activeWorkers, maxWorkers].map((workers) => workers ?? "?").join("/"),
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
