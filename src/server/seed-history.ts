import { newJob, newPipeline } from "./domain/records";
import { repeatableUuid } from "./repeatable";
import { BACKFILL_QUERY } from "./seed-queries";
import type { JobRecord, PipelineRecord, TeamState } from "./state";

const MINUTE = 60_000;

/** A pipeline that ended as its queries say, or one that has not begun. */
export function pastPipeline(
	team: TeamState,
	name: string,
	names: readonly string[],
	triggeredFrom: string,
	createdAt: number,
	hasEnded = true,
): PipelineRecord {
	const record = newPipeline({
		id: repeatableUuid(`pipeline ${name}`),
		name,
		triggeredFrom,
		createdAt,
		createdBy: "data-eng",
		updatedAt: createdAt + names.length * 10 * MINUTE,
	});
	const datasetOf = (fullName: string) => team.datasets.find((one) => one.fullName === fullName);
	const lastJob = (of: string): string => datasetOf(of)?.versions.at(-1)?.jobId ?? "";
	names.forEach((fullName, at) => {
		const dataset = datasetOf(fullName);
		const id = repeatableUuid(`job ${name} ${fullName}`);
		const job = newJob({
			id,
			name: fullName,
			query: dataset?.query ?? "",
			createdAt: createdAt + at * 10 * MINUTE,
			createdBy: "data-eng",
			status: "PENDING",
			clusterId: 1,
			runGroupId: id,
			pipelineId: record.id,
			dataset: fullName,
		});
		if (hasEnded) finish(job);
		team.jobs.push(job);
		record.runs.push({
			jobId: lastJob(fullName),
			parentJobIds: (dataset?.madeFrom ?? []).map(lastJob),
			name: fullName,
			createdJobId: id,
		});
		if (job.status === "FAILED") record.errorMessage = `Job "${fullName}" failed: ${job.errorMessage}`;
	});
	team.pipelines.push(record);
	return record;
}

function finish(job: JobRecord): void {
	const failed = job.query.includes("SystemExit");
	Object.assign(job, {
		status: failed ? "FAILED" : "COMPLETE",
		startedAt: job.createdAt + MINUTE,
		finishedAt: job.createdAt + 9 * MINUTE,
		exitCode: failed ? 1 : 0,
		errorMessage: failed ? "The query ended with exit code 1" : null,
		errorStack: failed ? "SystemExit: 1" : null,
		logs: [
			"Preparing a Python 3.12 environment\n",
			`Running ${job.name}\n`,
			failed ? "SystemExit: 1\n" : "Finished\n",
		],
	});
}

/** One job that is under way, until someone cancels it. */
export function runningJob(now: number): JobRecord {
	const id = repeatableUuid("job backfill");
	return newJob({
		id,
		name: "backfill.py",
		query: BACKFILL_QUERY,
		createdAt: now - 20 * MINUTE,
		createdBy: "data-eng",
		status: "RUNNING",
		startedAt: now - 19 * MINUTE,
		clusterId: 1,
		runGroupId: id,
		progress: 3,
		logs: ["Preparing a Python 3.12 environment\n", "Running backfill.py\n", "backfill of 2024 started\n"],
		steps: [{ name: "running", label: "Running", startedAt: now - 19 * MINUTE, finishedAt: null }],
	});
}
