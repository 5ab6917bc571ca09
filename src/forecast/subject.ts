import { tryDescribeCron } from "../schemas/cron";

/** A schedule to be looked at, wherever it was read. */
export interface ForecastSchedule {
	readonly team: string;
	readonly name: string;
	/** Undefined where the service did not say. */
	readonly pipeline: string | undefined;
	/** The service's id; undefined for one that is not made yet. */
	readonly id: string | undefined;
	/** Name of its resource in the program. */
	readonly resource: string | undefined;
	/** What the service has or will have, in UTC. */
	readonly cron: string | undefined;
	/** Milliseconds since 1970. */
	readonly startAfter: number | undefined;
	/** The expression as the program says it, where that is not `cron`. */
	readonly declared?: string | undefined;
	readonly timeZone?: string | undefined;
	/** Paused by the program; otherwise the pipeline tells. */
	readonly paused?: boolean | undefined;
}

/** What is known of a pipeline that schedules run. */
export interface PipelineFacts {
	readonly paused: boolean;
	readonly workers: number;
	/** Milliseconds that its finished runs took, newest first. */
	readonly lengths: readonly number[];
	/** Where its newest job ran. */
	readonly cluster: string | undefined;
}

export interface ClusterFacts {
	readonly name: string;
	readonly isDefault: boolean;
	readonly maxWorkers: number | undefined;
}

export const pipelineKey = (team: string, pipeline: string): string => `${team}\0${pipeline}`;

/** When a schedule runs, as reports say it. */
export const timeWords = ({ cron, declared, timeZone }: ForecastSchedule) => ({
	cron: cron ?? null,
	declared: declared ?? null,
	timeZone: timeZone ?? null,
	meaning: cron === undefined ? null : (tryDescribeCron(cron) ?? null),
});
