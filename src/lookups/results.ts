import type * as pulumi from "@pulumi/pulumi";
import { redactor } from "../client/redaction";
import { clusterSchema } from "../schemas/cluster";
import { JOB_STATUS_GROUPS, JOB_STATUSES, jobSchema } from "../schemas/job";
import { pipelineSchema } from "../schemas/pipeline";
import { PIPELINE_STATUSES } from "../schemas/pipeline-status";
import { scheduleItemSchema } from "../schemas/schedule";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ComputeCluster, ScheduleListItem } from "../schemas/wire/results";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { camelKeys } from "../text/camel";
import { withoutUrlCredentials } from "../text/credentials";
import { showInstant } from "../text/instant";
import { didYouMean } from "../text/suggest";
import { lookupHost } from "./place";
import type { JobResult, PipelineResult, ScheduleResult } from "./result-types";

/**
 * The service's objects as programs see them: an id that the service gives as a number or as a text is a text, because most
 * languages have one type for each field. Nothing in a result is secret but an environment that was asked for.
 */

export const clusterResult = (cluster: Cluster): ComputeCluster => ({
	...camelKeys(clusterSchema, cluster),
	id: String(cluster.id),
});

export function jobResult(job: Job, withEnvironment = false): JobResult {
	const { environment, computeClusterId: cluster, ...rest } = camelKeys(jobSchema, job);
	const variables = setVariables(environment);
	return {
		...fieldsForProgram(rest, variables),
		...(cluster !== undefined && { computeClusterId: String(cluster) }),
		environmentNames: Object.keys(variables),
		...(withEnvironment && { environment: secret(variables) }),
	};
}

export function pipelineResult(
	pipeline: Pipeline,
	withEnvironment = false,
): PipelineResult {
	const { environmentVariables, ...rest } = camelKeys(pipelineSchema, pipeline);
	const variables = setVariables(environmentVariables);
	return {
		...fieldsForProgram(rest, variables),
		environmentNames: Object.keys(variables),
		...(withEnvironment && { environmentVariables: secret(variables) }),
	};
}

export const scheduleListItem = (item: ScheduleItem): ScheduleListItem =>
	fieldsForProgram(camelKeys(scheduleItemSchema, item));

export function scheduleResult(
	schedule: Schedule,
	withEnvironment = false,
): ScheduleResult {
	const { pipeline, latest_run } = schedule;
	return {
		...scheduleListItem(schedule),
		...(pipeline && { pipeline: pipelineResult(pipeline, withEnvironment) }),
		...(latest_run && { latestRun: pipelineResult(latest_run, withEnvironment) }),
	};
}

type Variables = Record<string, string>;

/** The variables that have a value. */
const setVariables = (
	variables: Readonly<Record<string, string | null>> | null | undefined,
): Variables =>
	Object.fromEntries(
		Object.entries(variables ?? {}).flatMap(([name, value]) =>
			value === null ? [] : [[name, value]],
		),
	);

const secret = (variables: Variables): pulumi.Output<Variables> =>
	lookupHost().secret(variables);

const INSTANT = /(?:At|startAfter|nextRun)$/;
const FAILURE = /^error(?:Message|Stack)$/;

/**
 * Times in the form of outputs; URLs without credentials, which a repository has and the message of a failed clone repeats;
 * and failures without the values of the variables, which a script may print with what went wrong. Only the object's own
 * fields are known as times: those of `params` and `metrics` are the user's.
 */
function fieldsForProgram<T extends object>(object: T, variables: Variables = {}): T {
	const fields = Object.entries(object).map(([name, value]) => {
		if (typeof value !== "string") return [name, withoutCredentials(value)];
		if (INSTANT.test(name)) return [name, showInstant(value)];
		return [
			name,
			withoutCredentials(FAILURE.test(name) ? redactor(variables)(value) : value),
		];
	});
	return Object.fromEntries(fields) as T;
}

function withoutCredentials(value: unknown): unknown {
	if (typeof value === "string")
		return withoutUrlCredentials(value).replaceAll("://***@", "://");
	if (Array.isArray(value)) return value.map(withoutCredentials);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => [name, withoutCredentials(item)]),
	);
}

const STATUSES = {
	getPipelines: PIPELINE_STATUSES,
	getJobs: [...JOB_STATUSES, ...JOB_STATUS_GROUPS],
} as const;

/** The service may have other statuses than those that are known, and to a misspelled one it answers that there is nothing. */
export function warnOfStatuses(
	lookup: keyof typeof STATUSES,
	asked: readonly string[],
): void {
	const statuses = STATUSES[lookup];
	const others = asked.filter((status) => !statuses.includes(status));
	if (others.length === 0) return;
	const named = others.map((status) => JSON.stringify(status)).join(", ");
	const meant = others.map((status) => didYouMean(status, statuses)).join("");
	lookupHost().warn(
		`${lookup} found nothing, and ${named} is no status that is known.${meant} The known ones are ${statuses.join(", ")}.`,
	);
}
