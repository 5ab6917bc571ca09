import { type DataChainClient, InvalidRequestError } from "../../api";
import type { Pipeline } from "../../schemas/pipeline";
import type { ScheduleItem } from "../../schemas/schedule";

/** Asked of the pipeline list, which answers with 20 unless told; a list this long may be cut, so it proves no absence. */
const PIPELINE_LIMIT = 10_000;

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
	/** What reads answer from: never older than the last write of ours. */
	private readonly current = new Lists({ idleMillis: BURST_MILLIS, mostMillis: LONGEST_READ_MILLIS });
	/** What new schedules look in: a few seconds old, our own writes not in it. */
	private readonly recent = new Lists({ idleMillis: BURST_MILLIS, mostMillis: BURST_MILLIS });

	constructor(private readonly client: DataChainClient) {}

	schedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.current.schedules.get(team, () => this.listSchedules(team));
	}

	pipelines(team: string): Promise<readonly Pipeline[]> {
		return this.current.pipelines.get(team, () => this.listPipelines(team));
	}

	/** Schedules as they were a moment ago. What this process made since is known to `Ownership`. */
	recentSchedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.recent.schedules.get(team, () => this.listSchedules(team));
	}

	/** Pipelines as they were a moment ago; whoever acts on their status must verify it afterwards. */
	recentPipelines(team: string): Promise<readonly Pipeline[]> {
		return this.recent.pipelines.get(team, () => this.listPipelines(team));
	}

	/** To be called before and after each write to the team, so that no current list spans it. */
	drop(team: string): void {
		this.current.schedules.drop(team);
		this.current.pipelines.drop(team);
	}

	private listSchedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.client.schedules.list({ team_name: team });
	}

	/** Nobody knows how high a limit the service takes; where it refuses ours, its own must do. */
	private async listPipelines(team: string): Promise<readonly Pipeline[]> {
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

class Lists {
	readonly schedules: SharedList<ScheduleItem>;
	readonly pipelines: SharedList<Pipeline>;

	constructor(keeping: Keeping) {
		this.schedules = new SharedList(keeping);
		this.pipelines = new SharedList(keeping);
	}
}

interface Entry<T> {
	readonly loadedAt: number;
	usedAt: number;
	readonly value: Promise<readonly T[]>;
}

/** One list per team, loaded once for all who ask in one burst. */
class SharedList<T> {
	private readonly entries = new Map<string, Entry<T>>();

	constructor(private readonly keeping: Keeping) {}

	get(team: string, load: () => Promise<readonly T[]>): Promise<readonly T[]> {
		const now = performance.now();
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
				entry.usedAt = performance.now();
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
