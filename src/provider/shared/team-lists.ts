import { type DataChainClient, InvalidRequestError } from "../../api";
import type { Pipeline } from "../../schemas/pipeline";
import type { ScheduleItem } from "../../schemas/schedule";

/** Asked of the pipeline list, which answers with 20 unless told; a list this long may be cut, so it proves no absence. */
const PIPELINE_LIMIT = 10_000;

/** Long enough for the burst of calls of one deployment, short enough that nobody acts on old news. */
const MAX_AGE_MILLIS = 3_000;

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export class TeamLists {
	/** What reads answer from: never older than the last write of ours. */
	private readonly current = new Lists();
	/** What new schedules look in: a few seconds old, our own writes not in it. */
	private readonly recent = new Lists();

	constructor(private readonly client: DataChainClient) {}

	schedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.current.schedules.get(team, () => this.client.schedules.list({ team_name: team }));
	}

	pipelines(team: string): Promise<readonly Pipeline[]> {
		return this.current.pipelines.get(team, () => this.listPipelines(team));
	}

	/** Schedules as they were a moment ago. What this process made since is known to `Ownership`. */
	recentSchedules(team: string): Promise<readonly ScheduleItem[]> {
		return this.recent.schedules.get(team, () => this.schedules(team));
	}

	/** Pipelines as they were a moment ago; whoever acts on their status must verify it afterwards. */
	recentPipelines(team: string): Promise<readonly Pipeline[]> {
		return this.recent.pipelines.get(team, () => this.pipelines(team));
	}

	/** To be called before and after each write to the team, so that no current list spans it. */
	drop(team: string): void {
		this.current.schedules.drop(team);
		this.current.pipelines.drop(team);
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

class Lists {
	readonly schedules = new SharedList<ScheduleItem>();
	readonly pipelines = new SharedList<Pipeline>();
}

/** One list per team, loaded once for all who ask within a few seconds. */
class SharedList<T> {
	private readonly entries = new Map<string, { at: number; value: Promise<readonly T[]> }>();

	get(team: string, load: () => Promise<readonly T[]>): Promise<readonly T[]> {
		const known = this.entries.get(team);
		if (known !== undefined && performance.now() - known.at < MAX_AGE_MILLIS) return known.value;
		const entry = { at: performance.now(), value: load() };
		this.entries.set(team, entry);
		// A failed list must not be handed to the next reader.
		entry.value.catch(() => {
			if (this.entries.get(team) === entry) this.entries.delete(team);
		});
		return entry.value;
	}

	drop(team: string): void {
		this.entries.delete(team);
	}
}
