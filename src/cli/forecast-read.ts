import { type ConnectionSources, createClient, type DataChainClient, resolveConnection } from "../api";
import { readState, type StackState } from "../drift/state";
import { clusterFacts, pipelineFacts, schedulesOfTeam } from "../forecast/from-live";
import { schedulesByUrn } from "../forecast/from-state";
import type { ClusterFacts, ForecastSchedule, PipelineFacts } from "../forecast/subject";
import { askEach } from "./ask-each";
import { askPulumi, connectionSources } from "./pulumi-cli";
import { tellUnreadable } from "./tell-unreadable";

/** What a forecast is made of. */
export interface ForecastFacts {
	readonly schedules: readonly ForecastSchedule[];
	readonly pipelines: ReadonlyMap<string, PipelineFacts>;
	readonly clusters: readonly ClusterFacts[];
	/** Undefined for a live team. */
	readonly stack?: string | undefined;
	/** What the service did not tell. */
	readonly notes: readonly string[];
	/** Those of the notes that name a request that failed. */
	readonly unread: readonly string[];
}

export interface ReadOptions {
	readonly stack?: string | undefined;
	readonly signal: AbortSignal;
	readonly show: (text: string) => void;
}

/** The stack's state, and where its service is. */
export interface Deployed {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** The team of resources that name none. */
	readonly teamName: string;
	readonly stack: string | undefined;
}

export async function readDeployment({ stack, signal, show }: ReadOptions): Promise<Deployed> {
	show("Reading the stack's state…");
	const [text, sources] = await Promise.all([
		askPulumi(["stack", "export", "--show-secrets"], { stack, signal }),
		connectionSources({ stack, signal }),
	]);
	const state = readState(text);
	return { state, sources, stack: state.stack ?? stack, teamName: resolveConnection(sources).teamName };
}

/** The schedules of the stack's state, and what the service tells of their pipelines. */
export async function readDeployed(options: ReadOptions): Promise<ForecastFacts> {
	const { state, sources, stack, teamName } = await readDeployment(options);
	const schedules = [...schedulesByUrn(state, teamName).values()];
	return { stack, schedules, ...(await askFacts(sources, schedules, options.signal)) };
}

/** What the service tells of the pipelines that these schedules run. */
export const askFacts = (
	sources: ConnectionSources,
	schedules: readonly ForecastSchedule[],
	signal: AbortSignal,
): Promise<Omit<ForecastFacts, "schedules" | "stack">> =>
	withClient(sources, (client) => readFacts(client, schedules, signal));

/** All schedules of the live team. The list does not name their pipelines, so each is asked for. */
export async function readLive({ signal, show }: Omit<ReadOptions, "stack">): Promise<ForecastFacts> {
	return withClient(await connectionSources({ signal }), async (client) => {
		const items = await client.schedules.list({}, { signal });
		let done = 0;
		const found = await askEach(
			items,
			({ id }) => client.schedules.get({ schedule_id: id }, { signal }),
			() => show(`Reading ${++done} of ${items.length} schedules…`),
		);
		const schedules = schedulesOfTeam(client.teamName, found);
		return { schedules, ...(await readFacts(client, schedules, signal)) };
	});
}

/** The service answers with 20 of each unless it is told otherwise. */
const MOST_PIPELINES = 10_000;
const MOST_JOBS = 1_000;

/** Lengths and workers are worth knowing, but when something runs is known without them. */
async function readFacts(
	client: DataChainClient,
	schedules: readonly ForecastSchedule[],
	signal: AbortSignal,
): Promise<Omit<ForecastFacts, "schedules" | "stack">> {
	const unread: string[] = [];
	const orNone = async <T>(what: string, asking: Promise<readonly T[]>): Promise<readonly T[]> => {
		try {
			return await asking;
		} catch (error) {
			if (signal.aborted) throw error;
			unread.push(`${what} could not be read: ${error instanceof Error ? error.message : String(error)}`);
			return [];
		}
	};
	const teams = [...new Set(schedules.map(({ team }) => team))];
	const pipelines = new Map<string, PipelineFacts>();
	const clusters: ClusterFacts[] = [];
	for (const team of teams) {
		const at = { team_name: team };
		const [listed, jobs, machines] = await Promise.all([
			orNone(
				"The pipelines, and whether they are paused,",
				client.pipelines.list({ ...at, limit: MOST_PIPELINES }, { signal }),
			),
			orNone("The jobs", client.jobs.list({ ...at, limit: MOST_JOBS }, { signal })),
			orNone("The clusters", client.clusters.list(at, { signal })),
		]);
		const facts = pipelineFacts(
			team,
			schedules.filter((schedule) => schedule.team === team),
			listed,
			jobs,
		);
		for (const [key, value] of facts) pipelines.set(key, value);
		clusters.push(...clusterFacts(machines));
	}
	const unknown = [...pipelines.values()].filter(({ lengths }) => lengths.length === 0).length;
	const notes = [...unread];
	if (unknown > 0) {
		notes.push(
			`${unknown} of ${pipelines.size} pipelines have no finished run that the service shows: whether they overlap is not known, and a run of theirs counts as one minute of work.`,
		);
	}
	return { pipelines, clusters, notes, unread };
}

async function withClient<T>(
	sources: ConnectionSources,
	work: (client: DataChainClient) => Promise<T>,
): Promise<T> {
	const client = createClient(resolveConnection(sources), { onUnreadable: tellUnreadable });
	try {
		return await work(client);
	} finally {
		await client.close();
	}
}
