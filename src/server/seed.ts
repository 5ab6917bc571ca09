import { nextRuns } from "../schemas/cron";
import { NO_SETTINGS } from "./domain/pipeline-build";
import { repeatableUuid } from "./repeatable";
import { pastPipeline, runningJob } from "./seed-history";
import { CLEAN_QUERY, FINAL_QUERY, RAW_QUERY, SCRATCH_QUERY, THUMBNAILS_QUERY } from "./seed-queries";
import type { ClusterRecord, DatasetRecord, State, TeamState } from "./state";

const DAY = 24 * 60 * 60_000;
const RAW = "dev.images.raw";
const CLEAN = "dev.images.clean";
const FINAL = "dev.images.final_result";
const THUMBNAILS = "dev.images.thumbnails";

/** Fills a team with a small believable history. Ids are the same in every run; times count back from now. */
export function seedTeam(state: State, team: TeamState, now: number): void {
	team.clusters = clusters();
	team.datasets = datasets();
	const nightly = pastPipeline(team, "nightly-images", [RAW, CLEAN, FINAL], `${FINAL}@1.0.2`, now - 9 * DAY);
	nightly.settings = {
		...structuredClone(NO_SETTINGS),
		pythonVersion: "3.12",
		requirements: "pillow\ntorch",
		workers: 2,
		priority: 3,
		environment: { LOG_LEVEL: "info" },
	};
	pastPipeline(team, "rusty-vise", [RAW, THUMBNAILS], `${THUMBNAILS}@1.0.0`, now - 4 * DAY);
	const reviewed = pastPipeline(team, "quiet-harbor", [RAW, CLEAN], `${CLEAN}@1.0.3`, now - DAY, "PENDING");
	reviewed.paused = true;
	const run = pastPipeline(team, "swift-ridge", [RAW, CLEAN, FINAL], `${FINAL}@1.0.2`, now - DAY / 2);
	const cron = "30 2 * * *";
	team.schedules.push({
		id: state.nextScheduleId++,
		name: "nightly-images-by-hand",
		createdAt: now - 8 * DAY,
		createdBy: "ops-oncall",
		updatedAt: now - 8 * DAY,
		startAfter: now - 8 * DAY,
		cronExpression: cron,
		nextRun: nextRuns(cron, new Date(now), 1)[0]?.getTime() ?? null,
		pipelineId: nightly.id,
		latestRunId: run.id,
	});
	run.settings = structuredClone(nightly.settings);
	run.scheduleId = team.schedules.at(-1)?.id ?? null;
	run.scheduleName = "nightly-images-by-hand";
	team.jobs.push(runningJob(now));
}

function clusters(): ClusterRecord[] {
	const common = {
		cloudProvider: "AWS",
		cloudCredentials: "vision-aws",
		cloudRegion: "us-east-1",
		computeClass: null,
		busyWorkers: 0,
	};
	return [
		{
			...common,
			id: 1,
			name: "default",
			status: "ACTIVE",
			instanceType: "m6i.xlarge",
			diskSize: "100Gi",
			maxWorkers: 8,
			activeWorkers: 2,
			busyWorkers: 1,
			isDefault: true,
		},
		{
			...common,
			id: 2,
			name: "gpu",
			status: "ACTIVE",
			instanceType: "g5.2xlarge",
			diskSize: "200Gi",
			maxWorkers: 4,
			activeWorkers: 0,
			isDefault: false,
		},
		// Newer deployments have text ids.
		{
			...common,
			id: "k3f9x2mq7a",
			name: "legacy-gcp",
			status: "INACTIVE",
			cloudProvider: "GCP",
			cloudCredentials: null,
			cloudRegion: "europe-west4",
			instanceType: null,
			diskSize: null,
			maxWorkers: 2,
			activeWorkers: 0,
			isDefault: false,
		},
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
