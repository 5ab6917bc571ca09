import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { z } from "zod";
import { usesSpread } from "../../../cron";
import { createdAt } from "../../../operations/create-once";
import { problemOfEnded, waitForJob } from "../../../operations/job-wait";
import { cancelJob, findJob, shownName } from "../../../operations/jobs";
import {
	JOB_TAG,
	type JobRequest,
	jobsWithTag,
	startJob,
} from "../../../operations/start-job";
import { timeoutOf } from "../../../operations/wait";
import { JobQueryType } from "../../../schemas/enums";
import { assetSchema, isFinishedJobStatus } from "../../../schemas/job";
import {
	inRange,
	objectName,
	oneOf,
	someText,
	teamName,
	wholeNumber,
} from "../../../schemas/primitives";
import type { Cluster } from "../../../schemas/wire/cluster";
import type { Job } from "../../../schemas/wire/job";
import { compactJson } from "../../../storage/rules";
import { parseInstant, showInstantOf } from "../../../text/instant";
import { didYouMean } from "../../../text/suggest";
import {
	ADOPT_EQUAL,
	adoptIfCreated,
	ifLeftBehind,
	parseUrn,
	resourceName,
} from "../../model/messages";
import {
	type CheckResult,
	containsUnknown,
	type Problem,
	type Props,
	pick,
	problem,
	UNKNOWN,
} from "../../model/props";
import { isHashOf } from "../../model/salted-hash";
import { holdSecrets } from "../../model/secrets";
import {
	type AnyTable,
	checkFields,
	diffByTable,
	type Field,
	type Table,
	toWire,
	withOld,
} from "../../model/table";
import type { Call } from "../../run/context";
import { PartialFailureError } from "../../run/handler";
import type { UnnamedKind } from "../../run/kind";
import { takeCreated, unnamedLifecycle } from "../../run/lifecycle";
import {
	isYoung,
	pollIfRecent,
	RECENT_MILLIS,
	refuseOtherService,
} from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import {
	type Content,
	contentName,
	contentOf,
	fetchRemote,
	hashForState,
	inOneForm,
	sha256,
	unreadable,
} from "../job-file/job-file";
import { SCHEDULE_FIELDS } from "../schedule/fields";
import { checkStorageConfigs, declaredVariables, SETTINGS } from "../settings/fields";
import { redactedFor, resetNotice, timeoutNotice, WAIT_FIELDS } from "./wait";

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** No request changes a job, so another value of any input is another job. */
const fixed = (schema: z.ZodType, wire: string): Field<never> => ({
	schema,
	wire,
	change: "replace",
});

/** A field that a pipeline's settings or a schedule has too: checked, compared and written in the same way. */
const sameRules = (table: AnyTable, name: string): Field<never> => {
	const { schema = z.never(), wire, same, write, hidden } = table[name] ?? {};
	return { schema, wire, same, write, hidden, change: "replace" };
};

const NO_CLUSTER_ID = "must be the id of a compute cluster";

/** Inputs of the Job resource, one row each. Where the query comes from does not matter, only its content does. */
export const JOB_FIELDS: Table<never> = {
	query: { schema: someText.optional(), change: "none", hidden: true },
	file: {
		schema: z
			.union([someText, assetSchema], { error: "must be a path or an asset" })
			.optional(),
		change: "none",
	},
	/** Hash of the query, filled in by `check`. */
	contentHash: { schema: z.string().optional(), change: "replace", filledIn: true },
	queryType: fixed(oneOf(JobQueryType).optional(), "query_type"),
	name: fixed(objectName.optional(), "query_name"),
	workers: fixed(inRange(wholeNumber, 1).optional(), "workers"),
	environment: sameRules(SETTINGS, "environment"),
	storage: sameRules(SETTINGS, "storage"),
	requirements: sameRules(SETTINGS, "requirements"),
	repository: sameRules(SETTINGS, "repository"),
	pythonVersion: sameRules(SETTINGS, "pythonVersion"),
	priority: sameRules(SETTINGS, "priority"),
	files: sameRules(SETTINGS, "files"),
	credentialsName: fixed(objectName.optional(), "credentials_name"),
	clusterName: fixed(objectName.optional(), "compute_cluster_name"),
	clusterId: {
		...fixed(
			z.union([z.int(NO_CLUSTER_ID), someText], NO_CLUSTER_ID).optional(),
			"compute_cluster_id",
		),
		// Python, YAML and Go give every id as a text.
		same: (a, b) => String(a) === String(b),
	},
	startAfter: sameRules(SCHEDULE_FIELDS, "startAfter"),
	cronExpression: sameRules(SCHEDULE_FIELDS, "cronExpression"),
	rerunFrom: fixed(
		z.uuid("must be the id of a job, a UUID").optional(),
		"rerun_from_job_id",
	),
	reset: {
		...fixed(z.boolean("must be true or false").optional(), "reset"),
		same: (a, b) => (a ?? false) === (b ?? false),
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
};
const INPUTS = Object.keys(JOB_FIELDS);
/** What a create request carries as it is; query, environment and storage have forms of their own. */
const WIRE_FIELDS = INPUTS.filter((name) => JOB_FIELDS[name]?.wire !== undefined);

// ── The query ───────────────────────────────────────────────────────────────────────────────────────────────────────

const TYPES: Readonly<Record<string, string>> = {
	".py": JobQueryType.Python,
	".sh": JobQueryType.Shell,
	".bash": JobQueryType.Shell,
};

/** The inputs that give the query: one of them. */
const SOURCES = ["query", "file"];

const queryContent = ({ query, file }: Props): Content | undefined =>
	contentOf({ text: query, source: file });

/** Fills in the hash of the query, its type and the job's name; a file that cannot be read is a problem, not a crash. */
async function withQuery(call: Call, olds: Props, inputs: Props): Promise<CheckResult> {
	const given = SOURCES.filter((key) => inputs[key] !== undefined);
	if (given.length !== 1) {
		const text =
			given.length === 0
				? 'a Job needs a query (its text) or a file. Set file to a path such as "./train.py".'
				: "query and file are both given. Keep the one that holds the query.";
		return { inputs, problems: [problem("query", text)] };
	}
	if (containsUnknown([inputs.query, inputs.file])) {
		const unknown = {
			name: inputs.name ?? UNKNOWN,
			queryType: inputs.queryType ?? UNKNOWN,
		};
		return { inputs: { ...inputs, ...unknown, contentHash: UNKNOWN }, problems: [] };
	}
	const content = queryContent(inputs);
	if (content === undefined)
		return { inputs, problems: [problem("file", "the asset has nothing in it.")] };
	const fileName = contentName(content);
	// Part of a secret path would be in plain text under another key.
	const shownName = holdSecrets(call, SOURCES) ? undefined : fileName;
	const name = inputs.name ?? shownName ?? parseUrn(call.urn)?.name;
	try {
		const contentHash = await hashForState(call, olds, content, SOURCES);
		const queryType = inputs.queryType ?? typeOf(fileName);
		if (queryType === undefined) {
			const label =
				shownName === undefined ? "the file's name" : `the name "${shownName}"`;
			const text = `${label} does not say what it is. Set queryType to PYTHON or SHELL.`;
			return { inputs, problems: [problem("queryType", text)] };
		}
		const wrong =
			content.kind === "path" ? fileProblem(await readFile(content.path)) : undefined;
		const problems = wrong === undefined ? [] : [problem("file", wrong)];
		return { inputs: { ...inputs, name, queryType, contentHash }, problems };
	} catch (error) {
		return { inputs, problems: [unreadable("file", error)] };
	}
}

/** What is wrong with a file: a query is sent as text, and the service refuses an empty one. */
function fileProblem(content: Buffer): string | undefined {
	if (content.length === 0) return "is empty: there is nothing to run.";
	return isUtf8(content)
		? undefined
		: "is not UTF-8, and a query must be. Save it in that encoding.";
}

/** A text without a file is Python, as most queries are. */
function typeOf(fileName: string | undefined): string | undefined {
	return fileName === undefined
		? JobQueryType.Python
		: TYPES[extname(fileName).toLowerCase()];
}

/** The query's text as it is now, which must be the one that was checked. */
export async function queryText(inputs: Props): Promise<string> {
	const content = queryContent(inputs);
	if (content === undefined) throw new Error("Job: neither query nor file is given.");
	const bytes = await bytesOf(content);
	if (!isHashOf(inputs.contentHash, sha256(bytes))) {
		throw new Error(
			`The query of job "${String(inputs.name)}" changed while it was being deployed. Run "pulumi up" again to run the new query.`,
		);
	}
	const wrong = fileProblem(bytes);
	if (wrong !== undefined)
		throw new Error(`The file of job "${String(inputs.name)}" ${wrong}`);
	return bytes.toString("utf8");
}

async function bytesOf(content: Content): Promise<Buffer> {
	if (content.kind === "text") return Buffer.from(content.text);
	return content.kind === "path"
		? readFile(content.path)
		: Buffer.from(await fetchRemote(content.uri));
}

// ── Check ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * No reasons to run the job again: a default name, which changes when the resource or its file is renamed; and other
 * content if changes of it are ignored, so that the engine gives the hash.
 */
const fieldsNotTriggeringRerun = ({ name, contentHash }: Props): string[] => [
	...(name === undefined ? ["name"] : []),
	...(contentHash === undefined ? [] : ["contentHash"]),
];

const PATH = /^[\w./\\-]+\.(py|sh|bash)$/i;
/** One line that a shell would run. */
const COMMAND = /^(?:(?:python|pip)[\d.]*|bash|sh|uv|poetry)\s+[\w./-][^=\n]*$/;

function rules(inputs: Props): Problem[] {
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
		PATH.test(query.trim())
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

/** The cluster must exist, be active and be large enough: a job that can never start would only wait. */
async function clusterProblems(call: Call, inputs: Props): Promise<Problem[]> {
	const { teamName: team, clusterName: name, clusterId: id, workers } = inputs;
	if (containsUnknown([team, name, id])) return [];
	const isNamed = name !== undefined || id !== undefined;
	if (!isNamed && typeof workers !== "number") return [];
	const field = id === undefined ? "clusterName" : "clusterId";
	const clusters = await call.lists.clusters(String(team));
	const cluster = clusters.find((each) => {
		if (!isNamed) return each.default === true;
		return id === undefined ? each.name === name : isCluster(each, id);
	});
	if (cluster === undefined) {
		if (!isNamed) return [];
		const names =
			clusters.map((each) => `"${each.name}" (id ${each.id})`).join(", ") || "none";
		const wanted = JSON.stringify(name ?? id);
		const hint = clusterHint(clusters, { name, id });
		return [
			problem(
				field,
				`team "${String(team)}" has no compute cluster ${wanted}.${hint} It has ${names}.`,
			),
		];
	}
	if (!isActive(cluster)) {
		const status = cluster.status ?? "not active";
		return [
			problem(
				field,
				`compute cluster "${cluster.name}" is ${status}, so a job on it would not start.`,
			),
		];
	}
	if (typeof workers !== "number" || workers <= (cluster.max_workers ?? workers))
		return [];
	const text = `must be 1 to ${cluster.max_workers} on compute cluster "${cluster.name}", not ${workers}.`;
	return [problem("workers", text)];
}

/** An id under the name, or the other way round, is the usual mistake beside a misspelt name. */
function clusterHint(clusters: readonly Cluster[], { name, id }: Props): string {
	const byId = clusters.find((each) => isCluster(each, name));
	if (byId !== undefined)
		return ` "${String(name)}" is the id of "${byId.name}": set clusterId instead.`;
	const byName = clusters.find((each) => each.name === id);
	if (byName !== undefined)
		return ` "${byName.name}" is the name of ${byName.id}: set clusterName instead.`;
	return name === undefined
		? ""
		: didYouMean(
				String(name),
				clusters.map((each) => each.name),
			);
}

const isCluster = (cluster: Cluster, id: unknown): boolean =>
	String(cluster.id) === String(id);

/** The id in the form in which the service lists it, because it may take no other. */
async function clusterIdOf(
	call: Call,
	{ teamName: team, clusterId }: Props,
): Promise<unknown> {
	if (clusterId === undefined) return undefined;
	const clusters = await call.lists.clusters(String(team));
	return clusters.find((cluster) => isCluster(cluster, clusterId))?.id ?? clusterId;
}

const isActive = ({ is_active, status }: Cluster): boolean =>
	is_active ?? (status ?? "ACTIVE").toUpperCase() === "ACTIVE";

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const refOf = (team: string, id: string): ObjectRef => ({ kind: "Job", team, id });

const SHORT = 16;

/** Which resource asks for which job: the same in every deployment, until an input changes. */
function declarationTag({ urn, program }: Call, inputs: Props, query: string): string {
	// How a job is waited for, and where its query comes from, make no other job.
	const {
		wait: _1,
		timeout: _2,
		query: _3,
		file: _4,
		contentHash: _5,
		...declaration
	} = inputs;
	const hash = sha256(compactJson({ ...declaration, query: sha256(query) }));
	// The same program in another stack declares jobs of its own.
	const whose = sha256(compactJson([program?.project, program?.stack, urn]));
	return `${whose.slice(0, SHORT)}-${hash.slice(0, SHORT)}`;
}

/** The jobs with the tag that are free, oldest first. */
const tagged = (call: Call, team: string, jobs: readonly Job[], tag: string): Job[] =>
	jobsWithTag(jobs, tag)
		.filter(({ id }) => call.owners.isForeign(refOf(team, id)))
		.reverse();

/** A task starts jobs, for ever or when its time comes, though it counts as finished itself. */
function goesOn(
	{ time }: Call,
	{ status }: Job,
	{ cronExpression, startAfter }: Props,
): boolean {
	if (status.toUpperCase() !== "TASK") return !isFinishedJobStatus(status);
	return (
		cronExpression !== undefined || (parseInstant(String(startAfter)) ?? 0) > time.now()
	);
}

// ── Starting ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Starts the job; one that an interrupted deployment of this very resource left is adopted with consent only. */
async function start(call: Call, inputs: Props): Promise<Job> {
	const team = String(inputs.teamName);
	const query = await queryText(inputs);
	const declaration = declarationTag(call, inputs, query);
	const left = tagged(call, team, await call.lists.jobs(team, "recent"), declaration);
	const job = adopted(call, inputs, left);
	// Another provider process of the deployment may have been faster.
	if (job !== undefined && call.owners.take(call.urn, refOf(team, job.id))) return job;
	const started = await startOnce(call, inputs, query, declaration);
	takeCreated(
		call,
		refOf(team, started.id),
		`Job "${shownName(started)}" (id ${started.id})`,
	);
	return started;
}

/**
 * With consent the newest one that still runs, or that was started within the hour; without it one that runs is refused,
 * because there would be two.
 */
function adopted(call: Call, inputs: Props, left: readonly Job[]): Job | undefined {
	const running = left.filter((job) => goesOn(call, job, inputs)).at(-1);
	const recent = left
		.filter(
			(job) =>
				!hasFailed(job) && call.serviceNow() - (createdAt(job) ?? 0) < RECENT_MILLIS,
		)
		.at(-1);
	const candidate = running ?? recent;
	if (call.adoptEqual && candidate !== undefined) {
		const why = `it has the same declaration, and ${ADOPT_EQUAL} is set`;
		call.notice(
			`Job "${shownName(candidate)}" (id ${candidate.id}, ${candidate.status}) is adopted: ${why}.`,
		);
		return candidate;
	}
	if (running !== undefined) throw runsAlready(running);
	// It may be what an interrupted deployment left, or what a destroy removed from the state: only the user knows.
	if (recent !== undefined)
		call.notice(
			`Job "${shownName(recent)}" (id ${recent.id}, ${recent.status}) has the same declaration and is not in the state; ` +
				`another one is started. ${ifLeftBehind}`,
		);
	return undefined;
}

/** A failed or cancelled job is never adopted as a success. */
const hasFailed = ({ status }: Job): boolean =>
	/^(FAILED|CANCEL)/.test(status.toUpperCase());

/** A tag of its own tells this request from an earlier one of the same declaration. */
async function startOnce(
	call: Call,
	inputs: Props,
	query: string,
	declaration: string,
): Promise<Job> {
	const clusterId = await clusterIdOf(call, inputs);
	const request = jobRequest({ ...inputs, clusterId }, query);
	const tag = `${declaration}-${randomBytes(6).toString("hex")}`;
	return startJob(call, { request, tag, advice: adoptIfCreated });
}

/** What a create request carries, of inputs that were checked. */
export const jobRequest = (inputs: Props, query: string): JobRequest => ({
	...toWire(JOB_FIELDS, WIRE_FIELDS, inputs),
	team_name: String(inputs.teamName),
	query,
	query_type:
		inputs.queryType === JobQueryType.Shell ? JobQueryType.Shell : JobQueryType.Python,
	variables: declaredVariables(inputs),
});

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

const runsAlready = ({ status, id, created_by }: Job): Error =>
	new Error(
		`The job of this resource is already ${status} (id ${id}, started by ${created_by ?? "an unknown user"}). No second job was ` +
			`started. ${ifLeftBehind} Otherwise cancel it with ` +
			`"pulumi-datachain cancel ${id}". To run it again, change triggers: --replace would start the new job before it cancels this one.`,
	);

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
			...rules(inputs),
		];
		timeoutNotice(call, inputs);
		resetNotice(call, inputs);
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
		const started = await start(call, inputs);
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
