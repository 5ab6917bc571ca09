export * from "./lookups/clusters";
export * from "./lookups/jobs";
export * from "./lookups/pipelines";
export type { Connection, LookupOptions, LookupOutputOptions } from "./lookups/place";
export type { JobResult, PipelineResult, ScheduleResult } from "./lookups/result-types";
export * from "./lookups/schedules";
export * from "./resources/config";
export * from "./resources/job";
export * from "./resources/job-file";
export * from "./resources/pipeline";
export * from "./resources/pipeline-schedule";
export * from "./resources/pipeline-settings";
export * from "./resources/provider";
export * from "./schemas/enums";
export type {
	ComputeCluster,
	PipelineJobRun,
	ScheduleCreator,
	ScheduleListItem,
} from "./schemas/wire/results";
export * as storage from "./storage";
