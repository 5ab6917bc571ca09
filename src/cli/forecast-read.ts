import { AbortedError, type ConnectionSources, type DataChainClient, resolveConnection } from "../api";
import { compareRuns } from "../forecast/compare";
import type { Comparison } from "../forecast/comparison";
import { clusterFacts, pipelineFacts, schedulesOfTeam } from "../forecast/from-live";
import { schedulesOfPreview } from "../forecast/from-preview";
import { schedulesByUrn } from "../forecast/from-state";
import { groupBy } from "../forecast/group-by";
import type { ClusterFacts, ForecastSchedule, PipelineFacts } from "../forecast/subject";
import type { ForecastWindow } from "../forecast/window";
import { askEach } from "./ask-each";
import { askPulumi, connectionSources, type PulumiOptions } from "./pulumi-cli";
import { readStack } from "./read-stack";
import { progress } from "./terminal";
import { withClient } from "./with-client";

/** The schedules of the stack's state, by URN, and where its service is. */
async function readSchedules(options: PulumiOptions) {
	const { state, sources } = await readStack(options);
	// Of resources that name none.
	const { teamName } = resolveConnection(sources);
	const deployed = schedulesByUrn(state, teamName);
	return { sources, teamName, deployed, stack: state.stack ?? options.stack ?? null };
}

/** The schedules of the stack's state, and what the service tells of their pipelines. */
export async function readDeployed(options: PulumiOptions) {
	const { stack, sources, deployed } = await readSchedules(options);
	const schedules = [...deployed.values()];
	return { stack, schedules, ...(await askFacts(sources, schedules, options.signal)) };
}

/** What a deployment of the program would do to the runs in the window. */
export async function compareDeployed(window: ForecastWindow, options: PulumiOptions): Promise<Comparison> {
	const { stack, sources, teamName, deployed } = await readSchedules(options);
	progress.show("Asking for a preview…");
	const preview = await askPulumi(["preview", "--json"], options).catch((error: Error) => {
		throw new Error(`${error.message} Run \`pulumi preview\` to see all of it.`);
	});
	const declared = schedulesOfPreview(preview, deployed, teamName);
	const schedules = [...deployed.values(), ...declared.values()];
	const { pipelines, unread } = await askFacts(sources, schedules, options.signal);
	return compareRuns({ deployed, declared, pipelines, window, stack, notes: unread });
}

/** What the service tells of the pipelines that these schedules run. */
export const askFacts = (
	sources: ConnectionSources,
	schedules: readonly ForecastSchedule[],
	signal: AbortSignal,
) => withClient(resolveConnection(sources), signal, (client) => readFacts(client, schedules));

/** All schedules of the live team. The list does not name their pipelines, so each is asked for. */
export async function readLive({ signal }: PulumiOptions) {
	return withClient(resolveConnection(await connectionSources({ signal })), signal, async (client) => {
		const items = await client.schedules.list();
		let done = 0;
		const found = await askEach(
			items,
			({ id }) => client.schedules.get({ schedule_id: id }),
			() => progress.show(`Reading ${++done} of ${items.length} schedules…`),
		);
		const schedules = schedulesOfTeam(client.teamName, found);
		return { stack: null, schedules, ...(await readFacts(client, schedules)) };
	});
}

/** The service answers with 20 of each unless it is told otherwise. */
const MOST_PIPELINES = 10_000;
const MOST_JOBS = 1_000;

/** Lengths and workers are worth knowing, but when something runs is known without them. */
async function readFacts(client: DataChainClient, schedules: readonly ForecastSchedule[]) {
	/** Those of the notes that name a request that failed. */
	const unread: string[] = [];
	const orNone = async <T>(what: string, asking: Promise<readonly T[]>): Promise<readonly T[]> => {
		try {
			return await asking;
		} catch (error) {
			if (error instanceof AbortedError) throw error;
			unread.push(`${what} could not be read: ${error instanceof Error ? error.message : String(error)}`);
			return [];
		}
	};
	const pipelines = new Map<string, PipelineFacts>();
	const clusters: ClusterFacts[] = [];
	for (const [team, own] of groupBy(schedules, (schedule) => schedule.team)) {
		const at = { team_name: team };
		const [listed, jobs, machines] = await Promise.all([
			orNone(
				"The pipelines, and whether they are paused,",
				client.pipelines.list({ ...at, limit: MOST_PIPELINES }),
			),
			orNone("The jobs", client.jobs.list({ ...at, limit: MOST_JOBS })),
			orNone("The clusters", client.clusters.list(at)),
		]);
		for (const [key, value] of pipelineFacts(team, own, listed, jobs)) pipelines.set(key, value);
		clusters.push(...clusterFacts(machines));
	}
	const unknown = [...pipelines.values()].filter(({ lengths }) => lengths.length === 0).length;
	const few = `${unknown} of ${pipelines.size} pipelines have no finished run that the service shows: whether they overlap is not known, and a run of theirs counts as one minute of work.`;
	return { pipelines, clusters, notes: unknown > 0 ? [...unread, few] : unread, unread };
}
