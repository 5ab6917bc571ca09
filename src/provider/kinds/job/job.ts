import { usesSpread } from "../../../cron";
import { problemOfEnded, waitForJob } from "../../../operations/job-wait";
import { cancelJob, findJob } from "../../../operations/jobs";
import { JOB_TAG } from "../../../operations/start-job";
import { timeoutOf } from "../../../operations/wait";
import { JobQueryType } from "../../../schemas/enums";
import { isFinishedJobStatus } from "../../../schemas/job";
import type { Job } from "../../../schemas/wire/job";
import { showInstantOf } from "../../../text/instant";
import { parseUrn, resourceName } from "../../model/messages";
import { type Problem, type Props, pick, problem } from "../../model/props";
import { checkFields, diffByTable, withOld } from "../../model/table";
import type { Call } from "../../run/context";
import { PartialFailureError } from "../../run/handler";
import type { UnnamedKind } from "../../run/kind";
import { unnamedLifecycle } from "../../run/lifecycle";
import { isYoung, pollIfRecent, refuseOtherService } from "../../run/outcome";
import { inOneForm } from "../job-file/job-file";
import { checkStorageConfigs } from "../settings/fields";
import { clusterProblems } from "./cluster";
import { INPUTS, JOB_FIELDS } from "./fields";
import { queryContent, SOURCES, withQuery } from "./query";
import { goesOn, startOrAdopt } from "./start";
import { redactedFor, timeoutNotice } from "./wait";

// ── Check ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * No reasons to run the job again: a default name, which changes when the resource or its file is renamed; and other
 * content if changes of it are ignored, so that the engine gives the hash.
 */
const fieldsNotTriggeringRerun = ({ name, contentHash }: Props): string[] => [
	...(name === undefined ? ["name"] : []),
	...(contentHash === undefined ? [] : ["contentHash"]),
];

/** A query that looks like this is the path of a file, given under the wrong name. */
const FILE_PATH = /^[\w./\\-]+\.(py|sh|bash)$/i;

/** One line that a shell would run. */
const COMMAND = /^(?:(?:python|pip)[\d.]*|bash|sh|uv|poetry)\s+[\w./-][^=\n]*$/;

/** Inputs that contradict each other, which no schema of a single field can tell. */
function contradictions(inputs: Props): Problem[] {
	const {
		query,
		queryType,
		clusterName,
		clusterId,
		wait,
		cronExpression,
		startAfter,
		environment,
	} = inputs;
	const problems: Problem[] = [];
	// As Python it would only name a variable; in a shell it is a command, whose file may come with the repository.
	if (
		queryType === JobQueryType.Python &&
		typeof query === "string" &&
		FILE_PATH.test(query.trim())
	) {
		problems.push(
			problem(
				"query",
				"is a path, and query is the text itself. Give the path as file.",
			),
		);
	}
	if (
		queryType === JobQueryType.Python &&
		typeof query === "string" &&
		COMMAND.test(query.trim())
	) {
		const text =
			'is a shell command, and queryType is PYTHON. Set queryType to "SHELL", or give the path of the script as file.';
		problems.push(problem("query", text));
	}
	if (clusterName !== undefined && clusterId !== undefined) {
		problems.push(
			problem(
				"clusterName",
				"clusterName and clusterId are both given. Keep one of the two.",
			),
		);
	}
	if (wait === true && (cronExpression !== undefined || startAfter !== undefined)) {
		const text =
			"a job with a cronExpression or a startAfter becomes a task that runs later, so there is nothing to wait for. Leave wait out.";
		problems.push(problem("wait", text));
	}
	// The field itself is that of a schedule, where H is allowed.
	if (typeof cronExpression === "string" && usesSpread(cronExpression)) {
		const text =
			"H spreads the start times of a PipelineSchedule, and a job has none to spread. Write numbers instead of H.";
		problems.push(problem("cronExpression", text));
	}
	if (Object.hasOwn(Object(environment), JOB_TAG)) {
		const text = `${JOB_TAG} is set by this resource, to find its job again. Use another name.`;
		problems.push(problem("environment", text));
	}
	return problems;
}

// ── Waiting and cancelling ──────────────────────────────────────────────────────────────────────────────────────────

/** A job that was waited for and failed is no success of the deployment: the next one runs it again. */
const mustRunAgain = (olds: Props, news: Props): boolean =>
	news.wait === true &&
	["FAILED", "CANCELED"].includes(String(olds.status).toUpperCase());

/** A task that was cancelled starts no more jobs, and the program declares that it does. */
const isCancelledTask = (olds: Props, news: Props): boolean =>
	news.cronExpression !== undefined &&
	String(olds.status).toUpperCase().startsWith("CANCEL");

/** Declared to be waited for, and not seen to have ended: the deployment is not done with it. */
const isAwaited = (olds: Props, news: Props): boolean =>
	news.wait === true && !isFinishedJobStatus(String(olds.status));

/** Waits if that is declared. A job that fails, or does not end in time, stays in the state with its id. */
async function awaited(
	call: Call,
	inputs: Props,
	job: Job,
	olds?: Props,
): Promise<Props> {
	if (inputs.wait !== true) return jobOuts(call, inputs, job, olds);
	const target = {
		team: String(inputs.teamName),
		jobId: job.id,
		label: parseUrn(call.urn)?.name ?? "job",
		clean: redactedFor(call, inputs),
	};
	const timeout = timeoutOf(inputs.timeout as string | number | undefined);
	const hasEnded = olds !== undefined && isFinishedJobStatus(job.status);
	const { latest, problem } = hasEnded
		? { latest: job, problem: await problemOfEnded(call, target, job) }
		: await waitForJob(call, target, job, timeout);
	const outs = jobOuts(call, inputs, latest, olds);
	const next = ` Run "pulumi up" again to continue waiting for it, or cancel it with "pulumi-datachain cancel ${job.id}".`;
	if (problem !== undefined)
		throw new PartialFailureError(
			job.id,
			outs,
			problem + (isFinishedJobStatus(latest.status) ? "" : next),
		);
	return outs;
}

async function cancel(call: Call, team: string, live: Job, outs: Props): Promise<void> {
	const isEnding = (status: string) =>
		status.toUpperCase().startsWith("CANCEL") ||
		!goesOn(call, { ...live, status }, outs);
	await cancelJob(call, live, {
		team,
		isEnding,
		mayBeUnlisted: () => isYoung(call, outs),
	});
}

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The inputs, and what the service adds to them; never its error texts, which may hold secrets. */
function jobOuts(call: Call, inputs: Props, live: Job, olds: Props = {}): Props {
	return {
		...inputs,
		jobId: live.id,
		status: live.status,
		url: live.url ?? olds.url,
		createdAt: showInstantOf(live.created_at) ?? olds.createdAt,
		createdBy: live.created_by ?? olds.createdBy,
		startedAt: showInstantOf(live.started_at) ?? olds.startedAt,
		finishedAt: showInstantOf(live.finished_at) ?? olds.finishedAt,
		exitCode: live.exit_code ?? olds.exitCode,
		serviceUrl: call.serviceUrl,
	};
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const label = ({ name, jobId, teamName }: Props): string =>
	`"${String(name)}" (id ${String(jobId)}) in team "${String(teamName)}"`;

const taskCancelled = (outs: Props): string =>
	`Task ${label(outs)} was cancelled outside Pulumi. The deployment starts a new one.`;

const notImportable = (id: string): Error =>
	new Error(
		`Job ${id} cannot be imported: a Job resource manages only the job that it started, so the next deployment would cancel this ` +
			'one and start another. Remove it from the program; getJobs and "pulumi-datachain jobs" still list it. Or declare a ' +
			`Job, which starts a new one, and cancel this one with "pulumi-datachain cancel ${id}".`,
	);

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const kind: UnnamedKind = {
	kind: "Job",
	fields: JOB_FIELDS,
	identity: "contentHash",

	async check(call, olds, given) {
		const isSource = ({ field }: Problem) => SOURCES.includes(field);
		const isReadable = !checkFields(JOB_FIELDS, olds, given).some(isSource);
		const { inputs: complete, problems: unclear } = isReadable
			? await withQuery(call, olds, given)
			: { inputs: given, problems: [] };
		const inputs = withOld(JOB_FIELDS, olds, complete, fieldsNotTriggeringRerun(given));
		const problems = [
			...checkFields(JOB_FIELDS, olds, inputs, call.secrets),
			...unclear,
			...checkStorageConfigs(call, olds, inputs, `Job ${resourceName(call.urn)}`),
			...contradictions(inputs),
		];
		timeoutNotice(call, inputs);
		// A job in the state was run with its cluster already; the cluster is checked again only if a job will be run.
		const willRun = diffByTable(JOB_FIELDS, olds, inputs).replaces.length > 0;
		if (problems.length > 0 || !willRun) return { inputs, problems };
		return { inputs, problems: await clusterProblems(call, inputs) };
	},
	diff(call, olds, news) {
		const sameForm = inOneForm(olds, news, queryContent(news));
		const byTable = diffByTable(JOB_FIELDS, sameForm, news);
		const isCancelled = isCancelledTask(olds, news);
		if (byTable.replaces.length === 0 && (isCancelled || mustRunAgain(olds, news))) {
			if (isCancelled && call.declared.has(call.urn)) call.notice(taskCancelled(olds));
			return { changes: true, replaces: ["contentHash"] };
		}
		// The same query under another form of hash: only the state changes.
		return {
			...byTable,
			changes:
				byTable.changes ||
				olds.contentHash !== sameForm.contentHash ||
				isAwaited(olds, news),
		};
	},
	async create(call, inputs) {
		const started = await startOrAdopt(call, inputs);
		return { id: started.id, outs: await awaited(call, inputs, started) };
	},
	/** A service forgets old jobs. One that is gone was run all the same, and dropping it from the state would run it again. */
	async read(call, id, outs) {
		if (outs.jobId === undefined) throw notImportable(id);
		const team = String(outs.teamName);
		const listed = (await call.lists.jobs(team)).find((each) => each.id === id);
		const live = listed ?? (await findJob(call, team, id));
		if (live === undefined)
			refuseOtherService(call, outs, `Job ${id} of team "${team}" was not found`);
		const inputs = pick(outs, INPUTS);
		return { state: { id, inputs, outs: live ? jobOuts(call, inputs, live) : outs } };
	},
	async update(call, id, olds, inputs) {
		const live = await findJob(call, String(inputs.teamName), id);
		return awaited(
			call,
			inputs,
			live ?? { id, status: String(olds.status ?? "unknown") },
			olds,
		);
	},
	async remove(call, id, outs) {
		const team = String(outs.teamName);
		const live = await pollIfRecent(call, outs, () => findJob(call, team, id));
		if (live === undefined)
			refuseOtherService(call, outs, `Job ${id} of team "${team}" was not found`);
		// The list shows the newest jobs only, and one that it leaves out may still run.
		await cancel(
			call,
			team,
			live ?? { id, status: String(outs.status ?? "unknown") },
			outs,
		);
	},

	words: { label: (outs) => `Job ${label(outs)}` },
};

export const job = unnamedLifecycle(kind);
