import type { CallScope } from "./call-scope";
import { Caller } from "./caller";
import { clusterCalls } from "./clusters";
import { type ConnectionSettings, checkConnection } from "./connection";
import { jobCalls } from "./jobs";
import { Lanes } from "./lanes";
import { followLogs } from "./logs/follow-logs";
import type { FollowLogsRequest, LogEvent } from "./logs/follow-types";
import { type CallOptions, type ClientOptions, limitsOf } from "./options";
import { pipelineCalls } from "./pipelines";
import { resolveRequestLog } from "./request-log";
import { RetryBudget } from "./retry";
import { scheduleCalls } from "./schedules";
import { createTransport } from "./transport";
import type { UploadSource } from "./upload/source";
import { type UploadOptions, type UploadResult, uploadFile } from "./upload/upload-file";

/** A typed client for the whole REST API, over one pool of connections. Call `close()` when done with it. */
export interface DataChainClient {
	/** Team in whose scope every call works unless it names another. */
	readonly teamName: string;
	readonly jobs: ReturnType<typeof jobCalls> & {
		/** Uploads a file, to be attached to jobs by its id. Repeated only where the service surely got nothing. */
		uploadFile(source: UploadSource, options?: UploadOptions): Promise<UploadResult>;
		/** The job's log, live: each line once and in order, over as many connections as it takes. */
		followLogs(request: FollowLogsRequest, options?: CallOptions): AsyncIterableIterator<LogEvent>;
	};
	readonly clusters: ReturnType<typeof clusterCalls>;
	readonly schedules: ReturnType<typeof scheduleCalls>;
	readonly pipelines: ReturnType<typeof pipelineCalls>;
	/**
	 * The same client for some of its calls: same connections, same queues, with a signal that ends them or with
	 * somebody who is told of them. Scopes within scopes add up.
	 */
	scoped(scope: CallScope): DataChainClient;
	/** Ends every connection, those of scoped clients too; calls still running fail. */
	close(): Promise<void>;
}

/** Makes a client. Nothing is sent until the first call. */
export function createClient(given: ConnectionSettings, options: ClientOptions = {}): DataChainClient {
	const connection = checkConnection(given);
	const limits = limitsOf(options);
	const transport = createTransport(connection.baseUrl, connection.token, limits);
	const lanes = new Lanes(limits);
	const budget = new RetryBudget(limits.retryBudget);
	const closing = new AbortController();
	const over = (caller: Caller): DataChainClient => ({
		teamName: connection.teamName,
		jobs: {
			...jobCalls(caller),
			uploadFile: (source, upload) => uploadFile(caller, options.uploadRoot, source, upload),
			followLogs: (request, follow) =>
				followLogs({ connection, limits, caller, closed: closing.signal }, request, follow),
		},
		clusters: clusterCalls(caller),
		schedules: scheduleCalls(caller),
		pipelines: pipelineCalls(caller),
		scoped: (scope) => over(caller.scoped(scope)),
		close: () => {
			closing.abort();
			lanes.close();
			return transport.close();
		},
	});
	const caller = new Caller({ ...connection, transport, limits, budget, lanes });
	return over(caller.scoped({ onAttempt: options.log ?? resolveRequestLog() }));
}
