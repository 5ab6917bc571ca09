export type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
export { createClient, type DataChainClient } from "./client";
export {
	type ConnectionSettings,
	type ConnectionSources,
	resolveConnection,
	resolveWriteLimit,
	type SettingName,
	type WriteLimitSources,
} from "./connection";
export {
	AbortedError,
	ApiError,
	ConflictError,
	ConnectionError,
	DataChainError,
	InvalidRequestError,
	isMissing,
	LogStreamError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
	OtherObjectError,
	RateLimitedError,
	RefusedError,
	type RequestProblem,
	ServerError,
	UnexpectedReplyError,
	UploadError,
	type WasReceived,
} from "./errors";
export type { JobLogLine, JobLogs } from "./log-stream";
export type { FollowLogsOptions, FollowLogsRequest, LogEvent } from "./logs";
export { NetworkError, TimeoutError, type TimeoutKind } from "./network-errors";
export {
	type CallOptions,
	type CallScope,
	type ClientOptions,
	leftOut,
	type RetryInfo,
	type UnreadableInfo,
} from "./options";
export {
	type AttemptInfo,
	type LogSources,
	resolveRequestLog,
	wantsTraces,
} from "./request-log";
export {
	type FileFacts,
	inspectFile,
	type UploadOptions,
	type UploadResult,
	type UploadSource,
} from "./upload";
