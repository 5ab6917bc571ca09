import type * as pulumi from "@pulumi/pulumi";
import type {
	JobShown,
	PipelineShown,
	ScheduleListItem,
} from "../schemas/wire/results";

/** A job. */
export interface JobResult extends JobShown {
	/** Names of its environment variables. */
	environmentNames: string[];
	/** With `withEnvironment`: all variables as one secret, because the service does not report which values are secret. */
	environment?: pulumi.Output<Record<string, string>>;
}

/** A pipeline. */
export interface PipelineResult extends PipelineShown {
	/** Names of its environment variables. */
	environmentNames: string[];
	/** With `withEnvironment`: all variables as one secret, because the service does not report which values are secret. */
	environmentVariables?: pulumi.Output<Record<string, string>>;
}

/** A schedule with its pipeline and its latest run. */
export interface ScheduleResult extends ScheduleListItem {
	/** The pipeline that the schedule runs. */
	pipeline?: PipelineResult;
	/** The newest run that the schedule started. */
	latestRun?: PipelineResult;
}
