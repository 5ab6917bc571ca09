import type { UnreadableInfo } from "../api";
import type { ProviderContext } from "../provider/context";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem } from "../schemas/wire/schedule";
import type { FailedCheck } from "./report";

/** What a team's two lists show, and what of them could not be read. */
export interface TeamReading {
	readonly team: string;
	readonly schedules: readonly ScheduleItem[];
	readonly pipelines: readonly Pipeline[];
	readonly failed: readonly FailedCheck[];
	/** One for each list that could not be read at all. */
	readonly errors: readonly unknown[];
}

/** `unreadable` are the elements that lists had so far and that could not be read. */
export async function readTeam(
	{ lists }: ProviderContext,
	unreadable: readonly UnreadableInfo[],
	team: string,
): Promise<TeamReading> {
	const [schedules, pipelines] = await Promise.all([
		readList(unreadable, team, "schedule", lists.schedules(team)),
		readList(unreadable, team, "pipeline", lists.pipelines(team)),
	]);
	return {
		team,
		schedules: schedules.items,
		pipelines: pipelines.items,
		failed: [...schedules.failed, ...pipelines.failed],
		errors: [...schedules.errors, ...pipelines.errors],
	};
}

const OPERATIONS = { schedule: "listSchedules", pipeline: "listPipelines" } as const;

async function readList<Item>(
	unreadable: readonly UnreadableInfo[],
	team: string,
	kind: keyof typeof OPERATIONS,
	list: Promise<readonly Item[]>,
): Promise<Pick<TeamReading, "failed" | "errors"> & { items: readonly Item[] }> {
	const base = { kind, team, urn: null, resource: null, id: null };
	try {
		const items = await list;
		// Taken at once: later requests of the check meet the same elements again.
		const odd = unreadable.filter(
			({ operation, teamName }) => operation === OPERATIONS[kind] && teamName === team,
		);
		const failed = odd.map(({ which, why }) => ({
			...base,
			what: "element" as const,
			name: which,
			reason: `It does not have the documented form: ${why}`,
		}));
		return { items, failed, errors: [] };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { items: [], failed: [{ ...base, what: "list", name: null, reason }], errors: [error] };
	}
}
