import { createHash } from "node:crypto";
import { formatInstant } from "../schemas/instant";
import type { Cluster } from "../schemas/wire/cluster";
import { nextRun } from "./inputs";
import {
	type DatasetRecord,
	instant,
	type JobRecord,
	newCluster,
	newJob,
	newPipeline,
	newSchedule,
	newUser,
	type PipelineRecord,
	type State,
	type TeamState,
} from "./state";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RAW = "dev.images.raw";
const CLEAN = "dev.images.clean";
const FINAL = "dev.images.final_result";
const THUMBNAILS = "dev.images.thumbnails";

/** Its last run is `lastNight`'s. */
const NIGHTLY = "30 2 * * *";
const lastNight = (now: number): number => Math.floor((now - 150 * MINUTE) / DAY) * DAY + 150 * MINUTE;

/** Fills a team with a small believable history. Ids are the same in every run; times count back from now. */
export function seedTeam(state: State, team: TeamState, now: number): void {
	team.clusters = clusters();
	team.datasets = datasets();
	const nightly = pastPipeline(team, "nightly-images", [RAW, CLEAN, FINAL], `${FINAL}@1.0.2`, now - 9 * DAY);
	const settings = {
		python_version: "3.12",
		requirements: "pillow\ntorch",
		workers: 2,
		priority: 3,
		environment_variables: { LOG_LEVEL: "info" },
	};
	Object.assign(nightly, settings);
	pastPipeline(team, "rusty-vise", [RAW, THUMBNAILS], `${THUMBNAILS}@1.0.0`, now - 4 * DAY);
	const reviewed = pastPipeline(team, "quiet-harbor", [RAW, CLEAN], `${CLEAN}@1.0.3`, now - DAY, {
		hasEnded: false,
	});
	reviewed.paused = true;
	const run = pastPipeline(team, "swift-ridge", [RAW, CLEAN, FINAL], `${FINAL}@1.0.2`, lastNight(now), {
		end: now,
	});
	const createdAt = now - 8 * DAY;
	const schedule = newSchedule({
		id: state.nextScheduleId++,
		schedule_name: "nightly-images-by-hand",
		created_at: formatInstant(createdAt),
		created_by: newUser("ops-oncall"),
		cron_expression: NIGHTLY,
		next_run: instant(nextRun(NIGHTLY, createdAt, now)),
		pipeline_id: nightly.pipeline_id,
		latest_run_id: run.pipeline_id,
	});
	team.schedules.push(schedule);
	const firedBy = { schedule_id: schedule.id, schedule_name: schedule.schedule_name };
	Object.assign(run, structuredClone(settings), firedBy);
	team.jobs.push(runningJob(now));
}

function clusters(): Cluster[] {
	const aws = { cloud_credentials: "vision-aws", cloud_region: "us-east-1" };
	return [
		newCluster({
			...aws,
			id: 1,
			name: "default",
			instance_type: "m6i.xlarge",
			disk_size: "100Gi",
			max_workers: 8,
			active_workers: 2,
			busy_workers: 1,
			default: true,
		}),
		newCluster({
			...aws,
			id: 2,
			name: "gpu",
			instance_type: "g5.2xlarge",
			disk_size: "200Gi",
			max_workers: 4,
		}),
		// Newer deployments have text ids.
		newCluster({
			id: "k3f9x2mq7a",
			name: "legacy-gcp",
			status: "INACTIVE",
			cloud_provider: "GCP",
			cloud_region: "europe-west4",
			max_workers: 2,
		}),
	];
}

function datasets(): DatasetRecord[] {
	const dataset = (fullName: string, madeFrom: string[], query: string, versions: number): DatasetRecord => ({
		fullName,
		madeFrom,
		query,
		versions: Array.from({ length: versions }, (_, patch) => ({
			version: `1.0.${patch}`,
			jobId: repeatableUuid(`${fullName}@1.0.${patch}`),
		})),
	});
	return [
		dataset(RAW, [], RAW_QUERY, 3),
		dataset(CLEAN, [RAW], CLEAN_QUERY, 4),
		dataset(FINAL, [CLEAN], FINAL_QUERY, 3),
		dataset(THUMBNAILS, [RAW], THUMBNAILS_QUERY, 1),
		dataset("@data-eng.default.scratch", [CLEAN], SCRATCH_QUERY, 10),
	];
}

const ON_DEFAULT = { compute_cluster_id: 1, compute_cluster_name: "default" };

/** A pipeline that ended as its queries say, before `end`; or one that has not begun. */
function pastPipeline(
	team: TeamState,
	name: string,
	names: readonly string[],
	triggeredFrom: string,
	createdAt: number,
	{ hasEnded = true, end = Number.POSITIVE_INFINITY } = {},
): PipelineRecord {
	const step = Math.min(10 * MINUTE, (end - createdAt) / names.length);
	const record = newPipeline({
		pipeline_id: repeatableUuid(`pipeline ${name}`),
		name,
		triggered_from: triggeredFrom,
		created_at: formatInstant(createdAt),
		created_by: "data-eng",
		updated_at: formatInstant(createdAt + names.length * step),
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
			created_at: formatInstant(createdAt + at * step),
			created_by: "data-eng",
			status: "PENDING",
			...ON_DEFAULT,
			run_group_id: id,
			pipeline_id: record.pipeline_id,
			dataset: fullName,
		});
		if (hasEnded) finish(job, step);
		team.jobs.push(job);
		record.job_runs.push({
			job_id: lastJob(fullName),
			parent_job_ids: (dataset?.madeFrom ?? []).map(lastJob),
			name: fullName,
			created_job_id: id,
		});
		if (job.status === "FAILED") record.error_message = `Job "${fullName}" failed: ${job.error_message}`;
	});
	team.pipelines.push(record);
	return record;
}

function finish(job: JobRecord, step: number): void {
	const failed = job.query.includes("SystemExit");
	Object.assign(job, {
		status: failed ? "FAILED" : "COMPLETE",
		started_at: formatInstant(Date.parse(job.created_at) + 0.1 * step),
		finished_at: formatInstant(Date.parse(job.created_at) + 0.9 * step),
		exit_code: failed ? 1 : 0,
		error_message: failed ? "The query ended with exit code 1" : null,
		error_stack: failed ? "SystemExit: 1" : null,
		logs: [
			"Preparing a Python 3.12 environment\n",
			`Running ${job.name}\n`,
			failed ? "SystemExit: 1\n" : "Finished\n",
		],
	});
}

/** One job that is under way, until someone cancels it. */
function runningJob(now: number): JobRecord {
	const id = repeatableUuid("job backfill");
	const startedAt = formatInstant(now - 19 * MINUTE);
	return newJob({
		id,
		name: "backfill.py",
		query: BACKFILL_QUERY,
		created_at: formatInstant(now - 20 * MINUTE),
		created_by: "data-eng",
		status: "RUNNING",
		started_at: startedAt,
		...ON_DEFAULT,
		run_group_id: id,
		progress: 3,
		logs: ["Preparing a Python 3.12 environment\n", "Running backfill.py\n", "backfill of 2024 started\n"],
		steps: [{ name: "running", label: "Running", started_at: startedAt, finished_at: null }],
	});
}

/** Plausible queries for the seeded datasets. Nothing runs them; `jobs.ts` reads them. */
const RAW_QUERY = `import datachain as dc

chain = dc.read_storage("s3://vision-images/incoming/", type="image")
print("listed 4812 images")
chain.save("dev.images.raw")
`;

const CLEAN_QUERY = `import datachain as dc
from datachain import C

chain = (
    dc.read_dataset("dev.images.raw")
    .filter(C("file.size") > 1024)
    .distinct("file.etag")
)
print("kept 4655 of 4812 images")
chain.save("dev.images.clean")
`;

const FINAL_QUERY = `import datachain as dc

from vision.models import caption

chain = dc.read_dataset("dev.images.clean").settings(parallel=4).map(caption=caption)
print("captioned 4655 images")
chain.save("dev.images.final_result")
`;

/** Fails on purpose, so that there is a failed pipeline to look at. */
const THUMBNAILS_QUERY = `import datachain as dc

chain = dc.read_dataset("dev.images.raw")
print("no module named PIL")
raise SystemExit(1)
`;

const SCRATCH_QUERY = `import datachain as dc

chain = dc.read_dataset("dev.images.clean").sample(100)
chain.save("scratch")
`;

/** Runs until someone cancels it. */
const BACKFILL_QUERY = `# local-server: hold
import datachain as dc

print("backfill of 2024 started")
for month in range(1, 13):
    dc.read_storage(f"s3://vision-images/2024/{month:02}/").save("backfill")
`;

/** A UUID that depends on nothing but its seed. */
function repeatableUuid(seed: string): string {
	const hex = createHash("sha256").update(seed).digest("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
