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

const statusOf = (pipeline: WithStatus | null | undefined): string =>
	pipeline?.status?.toUpperCase() ?? "";

/** Whether the pipeline is paused, with all its schedules. */
export const isPausedPipeline = (pipeline: WithStatus | null | undefined): boolean =>
	statusOf(pipeline) === "PAUSED";

export const hasEnded = (pipeline: WithStatus): boolean =>
	ENDED.includes(statusOf(pipeline));

interface OfSchedule {
	readonly schedule_name?: string | null | undefined;
	readonly is_template?: boolean | null | undefined;
}

/** A schedule runs copies of its pipeline; they have the schedule's name. */
export const isRunOfASchedule = ({ schedule_name, is_template }: OfSchedule): boolean =>
	Boolean(schedule_name) && is_template !== true;

interface Named {
	readonly name?: string | null | undefined;
	readonly is_template?: boolean | null | undefined;
}

/** The pipeline that a name means: of several the template, which runs may share it with, or else the first one. */
export const pipelinesByName = <Pipeline extends Named>(
	pipelines: readonly Pipeline[],
): Map<string | null | undefined, Pipeline> => {
	const templates = pipelines.filter(({ is_template }) => is_template === true);
	return new Map(
		[...templates, ...pipelines]
			.map((pipeline) => [pipeline.name, pipeline] as const)
			.reverse(),
	);
};

/** The settings that the service shows of a pipeline. A list that leaves one of them out may show the pipeline in short. */
export const SHOWN_SETTINGS = [
	"python_version",
	"requirements",
	"repository",
	"workers",
	"priority",
	"environment_variables",
] as const;
