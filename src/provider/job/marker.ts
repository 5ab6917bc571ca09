import { randomBytes } from "node:crypto";
import { isFinishedJobStatus } from "../../schemas/job";
import { compactJson } from "../../schemas/storage";
import type { Job } from "../../schemas/wire/job";
import type { Call } from "../context";
import type { Props } from "../handler";
import { sha256 } from "../job-file/content-hash";
import type { ObjectRef } from "../ownership";

/** A variable in the job's environment by which a job is found again whose id never arrived. */
export const MARKER = "PULUMI_DATACHAIN_JOB";

const SHORT = 16;

export const jobRef = (team: string, id: string): ObjectRef => ({ kind: "Job", team, id });

/** A task with a cron makes new jobs for ever, though it counts as ended itself. */
export const goesOn = ({ status }: Job, { cronExpression }: Props): boolean =>
	!isFinishedJobStatus(status) || (status.toUpperCase() === "TASK" && cronExpression !== undefined);

/** Which resource asks for which job: the same in every run, until an input changes. */
export function declarationMark(
	{ urn, program }: Pick<Call, "urn" | "program">,
	inputs: Props,
	query: string,
): string {
	// How it is waited for, and where the query comes from, make no other job.
	const { wait: _1, timeout: _2, query: _3, file: _4, contentHash: _5, ...what } = inputs;
	const hash = sha256(compactJson({ ...what, query: sha256(query) }));
	// The same program in another stack declares jobs of its own.
	const whose = sha256(compactJson([program?.project, program?.stack, urn]));
	return `${whose.slice(0, SHORT)}-${hash.slice(0, SHORT)}`;
}

/** The mark of one request. */
export const requestMark = (declaration: string): string =>
	`${declaration}-${randomBytes(6).toString("hex")}`;

/** Jobs of the mark among these, oldest first. The runs of a task have its environment, and name it as their parent. */
export function markedAmong(call: Call, team: string, jobs: readonly Job[], mark: string): Job[] {
	return jobs
		.filter(({ environment, parent_job_id }) => {
			const found = environment?.[MARKER];
			return !parent_job_id && (found === mark || found?.startsWith(`${mark}-`) === true);
		})
		.filter(({ id }) => call.ownership.fate(jobRef(team, id)).is === "unknown")
		.reverse();
}
