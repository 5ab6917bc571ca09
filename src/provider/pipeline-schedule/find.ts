import { NotFoundError } from "../../api";
import { sameInstant } from "../../schemas/instant";
import type { Pipeline } from "../../schemas/pipeline";
import type { Schedule, ScheduleItem } from "../../schemas/schedule";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { refuseOtherService } from "../shared/other-service";

/** All schedules of that name, straight from the service. Names are not unique there. */
export async function findByName(
	context: ProviderContext,
	team: string,
	name: string,
): Promise<ScheduleItem[]> {
	const items = await context.client.schedules.list({ team_name: team });
	return items.filter((item) => item.schedule_name === name);
}

export function getSchedule(context: ProviderContext, team: string, id: number): Promise<Schedule> {
	return context.client.schedules.get({ team_name: team, schedule_id: id });
}

/** What a schedule is looked up by in the lists: no request tells a schedule's pipeline for all of them at once. */
export interface Listed {
	readonly team: string;
	readonly id: number;
	readonly pipelineName: string;
}

/**
 * The schedule as the lists shared by one refresh show it. Undefined means only that the lists do not tell
 * enough: the schedule or its pipeline is not in them.
 */
export async function fromLists(context: ProviderContext, which: Listed): Promise<Schedule | undefined> {
	const { lists } = context;
	return pickFrom(which, ...(await Promise.all([lists.schedules(which.team), lists.pipelines(which.team)])));
}

/** The same from lists of a moment ago: for writes that read back what they did. */
export async function fromRecentLists(
	context: ProviderContext,
	which: Listed,
): Promise<Schedule | undefined> {
	const { lists } = context;
	const both = [lists.recentSchedules(which.team), lists.recentPipelines(which.team)] as const;
	return pickFrom(which, ...(await Promise.all(both)));
}

function pickFrom(
	{ id, pipelineName }: Listed,
	items: readonly ScheduleItem[],
	pipelines: readonly Pipeline[],
): Schedule | undefined {
	const item = items.find((candidate) => candidate.id === id);
	// The list leaves out the pipeline; no request can give a schedule another one, so the known name still holds.
	const pipeline = pipelines.find((candidate) => candidate.name === pipelineName);
	if (item === undefined || pipeline === undefined) return undefined;
	return { ...item, pipeline, latest_run: newestRun(pipelines, item, pipeline) };
}

function newestRun(
	pipelines: readonly Pipeline[],
	item: ScheduleItem,
	template: Pipeline,
): Pipeline | undefined {
	const runs = pipelines.filter(
		(p) => p.schedule_name === item.schedule_name && p.pipeline_id !== template.pipeline_id,
	);
	return runs.sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? ""))[0];
}

/**
 * The schedule, or undefined where the service itself says that it is gone: a direct request answers 404 in the
 * service's own words, and the team's list, which must be readable, does not have it either. A proxy's 404, a
 * connection that points elsewhere, or another schedule under the same id are errors: the state is kept.
 */
export async function getOrMissing(
	context: ProviderContext,
	team: string,
	id: number,
	known: Props,
): Promise<Schedule | undefined> {
	let live: Schedule;
	try {
		live = await getSchedule(context, team, id);
	} catch (error) {
		if (!(error instanceof NotFoundError) || !error.fromService) throw error;
		const items = await context.client.schedules.list({ team_name: team });
		if (items.some((item) => item.id === id)) throw error;
		refuseOtherService(context, known, `Schedule ${id} of team "${team}" was not found`);
		return undefined;
	}
	refuseOtherSchedule(context, team, known, live);
	return live;
}

/** Ids start anew on another deployment of the service; the moment of creation does not repeat. */
export function refuseOtherSchedule(
	context: ProviderContext,
	team: string,
	known: Props,
	live: Schedule,
): void {
	const [before, now] = [known.createdAt, live.created_at];
	if (typeof before !== "string" || typeof now !== "string" || sameInstant(before, now)) return;
	throw new Error(
		`Schedule ${live.id} of team "${team}" at ${context.serviceUrl} was created at ${now}, but the one in the state at ` +
			`${before}: it is another schedule under the same id. Check that the connection points to the right service ` +
			`(DATACHAIN_STUDIO_URL or datachain:baseUrl). Nothing was changed.`,
	);
}
