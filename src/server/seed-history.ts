import { newJob } from "./domain/jobs";
import { NO_SETTINGS } from "./domain/pipeline-build";
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
	status?: "PENDING",
): PipelineRecord {
	const record: PipelineRecord = {
		id: repeatableUuid(`pipeline ${name}`),
		name,
		paused: false,
		runs: [],
		triggeredFrom,
		createdAt,
		createdBy: "data-eng",
		updatedAt: createdAt + names.length * 10 * MINUTE,
		errorMessage: null,
		scheduleId: null,
		scheduleName: null,
		settings: structuredClone(NO_SETTINGS),
	};
	names.forEach((fullName, at) => {
		const dataset = team.datasets.find((one) => one.fullName === fullName);
		const lastJob = (of: string): string =>
			team.datasets.find((one) => one.fullName === of)?.versions.at(-1)?.jobId ?? "";
		const job = finishedJob(
			repeatableUuid(`job ${name} ${fullName}`),
			fullName,
			dataset?.query ?? "",
			createdAt + at * 10 * MINUTE,
		);
		if (status !== undefined)
			Object.assign(job, {
				status,
				exitCode: null,
				startedAt: null,
				finishedAt: null,
				errorMessage: null,
				errorStack: null,
				logs: [],
			});
		Object.assign(job, { pipelineId: record.id, dataset: fullName });
		team.jobs.push(job);
		record.runs.push({
			jobId: lastJob(fullName),
			parentJobIds: (dataset?.madeFrom ?? []).map(lastJob),
			name: fullName,
			createdJobId: job.id,
		});
		if (job.status === "FAILED") record.errorMessage = `Job "${fullName}" failed: ${job.errorMessage}`;
	});
	team.pipelines.push(record);
	return record;
}

function finishedJob(id: string, name: string, query: string, createdAt: number): JobRecord {
	const failed = query.includes("SystemExit");
	return newJob({
		id,
		name,
		query,
		createdAt,
		createdBy: "data-eng",
		status: failed ? "FAILED" : "COMPLETE",
		startedAt: createdAt + MINUTE,
		finishedAt: createdAt + 9 * MINUTE,
		exitCode: failed ? 1 : 0,
		errorMessage: failed ? "The query ended with exit code 1" : null,
		errorStack: failed ? "SystemExit: 1" : null,
		clusterId: 1,
		runGroupId: id,
		logs: [
			"Preparing a Python 3.12 environment\n",
			`Running ${name}\n`,
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
