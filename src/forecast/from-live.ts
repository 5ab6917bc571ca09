import { parseInstant } from "../schemas/instant";
import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Schedule } from "../schemas/wire/schedule";
import { groupBy } from "./group-by";
import { type ClusterFacts, type ForecastSchedule, type PipelineFacts, pipelineKey } from "./subject";

/** The schedules of a team, as the service shows each. */
export const schedulesOfTeam = (team: string, schedules: readonly Schedule[]): ForecastSchedule[] =>
	schedules.map((live) => ({
		team,
		name: live.schedule_name ?? "",
		pipeline: live.pipeline?.name ?? undefined,
		id: String(live.id),
		resource: undefined,
		cron: live.cron_expression || undefined,
		startAfter: live.start_after ? parseInstant(live.start_after) : undefined,
	}));

/** What a team's lists tell of the pipelines that these schedules run. */
export function pipelineFacts(
	team: string,
	schedules: readonly ForecastSchedule[],
	pipelines: readonly Pipeline[],
	jobs: readonly Job[],
): Map<string, PipelineFacts> {
	const clusterOfJob = new Map(jobs.map((job) => [job.id, job.compute_cluster_name ?? undefined]));
	// A schedule runs copies of its pipeline, which carry its name.
	const copies = pipelines.filter(({ schedule_name, is_template }) => schedule_name && is_template !== true);
	const runsOf = groupBy(copies, (run) => run.schedule_name);
	const names = new Set(schedules.flatMap(({ pipeline }) => pipeline ?? []));
	const facts = new Map<string, PipelineFacts>();
	for (const name of names) {
		const template = pipelines.find((pipeline) => pipeline.name === name);
		const runs = schedules
			.filter(({ pipeline }) => pipeline === name)
			.flatMap((schedule) => runsOf.get(schedule.name) ?? [])
			.sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? ""));
		const all = template === undefined ? runs : [...runs, template];
		const jobIds = all
			.flatMap((run) => run.job_runs ?? [])
			.flatMap((job) => [job.created_job_id, job.job_id]);
		facts.set(pipelineKey(team, name), {
			paused: isPausedPipeline(template),
			workers: template?.workers ?? 1,
			lengths: all.flatMap((run) => lengthOf(run) ?? []),
			cluster: jobIds.map((id) => clusterOfJob.get(id ?? "")).find((cluster) => cluster !== undefined),
		});
	}
	return facts;
}

/** Only of a run that ended well: a failed one may have stopped at once. */
function lengthOf({ status, created_at, updated_at }: Pipeline): number | undefined {
	const [from, to] = [created_at, updated_at].map((at) => (at ? parseInstant(at) : undefined));
	if (status?.toUpperCase() !== "COMPLETED" || from === undefined || to === undefined) return undefined;
	return to > from ? to - from : undefined;
}

export const clusterFacts = (clusters: readonly Cluster[]): ClusterFacts[] =>
	clusters.map((cluster) => ({
		name: cluster.name,
		isDefault: cluster.default === true,
		maxWorkers: cluster.max_workers ?? undefined,
	}));
