/** Whether the pipeline is paused, with all its schedules. */
export const isPausedPipeline = (pipeline: { readonly status?: string | null } | null | undefined): boolean =>
	pipeline?.status?.toUpperCase() === "PAUSED";
