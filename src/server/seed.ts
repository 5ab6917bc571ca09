import { randomUUID } from "node:crypto";
import type { Cluster } from "../schemas/wire/cluster";
import { manualClock } from "./clock";
import { createJob } from "./jobs";
import { pipelineJobEnded } from "./pipeline-progress";
import { triggerPipeline } from "./pipelines";
import { createSchedule } from "./schedules";
import {
	type DatasetRecord,
	newCluster,
	type PipelineRecord,
	type State,
	type TeamState,
} from "./state";
import { type Call, World } from "./world";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RAW = "dev.images.raw";
const CLEAN = "dev.images.clean";
const FINAL = "dev.images.final_result";
const THUMBNAILS = "dev.images.thumbnails";

/** Its last run is `lastNight`'s. */
const NIGHTLY = "30 2 * * *";
const lastNight = (now: number): number =>
	Math.floor((now - 150 * MINUTE) / DAY) * DAY + 150 * MINUTE;

/** Gives a team a small believable history: what people did in the last nine days happens, on a clock of its own. */
export function seedTeam(state: State, team: TeamState, now: number): void {
	team.clusters = clusters();
	team.datasets = datasets();
	const clock = manualClock(new Date(now - 9 * DAY).toISOString());
	const goTo = (time: number) => clock.set(new Date(time).toISOString());
	// Short enough for the last run to have ended, also a minute after it began.
	const stepMillis = Math.min(MINUTE, (now - lastNight(now)) / 20);
	const past = new World(state, clock, stepMillis, true, () => {}, pipelineJobEnded);
	const call = <Input>(user: string, input: Input): Call<Input> => ({
		world: past,
		team,
		user,
		input,
	});
	const trigger = (name: string, dataset: string, review = false): PipelineRecord =>
		Object.assign(triggerPipeline(call("data-eng", { datasets: [dataset], review })), {
			name,
		});

	Object.assign(trigger("nightly-images", FINAL), {
		python_version: "3.12",
		requirements: "pillow\ntorch",
		workers: 2,
		priority: 3,
		environment_variables: { LOG_LEVEL: "info" },
	});
	goTo(now - 4 * DAY);
	trigger("rusty-vise", THUMBNAILS);
	goTo(now - 2 * DAY);
	trigger("quiet-harbor", CLEAN, true);
	goTo(lastNight(now) - 6 * HOUR);
	const nightly = { schedule_name: "nightly-images-by-hand", cron_expression: NIGHTLY };
	createSchedule(call("ops-oncall", { ...nightly, pipeline_name: "nightly-images" }));
	goTo(lastNight(now));
	Object.assign(team.pipelines.at(-1) ?? {}, { name: "swift-ridge" });
	goTo(Math.max(now - 20 * MINUTE, lastNight(now)));
	const backfill = {
		query: BACKFILL_QUERY,
		query_type: "PYTHON" as const,
		query_name: "backfill.py",
	};
	createJob(call("data-eng", backfill));
	goTo(now);
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
	const dataset = (
		fullName: string,
		madeFrom: string[],
		query: string,
		versions: number,
	): DatasetRecord => ({
		fullName,
		madeFrom,
		query,
		versions: Array.from({ length: versions }, (_, patch) => ({
			version: `1.0.${patch}`,
			jobId: randomUUID(),
		})),
	});
	return [
		dataset(RAW, [], RAW_QUERY, 1),
		dataset(CLEAN, [RAW], CLEAN_QUERY, 2),
		dataset(FINAL, [CLEAN], FINAL_QUERY, 1),
		dataset(THUMBNAILS, [RAW], THUMBNAILS_QUERY, 1),
		dataset("@data-eng.default.scratch", [CLEAN], SCRATCH_QUERY, 10),
	];
}

/** Plausible queries for the seeded datasets. Nothing runs them; `jobs.ts` reads them. */
const RAW_QUERY = `import datachain as dc

print("listed 4812 images")
dc.read_storage("s3://vision-images/incoming/", type="image").save("dev.images.raw")
`;

const CLEAN_QUERY = `import datachain as dc

print("kept 4655 of 4812 images")
dc.read_dataset("dev.images.raw").distinct("file.etag").save("dev.images.clean")
`;

const FINAL_QUERY = `import datachain as dc
from vision.models import caption

print("captioned 4655 images")
dc.read_dataset("dev.images.clean").map(caption=caption).save("dev.images.final_result")
`;

/** Fails on purpose, so that there is a failed pipeline to look at. */
const THUMBNAILS_QUERY = `print("no module named PIL")
raise SystemExit(1)
`;

const SCRATCH_QUERY = `import datachain as dc

dc.read_dataset("dev.images.clean").sample(100).save("scratch")
`;

/** Runs until someone cancels it. */
const BACKFILL_QUERY = `# local-server: hold
import datachain as dc

print("backfill of 2024 started")
dc.read_storage("s3://vision-images/2024/").save("backfill")
`;
