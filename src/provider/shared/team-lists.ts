import { type DataChainClient, InvalidRequestError } from "../../api";
import type { Job } from "../../schemas/wire/job";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { ScheduleItem } from "../../schemas/wire/schedule";
import type { Time } from "../time";
import type { SeenList } from "./twins";

/** Asked of the pipeline list, which answers with 20 unless told; a list this long may be cut, so it proves no absence. */
const PIPELINE_LIMIT = 10_000;

/** How many of the newest jobs are looked through for one of ours. */
const JOB_LIMIT = 500;

/** Long enough for the pauses within the burst of calls of one deployment, short enough that nobody acts on old news. */
const BURST_MILLIS = 3_000;
/** Reads may share a list as long as they follow each other: it is younger than the deployment they belong to. */
const LONGEST_READ_MILLIS = 120_000;

export type TeamLists = ReturnType<typeof teamLists>;

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export function teamLists(client: DataChainClient, time: Time, onSchedules: (list: SeenList) => void) {
	const freshSchedules = async (team: string): Promise<readonly ScheduleItem[]> => {
		const askedAt = time.now();
		const items = await client.schedules.list({ team_name: team });
		onSchedules({ team, askedAt, items });
		return items;
	};
	/** The highest limit that the service takes is not known; where it refuses ours, its own must do. */
	const freshPipelines = async (team: string): Promise<readonly Pipeline[]> => {
		try {
			return await client.pipelines.list({ team_name: team, limit: PIPELINE_LIMIT });
		} catch (error) {
			if (!(error instanceof InvalidRequestError)) throw error;
			return client.pipelines.list({ team_name: team });
		}
	};
	const freshJobs = (team: string): Promise<readonly Job[]> =>
		client.jobs.list({ team_name: team, limit: JOB_LIMIT });
	const clusters = new SharedList(time, LONGEST_READ_MILLIS, (team) =>
		client.clusters.list({ team_name: team }),
	);
	// Lists for reads are never older than the last write of ours.
	const schedules = new SharedList(time, LONGEST_READ_MILLIS, freshSchedules);
	const pipelines = new SharedList(time, LONGEST_READ_MILLIS, freshPipelines);
	const jobs = new SharedList(time, LONGEST_READ_MILLIS, freshJobs);
	return {
		freshSchedules,
		freshPipelines,
		freshJobs,
		/** Compute clusters, asked for once in a burst: no request of ours changes them. */
		clusters: clusters.get,
		schedules: schedules.get,
		pipelines: pipelines.get,
		/** The newest ones only. */
		jobs: jobs.get,
		/** Schedules as they were up to three seconds ago, our own writes possibly not in them. */
		glanceSchedules: new SharedList(time, BURST_MILLIS, freshSchedules).get,
		/** Pipelines as they were up to three seconds ago; whoever acts on their status must verify it afterwards. */
		glancePipelines: new SharedList(time, BURST_MILLIS, freshPipelines).get,
		glanceJobs: new SharedList(time, BURST_MILLIS, freshJobs).get,
		/** To be called before and after each write to the team, so that no list for reads spans it. */
		drop(team: string): void {
			for (const list of [schedules, pipelines, jobs]) list.drop(team);
		},
	};
}

interface Entry<T> {
	readonly loadedAt: number;
	usedAt: number;
	readonly value: Promise<readonly T[]>;
}

/** One list per team, loaded once for all who ask in one burst, and kept for no longer than `mostMillis` in all. */
class SharedList<T> {
	private readonly entries = new Map<string, Entry<T>>();

	constructor(
		private readonly time: Time,
		private readonly mostMillis: number,
		private readonly load: (team: string) => Promise<readonly T[]>,
	) {}

	readonly get = (team: string): Promise<readonly T[]> => {
		const now = this.time.now();
		const known = this.entries.get(team);
		if (known && now - known.usedAt < BURST_MILLIS && now - known.loadedAt < this.mostMillis) {
			known.usedAt = now;
			return known.value;
		}
		const entry = { loadedAt: now, usedAt: now, value: this.load(team) };
		this.entries.set(team, entry);
		entry.value.then(
			// The time that it took to come is no pause of those who wait for it.
			() => {
				entry.usedAt = this.time.now();
			},
			// A failed list must not be handed to the next reader.
			() => {
				if (this.entries.get(team) === entry) this.entries.delete(team);
			},
		);
		return entry.value;
	};

	drop(team: string): void {
		this.entries.delete(team);
	}
}
