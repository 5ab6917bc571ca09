import { type DataChainClient, InvalidRequestError } from "../../api";
import type { Cluster } from "../../schemas/wire/cluster";
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

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export class TeamLists {
	private readonly schedulesForReads: SharedList<ScheduleItem>;
	private readonly pipelinesForReads: SharedList<Pipeline>;
	private readonly schedulesAtAGlance: SharedList<ScheduleItem>;
	private readonly pipelinesAtAGlance: SharedList<Pipeline>;
	private readonly clustersForChecks: SharedList<Cluster>;
	private readonly jobsForReads: SharedList<Job>;
	private readonly jobsAtAGlance: SharedList<Job>;

	constructor(
		private readonly client: DataChainClient,
		private readonly time: Time,
		private readonly onSchedules: (list: SeenList) => void,
	) {
		const reads = { idleMillis: BURST_MILLIS, mostMillis: LONGEST_READ_MILLIS };
		const glances = { idleMillis: BURST_MILLIS, mostMillis: BURST_MILLIS };
		this.schedulesForReads = new SharedList(reads, time);
		this.pipelinesForReads = new SharedList(reads, time);
		this.schedulesAtAGlance = new SharedList(glances, time);
		this.pipelinesAtAGlance = new SharedList(glances, time);
		this.clustersForChecks = new SharedList(reads, time);
		this.jobsForReads = new SharedList(reads, time);
		this.jobsAtAGlance = new SharedList(glances, time);
	}

	/** Schedules for reads: never older than the last write of ours. */
	schedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.schedulesForReads.get(team, () => this.freshSchedules(team));
	}

	/** Pipelines for reads: never older than the last write of ours. */
	pipelines(team: string): Promise<readonly Pipeline[]> {
		return this.pipelinesForReads.get(team, () => this.freshPipelines(team));
	}

	/** Schedules as they were up to three seconds ago, our own writes possibly not in them. */
	glanceSchedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.schedulesAtAGlance.get(team, () => this.freshSchedules(team));
	}

	/** Pipelines as they were up to three seconds ago; whoever acts on their status must verify it afterwards. */
	glancePipelines(team: string): Promise<readonly Pipeline[]> {
		return this.pipelinesAtAGlance.get(team, () => this.freshPipelines(team));
	}

	/** Compute clusters, asked for once in a burst: no request of ours changes them. */
	clusters(team: string): Promise<readonly Cluster[]> {
		return this.clustersForChecks.get(team, () => this.client.clusters.list({ team_name: team }));
	}

	/** The newest jobs, for reads: never older than the last write of ours. */
	jobs(team: string): Promise<readonly Job[]> {
		return this.jobsForReads.get(team, () => this.freshJobs(team));
	}

	/** The newest jobs as they were up to three seconds ago. */
	glanceJobs(team: string): Promise<readonly Job[]> {
		return this.jobsAtAGlance.get(team, () => this.freshJobs(team));
	}

	freshJobs(team: string): Promise<readonly Job[]> {
		return this.client.jobs.list({ team_name: team, limit: JOB_LIMIT });
	}

	/** To be called before and after each write to the team, so that no list for reads spans it. */
	drop(team: string): void {
		this.schedulesForReads.drop(team);
		this.pipelinesForReads.drop(team);
		this.jobsForReads.drop(team);
	}

	async freshSchedules(team: string): Promise<readonly ScheduleItem[]> {
		const askedAt = this.time.now();
		const items = await this.client.schedules.list({ team_name: team });
		this.onSchedules({ team, askedAt, items });
		return items;
	}

	/** The highest limit that the service takes is not known; where it refuses ours, its own must do. */
	async freshPipelines(team: string): Promise<readonly Pipeline[]> {
		try {
			return await this.client.pipelines.list({ team_name: team, limit: PIPELINE_LIMIT });
		} catch (error) {
			if (!(error instanceof InvalidRequestError)) throw error;
			return this.client.pipelines.list({ team_name: team });
		}
	}
}

/** How long a list is shared: while its uses follow each other this closely, and no longer than that in all. */
interface Keeping {
	readonly idleMillis: number;
	readonly mostMillis: number;
}

interface Entry<T> {
	readonly loadedAt: number;
	usedAt: number;
	readonly value: Promise<readonly T[]>;
}

/** One list per team, loaded once for all who ask in one burst. */
class SharedList<T> {
	private readonly entries = new Map<string, Entry<T>>();

	constructor(
		private readonly keeping: Keeping,
		private readonly time: Time,
	) {}

	get(team: string, load: () => Promise<readonly T[]>): Promise<readonly T[]> {
		const now = this.time.now();
		const known = this.entries.get(team);
		if (known !== undefined && this.isFresh(known, now)) {
			known.usedAt = now;
			return known.value;
		}
		const entry = { loadedAt: now, usedAt: now, value: load() };
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
	}

	drop(team: string): void {
		this.entries.delete(team);
	}

	private isFresh({ loadedAt, usedAt }: Entry<T>, now: number): boolean {
		return now - usedAt < this.keeping.idleMillis && now - loadedAt < this.keeping.mostMillis;
	}
}
