import { nextRun } from "./domain/inputs";
import { newCluster, newSettings } from "./domain/records";
import { repeatableUuid } from "./repeatable";
import { pastPipeline, runningJob } from "./seed-history";
import { CLEAN_QUERY, FINAL_QUERY, RAW_QUERY, SCRATCH_QUERY, THUMBNAILS_QUERY } from "./seed-queries";
import type { ClusterRecord, DatasetRecord, ScheduleRecord, State, TeamState } from "./state";

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
	nightly.settings = newSettings({
		pythonVersion: "3.12",
		requirements: "pillow\ntorch",
		workers: 2,
		priority: 3,
		environment: { LOG_LEVEL: "info" },
	});
	pastPipeline(team, "rusty-vise", [RAW, THUMBNAILS], `${THUMBNAILS}@1.0.0`, now - 4 * DAY);
	const reviewed = pastPipeline(team, "quiet-harbor", [RAW, CLEAN], `${CLEAN}@1.0.3`, now - DAY, false);
	reviewed.paused = true;
	const run = pastPipeline(team, "swift-ridge", [RAW, CLEAN, FINAL], `${FINAL}@1.0.2`, now - DAY / 2);
	const createdAt = now - 8 * DAY;
	const schedule: ScheduleRecord = {
		id: state.nextScheduleId++,
		name: "nightly-images-by-hand",
		createdAt,
		createdBy: "ops-oncall",
		updatedAt: createdAt,
		startAfter: createdAt,
		cronExpression: "30 2 * * *",
		nextRun: nextRun("30 2 * * *", createdAt, now),
		pipelineId: nightly.id,
		latestRunId: run.id,
	};
	team.schedules.push(schedule);
	run.settings = structuredClone(nightly.settings);
	run.scheduleId = schedule.id;
	run.scheduleName = schedule.name;
	team.jobs.push(runningJob(now));
}

function clusters(): ClusterRecord[] {
	const aws = { cloudCredentials: "vision-aws", cloudRegion: "us-east-1" };
	return [
		newCluster({
			...aws,
			id: 1,
			name: "default",
			instanceType: "m6i.xlarge",
			diskSize: "100Gi",
			maxWorkers: 8,
			activeWorkers: 2,
			busyWorkers: 1,
			isDefault: true,
		}),
		newCluster({ ...aws, id: 2, name: "gpu", instanceType: "g5.2xlarge", diskSize: "200Gi", maxWorkers: 4 }),
		// Newer deployments have text ids.
		newCluster({
			id: "k3f9x2mq7a",
			name: "legacy-gcp",
			status: "INACTIVE",
			cloudProvider: "GCP",
			cloudRegion: "europe-west4",
			maxWorkers: 2,
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
