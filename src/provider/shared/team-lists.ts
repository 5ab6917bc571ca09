import { type DataChainClient, InvalidRequestError } from "../../api";
import type { Pipeline } from "../../schemas/pipeline";
import type { ScheduleItem } from "../../schemas/schedule";

/** Asked of the pipeline list, which answers with 20 unless told; a list this long may be cut, so it proves no absence. */
const PIPELINE_LIMIT = 10_000;

/** Long enough for the burst of reads of one refresh, short enough that nobody acts on old news. */
const MAX_AGE_MILLIS = 3_000;

interface Entry<T> {
	readonly at: number;
	readonly value: Promise<readonly T[]>;
}

/**
 * One list per team, shared by all the reads that arrive together: a refresh of a thousand schedules costs two
 * requests. Any write drops the lists, and absence from a list is only a hint: the reader asks directly.
 */
export class TeamLists {
	private readonly scheduleLists = new Map<string, Entry<ScheduleItem>>();
	private readonly pipelineLists = new Map<string, Entry<Pipeline>>();

	constructor(private readonly client: DataChainClient) {}

	schedules(team: string): Promise<readonly ScheduleItem[]> {
		return shared(this.scheduleLists, team, () => this.client.schedules.list({ team_name: team }));
	}

	pipelines(team: string): Promise<readonly Pipeline[]> {
		return shared(this.pipelineLists, team, () => this.listPipelines(team));
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

	/** To be called before and after each write to the team, so that no list spans it. */
	drop(team: string): void {
		this.scheduleLists.delete(team);
		this.pipelineLists.delete(team);
	}
}

function shared<T>(
	entries: Map<string, Entry<T>>,
	team: string,
	load: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
	const known = entries.get(team);
	if (known !== undefined && performance.now() - known.at < MAX_AGE_MILLIS) return known.value;
	const value = load();
	const entry = { at: performance.now(), value };
	entries.set(team, entry);
	// A failed list must not be handed to the next reader.
	value.catch(() => {
		if (entries.get(team) === entry) entries.delete(team);
	});
	return value;
}
