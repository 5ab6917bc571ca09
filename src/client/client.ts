import { foldName } from "../schemas/primitives";
import type { EndpointName, ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import { noPipeline } from "../text/wording";
import { Caller } from "./call";
import { type ConnectionSettings, checkConnection } from "./connection";
import { isMissing } from "./errors";
import { readJobLogs } from "./log-stream";
import {
	type FollowLogsOptions,
	type FollowLogsRequest,
	followLogs,
	type LogEvent,
} from "./logs";
import {
	type CallOptions,
	type CallScope,
	type ClientOptions,
	limitsOf,
} from "./options";
import { Queue } from "./queue";
import { resolveRequestLog } from "./request-log";
import { createTransport } from "./transport";
import {
	type UploadOptions,
	type UploadResult,
	type UploadSource,
	uploadFile,
} from "./upload";

/** A typed client for the whole REST API, over one pool of connections. Call `close()` when done with it. */
export interface DataChainClient {
	/** Team in whose scope every call works unless it names another. */
	readonly teamName: string;
	readonly jobs: ReturnType<typeof jobCalls> & {
		/** Uploads a file, to be attached to jobs by its id. Sent again only if the service surely stored nothing. */
		uploadFile(source: UploadSource, options?: UploadOptions): Promise<UploadResult>;
		/** The job's log, live: each line once and in order, over as many connections as it takes. */
		followLogs(
			request: FollowLogsRequest,
			options?: FollowLogsOptions,
		): AsyncIterableIterator<LogEvent>;
	};
	readonly clusters: ReturnType<typeof clusterCalls>;
	readonly schedules: ReturnType<typeof scheduleCalls>;
	readonly pipelines: ReturnType<typeof pipelineCalls>;
	/**
	 * The same client for some of its calls: same connections, same queues, with a signal that ends them or with
	 * somebody who is told of them. Scopes within scopes add up.
	 */
	scoped(scope: CallScope): DataChainClient;
	/** Ends every connection, those of scoped clients too, and cancels the calls that still run or come later. */
	close(): Promise<void>;
}

/** Makes a client. Nothing is sent until the first call. */
export function createClient(
	given: ConnectionSettings,
	options: ClientOptions = {},
): DataChainClient {
	const connection = checkConnection(given);
	const limits = limitsOf(options);
	const transport = createTransport(connection.baseUrl, connection.token, limits);
	const queue = new Queue(limits);
	const closing = new AbortController();
	const over = (caller: Caller): DataChainClient => ({
		teamName: connection.teamName,
		jobs: {
			...jobCalls(caller),
			uploadFile: (source, upload) => uploadFile(caller, source, upload),
			followLogs: (request, follow) => followLogs(caller, request, follow),
		},
		clusters: clusterCalls(caller),
		schedules: scheduleCalls(caller),
		pipelines: pipelineCalls(caller),
		scoped: (scope) => over(caller.scoped(scope)),
		close: () => {
			closing.abort();
			return transport.close();
		},
	});
	const caller = new Caller({ ...connection, transport, limits, queue });
	const { log = resolveRequestLog(), onUnreadable } = options;
	return over(caller.scoped({ onAttempt: log, onUnreadable, signal: closing.signal }));
}

/** The method of one endpoint, for those that need nothing beyond their request. */
const method =
	<Name extends EndpointName>(caller: Caller, name: Name) =>
	(input: RequestOf<Name>, options?: CallOptions) =>
		caller.call(name, input, options);

type ListName = {
	[Name in EndpointName]: ReplyOf<Name> extends readonly unknown[] ? Name : never;
}[EndpointName];

/** A list, in which an object that the service shows twice counts once; the team alone may be asked for. */
const listing =
	<Name extends ListName>(caller: Caller, name: Name, everything: RequestOf<Name>) =>
	async (
		query: RequestOf<Name> = everything,
		options?: CallOptions,
	): Promise<ReplyOf<Name>> => {
		const byId = new Map<unknown, unknown>();
		for (const element of await caller.call(name, query, options)) {
			const { id, pipeline_id: key = id } = Object(element);
			if (!byId.has(key)) byId.set(key, element);
		}
		return [...byId.values()] as unknown as ReplyOf<Name>;
	};

const jobCalls = (caller: Caller) => ({
	/** Newest first; the service sends 20 unless `limit` says otherwise. */
	list: listing(caller, "listJobs", {}),
	/** Sent again only if the service surely started none: each run starts another job. */
	create: method(caller, "createJob"),
	/** The log of an active job as the REST endpoint has it; `followLogs` is complete and live. */
	logs: async (input: RequestOf<"jobLogs">, options?: CallOptions) =>
		readJobLogs(await caller.call("jobLogs", input, options)),
	cancel: method(caller, "cancelJob"),
});

const clusterCalls = (caller: Caller) => ({
	list: listing(caller, "listClusters", {}),
});

const scheduleCalls = (caller: Caller) => ({
	/** Sent again only if the service surely did nothing; look at `error.received` after a failure. */
	create: method(caller, "createSchedule"),
	/** Fields left out stay as they are. */
	update: method(caller, "updateSchedule"),
	delete: method(caller, "deleteSchedule"),
	get: (input: RequestOf<"getSchedule">, options?: CallOptions) =>
		caller.call("getSchedule", input, options, {
			otherObject: ({ id }) =>
				id === input.schedule_id ? undefined : `schedule ${id}`,
		}),
	list: listing(caller, "listSchedules", {}),
});

/** Pause, resume and removeJob take `name` or `pipeline_id`. */
const pipelineCalls = (caller: Caller) => ({
	/** Sent again only if the service surely made none: each run makes another pipeline. */
	trigger: method(caller, "triggerPipeline"),
	settings: method(caller, "updateSettings"),
	/** The documentation does not say which parameter selects the pipeline, so the reply must name it. */
	status: (input: RequestOf<"pipelineStatus">, options?: CallOptions) =>
		caller.call("pipelineStatus", input, options, {
			otherObject: ({ name }) =>
				!name || input.name === undefined || foldName(name) === foldName(input.name)
					? undefined
					: `pipeline ${JSON.stringify(name)}`,
		}),
	/** The service sends 20 unless `limit` says otherwise. */
	list: listing(caller, "listPipelines", {}),
	pause: method(caller, "pausePipeline"),
	resume: method(caller, "resumePipeline"),
	/** Only a PENDING job of a PAUSED pipeline can be removed. Sent again only if the service surely did nothing. */
	removeJob: method(caller, "removeJob"),
});

const MOST_ASKED_FOR = 100;

interface Named {
	readonly name?: string | null | undefined;
}

/**
 * What to say if the service knows no pipeline of a name, which is most often misspelled: those that there are. Any
 * other failure is thrown as it is, and so is this one if the pipelines cannot be listed.
 */
export async function pipelinesInstead(
	client: DataChainClient,
	target: { readonly team_name: string; readonly name: string },
	error: unknown,
	listPipelines = (team_name: string): Promise<readonly Named[]> =>
		client.pipelines.list({ team_name, limit: MOST_ASKED_FOR }),
): Promise<string> {
	if (!isMissing(error)) throw error;
	const { team_name, name } = target;
	const pipelines = await listPipelines(team_name).catch(() => {
		throw error;
	});
	const names = pipelines.map((pipeline) => pipeline.name);
	if (names.includes(name))
		return `the service lists pipeline ${JSON.stringify(name)} in team ${JSON.stringify(team_name)}, but does not find it by its name: it is new, or was just deleted. Try again in a minute.`;
	return noPipeline(team_name, name, names);
}
