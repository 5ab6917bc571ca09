import { ApiError } from "../../api";
import { renderEnvironment } from "../../schemas/environment";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import { PartlyDoneError, type Props } from "../handler";
import { compact, without } from "../shared/json";
import { differences, liveInputs, toWire } from "../shared/table";
import { liveVariables } from "./environment";
import { SETTINGS, SETTINGS_FIELDS, uncheckedSettings } from "./fields";
import { getPipeline, idOf } from "./find";
import { describeSetting, type Plan } from "./plan";
import type { Previous } from "./previous";

interface Memory {
	readonly previous: Previous;
	readonly adopted: boolean;
}

/**
 * The one way in which settings come to what is declared: for new ones, those taken over, and those that change.
 * Sends what differs, leaves everything else, and reads back until the service shows it.
 */
export async function reconcile(
	call: Call,
	inputs: Props,
	live: Pipeline,
	plan: Plan,
	memory: Memory,
): Promise<Props> {
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const outs = (known: Props, pipeline: Pipeline) => settingsOuts(call, known, pipeline, memory);
	const partly = (known: Props, why: string) => new PartlyDoneError(idOf(team, name), outs(known, live), why);
	// It may have been written: without its memory in the state, what was there before would be forgotten.
	const maybeWritten = (error: unknown) => {
		const known = liveInputs(SETTINGS_FIELDS, inputs, live);
		const why = error instanceof Error ? error.message : String(error);
		// A setting that the service never shows must be sent again, so the state must not hold it as done.
		return partly(without(known, uncheckedSettings(known)), why);
	};
	try {
		await send(call, team, name, plan);
	} catch (error) {
		throw error instanceof ApiError && error.received === false ? error : maybeWritten(error);
	}
	const isDone = (pipeline: Pipeline) => leftOver(inputs, plan, pipeline).length === 0;
	const now = await readBack(call, team, name, isDone).catch((error: unknown) => {
		throw maybeWritten(error);
	});
	const wrong = leftOver(inputs, plan, now);
	if (wrong.length === 0) return outs(inputs, now);
	throw partly(
		liveInputs(SETTINGS_FIELDS, inputs, now),
		`The service accepted the settings of pipeline "${name}" in team "${team}", but shows other values for ` +
			`${wrong.join("; ")}. Run "pulumi up" again; if it stays, compare the settings in the web UI.`,
	);
}

/** What is not as it should be after the write: declared settings, and variables of others that did not come back. */
function leftOver(inputs: Props, plan: Plan, pipeline: Pipeline): string[] {
	const live = liveVariables(pipeline);
	const lost = Object.entries(plan.environment?.foreign ?? {}).filter(
		([name, value]) => live[name] !== value,
	);
	return [
		...differences(SETTINGS, inputs, pipeline).map(({ field }) => describeSetting(field, inputs, pipeline)),
		...lost.map(([name]) => `the variable ${name} of others`),
	];
}

/** Sends the plan in one request, and the pause in its own; nothing where the plan is empty. */
export async function send(call: Call, team: string, name: string, plan: Plan): Promise<void> {
	const body = toWire(SETTINGS, Object.keys(plan.settings), plan.settings);
	if (plan.environment !== undefined) {
		body.environment = renderEnvironment(plan.environment.own, plan.environment.foreign);
	}
	let isWritten = false;
	call.lists.drop(team);
	try {
		if (Object.keys(body).length > 0) {
			await call.client.pipelines.settings({ team_name: team, pipeline_name: name, ...body });
			isWritten = true;
		}
		const target = { team_name: team, name };
		if (plan.paused === true) await call.client.pipelines.pause(target);
		if (plan.paused === false) await call.client.pipelines.resume(target);
	} catch (error) {
		// That the service got nothing is true of the failed request only, where an earlier one was done.
		throw isWritten && error instanceof ApiError ? new Error(error.message, { cause: error }) : error;
	} finally {
		call.lists.drop(team);
	}
}

/** The pipeline once it is as expected, or as it is when all patience is used up. */
export async function readBack(
	call: Call,
	team: string,
	name: string,
	isDone: (pipeline: Pipeline) => boolean,
): Promise<Pipeline> {
	let pipeline = await getPipeline(call, team, name);
	for (const pause of call.patience) {
		if (isDone(pipeline)) break;
		await call.time.sleep(pause);
		pipeline = await getPipeline(call, team, name);
	}
	return pipeline;
}

export function settingsOuts(call: Call, inputs: Props, pipeline: Pipeline, memory: Memory): Props {
	return compact({
		...inputs,
		pipelineId: pipeline.pipeline_id,
		uncheckedKeys: uncheckedSettings(inputs),
		// Encrypted as a whole by the host: it holds values that others had set.
		previous: JSON.stringify(memory.previous),
		adopted: memory.adopted,
		serviceUrl: call.serviceUrl,
	});
}
