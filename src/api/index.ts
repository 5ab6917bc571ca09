export type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
export type { AttemptInfo, CallScope } from "./call-scope";
export { createClient, type DataChainClient } from "./client";
export {
	type ConnectionSettings,
	type ConnectionSources,
	resolveConnection,
	resolveWriteLimit,
	type SettingName,
	type WriteLimitSources,
} from "./connection";
export * from "./errors";
export type { FollowLogsRequest, LogEvent } from "./logs/follow-types";
export type { JobLogLine, JobLogs } from "./logs/job-logs";
export {
	type CallOptions,
	type ClientOptions,
	leftOut,
	type RetryInfo,
	type UnreadableInfo,
} from "./options";
export { type LogSources, resolveRequestLog, wantsTraces } from "./request-log";
export type { OpenFileOptions } from "./upload/open-file";
export { type FileFacts, inspectFile } from "./upload/read-file";
export type { UploadSource } from "./upload/source";
export type { UploadOptions, UploadResult } from "./upload/upload-file";
