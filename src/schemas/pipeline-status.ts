interface WithStatus {
	readonly status?: string | null | undefined;
}

/** The statuses that are known; the service may have others. A finished one is COMPLETED here, COMPLETE on a job. */
export const PIPELINE_STATUSES: readonly string[] = [
	"PENDING",
	"RUNNING",
	"COMPLETED",
	"FAILED",
	"PAUSED",
	"CANCELED",
];

const ENDED = ["COMPLETED", "FAILED", "CANCELED"];

const statusOf = (pipeline: WithStatus | null | undefined): string => pipeline?.status?.toUpperCase() ?? "";

/** Whether the pipeline is paused, with all its schedules. */
export const isPausedPipeline = (pipeline: WithStatus | null | undefined): boolean =>
	statusOf(pipeline) === "PAUSED";

export const hasEnded = (pipeline: WithStatus): boolean => ENDED.includes(statusOf(pipeline));
