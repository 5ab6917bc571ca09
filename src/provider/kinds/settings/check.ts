import { isDeepStrictEqual } from "node:util";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { list } from "../../../text/wording";
import { resourceName } from "../../model/messages";
import { containsUnknown, type Problem, type Props } from "../../model/props";
import { changes } from "../../model/table";
import type { Call } from "../../run/context";
import type { Change } from "../../run/kind";
import { noSuchPipeline } from "../../run/outcome";
import { pauseNotice } from "../../run/pauses";
import {
	consentProblem,
	consentProblemOfCreate,
	describeWrite,
	takenSettings,
	valuesInTheWay,
} from "./consent";
import { declaredSettings, SETTINGS, uncheckedSettings } from "./fields";
import { findSoon, idOf, label, placeOf } from "./find";
import { VARIABLE_INPUTS } from "./variables";
import { carryProblem, settingsWrite } from "./write";

export function declaresSomething(inputs: Props): Problem[] {
	if (declaredSettings(inputs).length > 0) return [];
	const keys = Object.keys(SETTINGS).join(", ");
	const reason = `No setting is declared, so there is nothing to manage. Declare one of ${keys}.`;
	return [{ field: "pipelineName", reason }];
}

const onlyKnown = (inputs: Props): Props =>
	Object.fromEntries(
		Object.entries(inputs).filter(([, value]) => !containsUnknown(value)),
	);

/** Tells at preview: a pipeline that does not exist, settings of other users, what will be written. */
export async function checkLive(
	call: Call,
	inputs: Props,
	before: Props,
): Promise<Problem[]> {
	const decided = onlyKnown(inputs);
	const [team, name] = placeOf(inputs);
	// On another pipeline the resource has nothing yet.
	const isThere = before.pipelineName === name && (before.teamName ?? team) === team;
	const olds = isThere ? before : {};
	const isNew = olds.pipelineName === undefined;
	const pipeline = await findSoon(call, team, name, decided);
	if (pipeline === undefined)
		return [{ field: "pipelineName", reason: await noSuchPipeline(call, team, name) }];
	const paused = typeof decided.paused === "boolean" ? decided.paused : undefined;
	await pauseNotice(call, { teamName: team, pipelineName: name, paused });
	const isCertain =
		isNew && call.previewsStep && !mayBeOwn(call, decided, olds, pipeline);
	const refused = await (isCertain ? consentProblemOfCreate : consentProblem)(
		call,
		decided,
		olds,
		pipeline,
	);
	// New settings may be on the pipeline of a resource that moves away and has not had its turn: then a preview only warns.
	if (refused !== undefined && (!isNew || isCertain))
		return [{ field: "adopt", reason: refused }];
	if (refused !== undefined) {
		if (call.preview)
			call.notice(
				`${resourceName(call.urn)}: ${valuesInTheWay(call, decided, olds, pipeline)}. Unless a resource of this program has them, ` +
					"the deployment will fail: set adopt to true to manage them, or leave these inputs out.",
			);
		return [];
	}
	const change: Change = { inputs: decided, olds, isUpdate: !isNew, adopted: false };
	const problem = carryProblem(name, settingsWrite(change, pipeline), pipeline);
	if (problem !== undefined) return [{ field: "environment", reason: problem }];
	if (inputs.adopt === true && isNew) notifyAdoption(call, inputs, olds, pipeline);
	else if (!isNew) notifyRestored(call, decided, olds, pipeline);
	return [];
}

/** Equal values may be the resource's own, if its replacement was asked for; the engine tells nothing of that. */
const mayBeOwn = (
	call: Call,
	inputs: Props,
	olds: Props,
	pipeline: Pipeline,
): boolean =>
	takenSettings(call, inputs, olds, pipeline).every(({ equal }) => equal) ||
	call.owners.mayBeReleased({
		kind: "PipelineSettings",
		team: String(inputs.teamName),
		id: idOf(...placeOf(inputs)),
	});

/** What an adoption changes, which the engine's diff does not show. */
function notifyAdoption(
	call: Call,
	inputs: Props,
	olds: Props,
	pipeline: Pipeline,
): void {
	const decided = onlyKnown(inputs);
	const [team, name] = placeOf(inputs);
	const written = differing(decided, pipeline).map((key) =>
		describeWrite(call, key, decided, pipeline),
	);
	const unchecked = uncheckedSettings(inputs);
	const unknown = declaredSettings(inputs).filter(
		(key) => decided[key] === undefined && !unchecked.includes(key),
	);
	const maybe =
		unknown.length > 0 ? `maybe ${list(unknown)}, whose values are not known yet` : "";
	const all = [...written, ...unchecked].join("; ");
	const effect = [all, maybe].filter((text) => text !== "").join(", and ");
	const taken = takenSettings(call, decided, olds, pipeline);
	if (taken.length === 0 && effect === "") return;
	call.notice(
		`Adopting the settings of pipeline "${name}" in team "${team}"${effect === "" ? ": nothing will change." : ` will write ${effect}.`}`,
	);
}

const differing = (declared: Props, pipeline: Pipeline): string[] =>
	declaredSettings(declared).filter((key) => {
		const { fromLive: read, isReported, same } = SETTINGS[key] ?? {};
		if (read === undefined || isReported?.(pipeline) === false) return false;
		return same?.(read(pipeline, declared), declared[key]) === false;
	});

/** An update also restores declared settings that another user changed, which the engine's diff does not show. */
function notifyRestored(
	call: Call,
	decided: Props,
	olds: Props,
	pipeline: Pipeline,
): void {
	// The check has told of a pause.
	const changed = changes(SETTINGS, olds, decided).flatMap(({ field }) =>
		VARIABLE_INPUTS.includes(field) ? [] : field,
	);
	const unchanged = withUnchangedParts(decided, olds);
	const restored = differing(unchanged, pipeline).filter(
		(key) => !["paused", ...changed].includes(key),
	);
	if (restored.length === 0) return;
	const text = restored
		.map((key) => describeWrite(call, key, unchanged, pipeline))
		.join("; ");
	call.notice(
		`${label(decided)} were changed outside Pulumi. The update will restore: ${text}.`,
	);
}

/** Of `environment` and `storage` only what the program has not changed: the engine's diff shows the rest. */
function withUnchangedParts(decided: Props, olds: Props): Props {
	const unchanged = (key: string) =>
		Object.entries(Object(decided[key])).filter(([name, value]) =>
			isDeepStrictEqual(value, Object(olds[key])[name]),
		);
	const parts = VARIABLE_INPUTS.filter((key) => decided[key] !== undefined);
	return {
		...decided,
		...Object.fromEntries(
			parts.map((key) => [key, Object.fromEntries(unchanged(key))]),
		),
	};
}
