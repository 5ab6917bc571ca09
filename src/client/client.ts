import { endpoints } from "../schemas/endpoints";
import { foldName } from "../schemas/primitives";
import type {
	ClientMethods,
	EndpointName,
	ReplyOf,
	RequestOf,
} from "../schemas/wire/endpoints";
import { noPipeline } from "../text/wording";
import { Caller } from "./call";
import { type ConnectionSettings, checkConnection } from "./connection";
import { isMissing } from "./errors";
import { type JobLogs, readJobLogs } from "./log-stream";
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

/** Of a list, the team alone may be asked for, so its request can be left out. */
type Method<Name extends EndpointName> =
	ReplyOf<Name> extends readonly unknown[]
		? (input?: RequestOf<Name>, options?: CallOptions) => Promise<ReplyOf<Name>>
		: (input: RequestOf<Name>, options?: CallOptions) => Promise<ReplyOf<Name>>;

/** A method for each row of the table of endpoints, `client.jobs.list` for one whose `client` is `jobs.list`. */
type Methods = {
	readonly [Group in keyof ClientMethods]: {
		readonly [Name in keyof ClientMethods[Group]]: Method<
			ClientMethods[Group][Name] & EndpointName
		>;
	};
};

/** A typed client for the whole REST API, over one pool of connections. Call `close()` when done with it. */
export interface DataChainClient extends Omit<Methods, "jobs"> {
	/** Team in whose scope every call works unless it names another. */
	readonly teamName: string;
	readonly jobs: Omit<Methods["jobs"], "logs" | "uploadFile"> & {
		/** The log of an active job as the REST endpoint has it; `followLogs` is complete and live. */
		logs(input: RequestOf<"jobLogs">, options?: CallOptions): Promise<JobLogs>;
		/** Uploads a file, to be attached to jobs by its id. Sent again only if the service surely stored nothing. */
		uploadFile(source: UploadSource, options?: UploadOptions): Promise<UploadResult>;
		/** The job's log, live: each line once and in order, over as many connections as it takes. */
		followLogs(
			request: FollowLogsRequest,
			options?: FollowLogsOptions,
		): AsyncIterableIterator<LogEvent>;
	};
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
		...methodsOf(caller),
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

/** The methods of the table of endpoints, and in place of some of them those that do more than send the request. */
function methodsOf(caller: Caller) {
	const { jobs, schedules, pipelines, ...others } = plainMethods(caller);
	return {
		...others,
		jobs: {
			...jobs,
			logs: async (input: RequestOf<"jobLogs">, options?: CallOptions) =>
				readJobLogs(await caller.call("jobLogs", input, options)),
			uploadFile: (source: UploadSource, options?: UploadOptions) =>
				uploadFile(caller, source, options),
			followLogs: (request: FollowLogsRequest, options?: FollowLogsOptions) =>
				followLogs(caller, request, options),
		},
		schedules: {
			...schedules,
			get: (input: RequestOf<"getSchedule">, options?: CallOptions) =>
				caller.call("getSchedule", input, options, {
					otherObject: ({ id }) =>
						id === input.schedule_id ? undefined : `schedule ${id}`,
				}),
		},
		pipelines: {
			...pipelines,
			// The documentation does not say which parameter selects the pipeline, so the reply must name it.
			status: (input: RequestOf<"pipelineStatus">, options?: CallOptions) =>
				caller.call("pipelineStatus", input, options, {
					otherObject: ({ name }) =>
						!name || input.name === undefined || foldName(name) === foldName(input.name)
							? undefined
							: `pipeline ${JSON.stringify(name)}`,
				}),
		},
	};
}

const ENDPOINT_NAMES = Object.keys(endpoints) as EndpointName[];

function plainMethods(caller: Caller): Methods {
	const groups: Record<string, Record<string, unknown>> = {};
	for (const endpoint of ENDPOINT_NAMES) {
		const { client, reply } = endpoints[endpoint];
		const [group = "", method = ""] = client.split(".");
		groups[group] ??= {};
		groups[group][method] =
			reply.type === "array"
				? listing(caller, endpoint)
				: (input: RequestOf<typeof endpoint>, options?: CallOptions) =>
						caller.call(endpoint, input, options);
	}
	return groups as unknown as Methods;
}

/** A list, in which an object that the service shows twice counts once. */
const listing =
	(caller: Caller, endpoint: EndpointName) =>
	async (query: RequestOf<typeof endpoint> = {}, options?: CallOptions) => {
		const byId = new Map<unknown, unknown>();
		const reply: unknown = await caller.call(endpoint, query, options);
		for (const element of reply as unknown[]) {
			const { id, pipeline_id: key = id } = Object(element);
			if (!byId.has(key)) byId.set(key, element);
		}
		return [...byId.values()];
	};

const MOST_ASKED_FOR = 100;

interface Named {
	readonly name?: string | null | undefined;
}

/**
 * What to say if the service knows no pipeline of a name, which is most often misspelled: those that there are. Any
 * other failure is thrown as it is, and so is this one if the pipelines cannot be listed.
 */
export async function missingPipelineReason(
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
