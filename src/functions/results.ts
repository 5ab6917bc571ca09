import type * as pulumi from "@pulumi/pulumi";
import { camelKeys } from "../schemas/camel";
import { clusterSchema } from "../schemas/cluster";
import { jobSchema } from "../schemas/job";
import { pipelineSchema } from "../schemas/pipeline";
import { scheduleItemSchema } from "../schemas/schedule";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import type { ComputeCluster } from "./get-compute-clusters";
import type { JobResult } from "./get-jobs";
import type { PipelineResult } from "./get-pipelines";
import type { ScheduleResult } from "./get-schedule";
import type { ScheduleListItem } from "./get-schedules";
import { place } from "./place";

/** The service's objects as programs see them. */

export const clusterResult = (cluster: Cluster): ComputeCluster => camelKeys(clusterSchema, cluster);

export function jobResult({ environment, ...job }: Job): JobResult {
	return { ...camelKeys(jobSchema, job), environment: secretVariables(environment) };
}

export function pipelineResult({ environment_variables: variables, ...rest }: Pipeline): PipelineResult {
	return { ...camelKeys(pipelineSchema, rest), environmentVariables: secretVariables(variables) };
}

export const scheduleListItem = (item: ScheduleItem): ScheduleListItem => camelKeys(scheduleItemSchema, item);

export function scheduleResult(schedule: Schedule): ScheduleResult {
	return {
		...scheduleListItem(schedule),
		...(schedule.pipeline && { pipeline: pipelineResult(schedule.pipeline) }),
		...(schedule.latest_run && { latestRun: pipelineResult(schedule.latest_run) }),
	};
}

/** Variables as a secret, because the service does not tell which values are. One without a value is left out. */
function secretVariables(
	variables: Readonly<Record<string, string | null>> | null | undefined,
): pulumi.Output<Record<string, string>> {
	const set = Object.entries(variables ?? {}).flatMap(([name, value]) =>
		value === null ? [] : [[name, value]],
	);
	return place().secret<Record<string, string>>(Object.fromEntries(set));
}
