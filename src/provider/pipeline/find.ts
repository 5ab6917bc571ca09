import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { Props } from "../handler";
import type { ObjectRef } from "../ownership";
import { missingIsUndefined, refuseOtherService } from "../shared/not-found";
import { seenSoon, YOUNG_MILLIS } from "../time";

export const pipelineRef = (team: string, id: string): ObjectRef => ({ kind: "Pipeline", team, id });

/** A schedule runs copies of its pipeline; they have the schedule's name. */
export const isRunOfASchedule = ({ schedule_name, is_template }: Pipeline): boolean =>
	Boolean(schedule_name) && is_template !== true;

/** The pipeline of this id and name; undefined where the service itself says that there is none. */
export async function findPipeline(
	call: Call,
	team: string,
	id: string,
	known: Props,
): Promise<Pipeline | undefined> {
	const isYoung = call.madeAt !== undefined && call.time.now() - call.madeAt < YOUNG_MILLIS;
	return seenSoon({ time: call.time, patience: isYoung ? call.patience : [] }, async () => {
		const found = await lookOnce(call, team, id, known);
		if (found !== undefined) return found;
		refuseOtherService(call, known, `Pipeline "${String(known.name ?? id)}" of team "${team}" was not found`);
		return undefined;
	});
}

/**
 * The status is asked for by name; the list, which must be readable, is what confirms that there is none. Where nothing is
 * known yet (an import), the id may be the name.
 */
async function lookOnce(call: Call, team: string, id: string, known: Props): Promise<Pipeline | undefined> {
	const isNew = typeof known.name !== "string";
	const name = isNew ? id : String(known.name);
	const pipeline = await call.client.pipelines.status({ team_name: team, name }).catch(missingIsUndefined);
	if (pipeline && (isNew || pipeline.pipeline_id === id)) return pipeline;
	const all = await call.lists.freshPipelines(team);
	return all.find((one) => one.pipeline_id === id || (isNew && one.name === id));
}
