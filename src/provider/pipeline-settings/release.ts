import { foreignVariableProblem } from "../../schemas/environment";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { Props } from "../handler";
import { withoutMarks } from "../shared/foreign";
import { without } from "../shared/json";
import { deepEqual } from "../shared/table";
import { type LiveVariables, liveVariables, storageNames } from "./environment";
import { declaredSettings, SETTINGS, uncheckedSettings } from "./fields";
import { getOrMissing } from "./find";
import type { Plan } from "./plan";
import { parsePrevious, previousVariable } from "./previous";
import { readBack, send } from "./reconcile";

/** What happens when Pulumi lets go: by default nothing, because a pipeline's settings have no delete. */
export async function release(call: Call, team: string, outs: Props): Promise<void> {
	if (outs.onDestroy !== "restore" && outs.onDestroy !== "reset") return;
	const name = String(outs.pipelineName);
	const pipeline = await getOrMissing(call, team, name, outs);
	if (pipeline === undefined) return;
	const plan = planOnRelease(call, outs, pipeline);
	await send(call, team, name, plan);
	const now = await readBack(call, team, name, (live) => isReleased(plan, live));
	if (!isReleased(plan, now)) {
		throw new Error(
			`The service accepted to ${outs.onDestroy} the settings of pipeline "${name}" in team "${team}", but still shows others. ` +
				"Run the command again; if it stays, compare the settings in the web UI.",
		);
	}
	const lost = uncheckedSettings(outs);
	if (outs.onDestroy === "restore" && lost.length > 0) {
		call.notice(
			`The ${lost.join(" and ")} of pipeline "${name}" stay as they are: the service does not show what was there before.`,
		);
	}
}

function planOnRelease(call: Call, outs: Props, pipeline: Pipeline): Plan {
	const { settings: before } = parsePrevious(outs);
	const keys = declaredSettings(outs);
	const settings =
		outs.onDestroy === "reset"
			? keys.map((key) => [key, SETTINGS[key]?.cleared])
			: keys
					.filter((key) => Object.hasOwn(before, key))
					.map((key) => [key, before[key] ?? SETTINGS[key]?.cleared]);
	const foreign = environmentOnRelease(call, outs, pipeline);
	const restoresPause =
		outs.onDestroy === "restore" &&
		outs.paused !== undefined &&
		!call.pauses.isDeclared(String(outs.teamName), String(outs.pipelineName));
	const paused = restoresPause ? before.paused : undefined;
	return {
		settings: Object.fromEntries(settings),
		...(foreign !== undefined && { environment: { own: {}, foreign } }),
		...(typeof paused === "boolean" && { paused }),
	};
}

/**
 * Our own variables go back to what they were, or away; what others added meanwhile stays. Where something of theirs
 * cannot be sent back as it is, the environment is left alone as a whole: a destroy must be able to end.
 */
function environmentOnRelease(call: Call, outs: Props, pipeline: Pipeline): LiveVariables | undefined {
	if (outs.environment === undefined && outs.storage === undefined) return undefined;
	const previous = parsePrevious(outs);
	const restored = outs.onDestroy === "restore" ? (previous.environment ?? {}) : {};
	// After a refresh the state also names the variables of others, by a mark.
	const ours = [...Object.keys(Object(withoutMarks(outs.environment))), ...storageNames(outs)];
	const after: Record<string, string | null> = { ...without(liveVariables(pipeline), ours) };
	if (outs.environment !== undefined) Object.assign(after, without(restored, storageNames(outs)));
	for (const name of storageNames(outs)) {
		const value = outs.onDestroy === "restore" ? previousVariable(previous, name) : null;
		if (value !== null) after[name] = value;
	}
	const unsendable = Object.entries(after).flatMap(
		([name, value]) => foreignVariableProblem(name, value) ?? [],
	);
	if (unsendable.length === 0) return after;
	call.notice(
		`The environment of pipeline "${String(outs.pipelineName)}" stays as it is: ${unsendable.join("; ")}. Remove what is no ` +
			"longer wanted in the web UI.",
	);
	return undefined;
}

function isReleased(plan: Plan, live: Pipeline): boolean {
	const settings = Object.entries(plan.settings).every(([key, value]) => {
		const setting = SETTINGS[key];
		return setting?.raw === undefined || setting.same?.(setting.raw(live), value) !== false;
	});
	const environment =
		plan.environment === undefined || deepEqual(liveVariables(live), plan.environment.foreign);
	return (
		settings && environment && (plan.paused === undefined || SETTINGS.paused?.raw?.(live) === plan.paused)
	);
}
