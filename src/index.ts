export * from "./functions/clusters";
export * from "./functions/jobs";
export * from "./functions/pipelines";
export type { Connection, LookupOptions, LookupOutputOptions } from "./functions/place";
export * from "./functions/schedules";
export * from "./resources/job";
export * from "./resources/job-file";
export * from "./resources/pipeline";
export * from "./resources/pipeline-schedule";
export * from "./resources/pipeline-settings";
export * from "./resources/provider";
export * from "./resources/scheduled-pipeline";
export type {
	ComputeCluster,
	PipelineJobRun,
	ScheduleCreator,
	ScheduleListItem,
} from "./schemas/wire/results";
export * as storage from "./storage";
