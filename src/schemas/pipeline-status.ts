interface WithStatus {
	readonly status?: string | null | undefined;
}

const ENDED = ["COMPLETED", "FAILED", "CANCELED"];

const statusOf = (pipeline: WithStatus | null | undefined): string => pipeline?.status?.toUpperCase() ?? "";

/** Whether the pipeline is paused, with all its schedules. */
export const isPausedPipeline = (pipeline: WithStatus | null | undefined): boolean =>
	statusOf(pipeline) === "PAUSED";

export const hasEnded = (pipeline: WithStatus): boolean => ENDED.includes(statusOf(pipeline));
