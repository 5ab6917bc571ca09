export type { Connection, LookupOptions, LookupOutputOptions } from "./functions/connection";
export * from "./functions/get-compute-cluster";
export {
	type ComputeCluster,
	type GetComputeClustersArgs,
	getComputeClusters,
	getComputeClustersOutput,
} from "./functions/get-compute-clusters";
export * from "./functions/get-jobs";
export * from "./functions/get-pipeline";
export * from "./functions/get-pipelines";
export * from "./functions/get-schedule";
export * from "./functions/get-schedules";
export * from "./resources/job";
export * from "./resources/job-file";
export * from "./resources/pipeline";
export * from "./resources/pipeline-schedule";
export * from "./resources/pipeline-settings";
export * from "./resources/provider";
export * from "./resources/scheduled-pipeline";
export type { ScheduleCreator } from "./schemas/schedule-creator";
export * as storage from "./storage";
