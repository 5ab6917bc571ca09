import { pollUntilDefined } from "../../client/read-back";
import { getPipeline } from "../../operations/pipelines";
import type { Pipeline } from "../../schemas/wire/pipeline";
import { parseInstant } from "../../text/instant";
import { noPipeline } from "../../text/wording";
import type { Props } from "../model/props";
import type { Call } from "./context";
import { firstPipelinesByName } from "./team-lists";

// ── Whether an object is missing ────────────────────────────────────────────────────────────────────────────────────

/** A read that lags behind may miss an object that was created less than this ago. */
export const YOUNG_MILLIS = 60_000;

/** An object that an interrupted deployment created is adopted within this time; an older one is somebody's. */
export const RECENT_MILLIS = 3_600_000;

/** By our own clock if the state has the time of creation by it; the service's may differ. */
export function isYoung({ madeAt, time, serviceNow }: Call, recorded: Props): boolean {
	if (madeAt !== undefined) return Math.abs(time.now() - madeAt) < YOUNG_MILLIS;
	const at =
		typeof recorded.createdAt === "string"
			? parseInstant(recorded.createdAt)
			: undefined;
	return at !== undefined && Math.abs(serviceNow() - at) < YOUNG_MILLIS;
}

/** Looks once, or with patience if the object is young. */
export function pollIfRecent<T>(
	call: Call,
	recorded: Props,
	look: () => Promise<T | undefined>,
): Promise<T | undefined> {
	const readBackDelays = isYoung(call, recorded) ? call.readBackDelays : [];
	return pollUntilDefined({ time: call.time, readBackDelays }, look);
}

/** The pipeline as a recent list shows it. */
export const listedPipeline = async (
	call: Call,
	team: string,
	name: string,
): Promise<Pipeline | undefined> =>
	firstPipelinesByName(await call.lists.pipelines(team, "recent")).get(name);

/** From a recent list, or asked for directly. */
export const pipelineSoon = async (
	call: Call,
	team: string,
	name: string,
): Promise<Pipeline> =>
	(await listedPipeline(call, team, name)) ?? getPipeline(call, team, name);

/** Why the input is wrong, with the names that there are. */
export async function noSuchPipeline(
	call: Call,
	team: string,
	name: string,
): Promise<string> {
	const names = (await call.lists.pipelines(team, "recent")).map(
		(pipeline) => pipeline.name,
	);
	return `pipelineName: ${noPipeline(team, name, names)}`;
}

/** "Not found" proves nothing if the state was deployed to another service: dropping it would lose the state. */
export function refuseOtherService(call: Call, recorded: Props, subject: string): void {
	if (
		typeof recorded.serviceUrl !== "string" ||
		recorded.serviceUrl === call.serviceUrl
	)
		return;
	throw new Error(
		`${subject}, but it was deployed to ${recorded.serviceUrl} and the connection now points to ${call.serviceUrl}. ` +
			"Set DATACHAIN_STUDIO_URL (or datachain:baseUrl) to the service it was deployed to. Nothing was changed.",
	);
}
