import { parseInstant, sameInstant } from "../../schemas/instant";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Schedule, ScheduleItem } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import type { Props } from "../handler";
import type { ObjectRef } from "../ownership";
import { missingIsUndefined, refuseOtherService } from "../shared/not-found";
import { YOUNG_MILLIS } from "../time";

export const scheduleRef = (team: string, id: number | string): ObjectRef => ({
	kind: "PipelineSchedule",
	team,
	id: String(id),
});

export function getSchedule(call: Call, team: string, id: number): Promise<Schedule> {
	return call.client.schedules.get({ team_name: team, schedule_id: id });
}

/**
 * The schedule as the shared lists show it. Undefined means only that the lists do not tell enough: the schedule or its
 * pipeline is not in them.
 */
export async function fromLists(
	id: number,
	pipelineName: string,
	schedules: Promise<readonly ScheduleItem[]>,
	pipelines: Promise<readonly Pipeline[]>,
): Promise<Schedule | undefined> {
	const [items, all] = await Promise.all([schedules, pipelines]);
	const item = items.find((candidate) => candidate.id === id);
	// The list leaves out the pipeline; no request can give a schedule another one, so the known name still holds.
	const pipeline = all.find((candidate) => candidate.name === pipelineName);
	if (item === undefined || pipeline === undefined) return undefined;
	const [newestRun] = all
		.filter((run) => run.schedule_name === item.schedule_name && run.pipeline_id !== pipeline.pipeline_id)
		.sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? ""));
	return { ...item, pipeline, latest_run: newestRun };
}

/**
 * The schedule, or undefined where the service itself says that it is gone: a direct request answers 404 in the
 * service's own words, and the team's list, which must be readable, does not have it either. A proxy's 404, a
 * connection that points elsewhere, or another schedule under the same id are errors: the state is kept. What was
 * made a moment ago is asked for again before it counts as gone, because reads may lag behind writes; so is what
 * the list still shows.
 */
export async function getOrMissing(
	call: Call,
	team: string,
	id: number,
	known: Props,
): Promise<Schedule | undefined> {
	for (let look = 0; ; look += 1) {
		const { live, listed } = await lookOnce(call, team, id);
		if (live !== undefined) {
			refuseOtherSchedule(call, team, known, live);
			return live;
		}
		// No patience makes another service show it.
		refuseOtherService(call, known, `Schedule ${id} of team "${team}" was not found`);
		const pause = listed || isYoung(call, known) ? call.patience[look] : undefined;
		if (pause !== undefined) await call.time.sleep(pause);
		else if (listed) throw listedButMissing(team, id);
		else return undefined;
	}
}

/** The schedule at the first look, for checks, which must not wait; undefined where the service does not show it. */
export async function getNow(call: Call, team: string, id: number): Promise<Schedule | undefined> {
	return (await lookOnce(call, team, id)).live;
}

/** `listed` also where the list still has what a direct request does not know. */
async function lookOnce(call: Call, team: string, id: number): Promise<{ live?: Schedule; listed: boolean }> {
	const live = await getSchedule(call, team, id).catch(missingIsUndefined);
	if (live !== undefined) return { live, listed: true };
	const items = await call.lists.freshSchedules(team);
	return { live, listed: items.some((item) => item.id === id) };
}

const listedButMissing = (team: string, id: number): Error =>
	new Error(
		`Schedule ${id} of team "${team}" is in the service's list, but the service answers 404 when it is asked for it. ` +
			"Nothing was changed. Run the command again in a minute; if it stays, ask whoever runs the service.",
	);

/** By our own clock where the state has it: the service's may differ. */
function isYoung(call: Call, known: Props): boolean {
	const createdAt = typeof known.createdAt === "string" ? parseInstant(known.createdAt) : undefined;
	const madeAt = call.madeAt ?? createdAt;
	return madeAt !== undefined && Math.abs(call.time.now() - madeAt) < YOUNG_MILLIS;
}

/**
 * Ids start anew on another deployment of the service; the moment of creation does not repeat. A state that was
 * kept after a failure may not know that moment: then name and pipeline must be the known ones.
 */
export function refuseOtherSchedule(call: Call, team: string, known: Props, live: Schedule): void {
	const [before, now] = [known.createdAt, live.created_at];
	if (typeof before !== "string" || typeof now !== "string") {
		if (isNamedAs(known, live)) return;
		throw new Error(
			`Schedule ${live.id} of team "${team}" is "${live.schedule_name ?? ""}" on pipeline "${live.pipeline?.name ?? "unknown"}", ` +
				`and the state expects "${String(known.scheduleName)}" on "${String(known.pipelineName)}": it is somebody else's. Nothing ` +
				'was changed. Remove the resource from the state with "pulumi state delete <urn>", then run "pulumi up".',
		);
	}
	if (sameInstant(before, now)) return;
	throw new Error(
		`Schedule ${live.id} of team "${team}" at ${call.serviceUrl} was created at ${now}, but the one in the state at ` +
			`${before}: it is another schedule under the same id. Check that the connection points to the right service ` +
			`(DATACHAIN_STUDIO_URL or datachain:baseUrl). Nothing was changed.`,
	);
}

const isNamedAs = (known: Props, live: Schedule): boolean =>
	known.scheduleName === undefined ||
	(live.schedule_name === known.scheduleName &&
		(!live.pipeline?.name || live.pipeline.name === known.pipelineName));
