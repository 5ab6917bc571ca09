import { randomBytes } from "node:crypto";
import { createdAt } from "../../../operations/create-once";
import { shownName } from "../../../operations/jobs";
import { type JobRequest, jobsWithTag, startJob } from "../../../operations/start-job";
import { JobQueryType } from "../../../schemas/enums";
import { isFinishedJobStatus } from "../../../schemas/job";
import type { Job } from "../../../schemas/wire/job";
import { compactJson } from "../../../storage/rules";
import { parseInstant } from "../../../text/instant";
import { ADOPT_EQUAL, adoptIfCreated, ifLeftBehind } from "../../model/messages";
import type { Props } from "../../model/props";
import { toWire } from "../../model/table";
import type { Call } from "../../run/context";
import { takeCreated } from "../../run/lifecycle";
import { RECENT_MILLIS } from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import { sha256 } from "../job-file/job-file";
import { declaredVariables } from "../settings/variables";
import { clusterIdOf } from "./cluster";
import { JOB_FIELDS, WIRE_FIELDS } from "./fields";
import { queryText } from "./query";

const refOf = (team: string, id: string): ObjectRef => ({ kind: "Job", team, id });

/** Of each hash in a tag: enough that no two declarations of a team share one. */
const HASH_DIGITS = 16;

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
	return `${whose.slice(0, HASH_DIGITS)}-${hash.slice(0, HASH_DIGITS)}`;
}

/** The jobs with the tag that no resource of this deployment has, oldest first. */
const freeJobsWithTag = (
	call: Call,
	team: string,
	jobs: readonly Job[],
	tag: string,
): Job[] =>
	jobsWithTag(jobs, tag)
		.filter(({ id }) => call.owners.isForeign(refOf(team, id)))
		.reverse();

/** A task starts jobs, for ever or when its time comes, though it counts as finished itself. */
export function goesOn(
	{ time }: Call,
	{ status }: Job,
	{ cronExpression, startAfter }: Props,
): boolean {
	if (status.toUpperCase() !== "TASK") return !isFinishedJobStatus(status);
	return (
		cronExpression !== undefined || (parseInstant(String(startAfter)) ?? 0) > time.now()
	);
}

/** Starts the job; one that an interrupted deployment of this very resource left is adopted with consent only. */
export async function startOrAdopt(call: Call, inputs: Props): Promise<Job> {
	const team = String(inputs.teamName);
	const query = await queryText(inputs);
	const declaration = declarationTag(call, inputs, query);
	const left = freeJobsWithTag(
		call,
		team,
		await call.lists.jobs(team, "recent"),
		declaration,
	);
	const job = jobToAdopt(call, inputs, left);
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
function jobToAdopt(call: Call, inputs: Props, left: readonly Job[]): Job | undefined {
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

const runsAlready = ({ status, id, created_by }: Job): Error =>
	new Error(
		`The job of this resource is already ${status} (id ${id}, started by ${created_by ?? "an unknown user"}). No second job was ` +
			`started. ${ifLeftBehind} Otherwise cancel it with ` +
			`"pulumi-datachain cancel ${id}". To run it again, change triggers: --replace would start the new job before it cancels this one.`,
	);
