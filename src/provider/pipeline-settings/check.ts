import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { CheckResult, Problem, Props } from "../handler";
import { checkFields } from "../shared/check-fields";
import { claims } from "../shared/claims";
import { without } from "../shared/json";
import { pauseNotice } from "../shared/pause-notices";
import { changes } from "../shared/table";
import { withTeam } from "../shared/team";
import { containsUnknown } from "../shared/unknown";
import { ifInterrupted, ifOurs } from "../shared/ways-out";
import { resourceName } from "../urn";
import { checkStorageConfigs } from "./check-storage";
import { storageNames } from "./environment";
import { declaredSettings, SETTINGS, SETTINGS_FIELDS } from "./fields";
import { findIn, getOrMissing, idOf, noSuchPipeline, settingsRef } from "./find";
import {
	describeSetting,
	leftStorage,
	type Plan,
	planOf,
	planProblems,
	removedVariables,
	takenSettings,
	touchedKeys,
} from "./plan";
import { type Previous, parsePrevious, remember } from "./previous";

export async function checkSettings(call: Call, olds: Props, news: Props): Promise<CheckResult> {
	const { inputs, problems } = withTeam(call, olds, { ...news, onDestroy: news.onDestroy ?? "keep" });
	const doubled =
		`both declare the settings of pipeline "${String(inputs.pipelineName)}" in team "${String(inputs.teamName)}". Declare them in ` +
		"one PipelineSettings resource.";
	const found = [
		...problems,
		...checkFields(SETTINGS_FIELDS, olds, inputs),
		...checkStorageConfigs(call, olds, inputs),
		...declaresSomething(inputs),
		...claims(call, "PipelineSettings", inputs, doubled),
	];
	const touched = call.secretsMoved || changes(SETTINGS_FIELDS, olds, inputs).length > 0;
	const named = !containsUnknown([inputs.pipelineName, inputs.teamName]);
	if (found.length > 0 || !touched || !named) return { inputs, problems: found };
	return { inputs, problems: await preflight(call, olds, inputs) };
}

function declaresSomething(inputs: Props): Problem[] {
	if (declaredSettings(inputs).length > 0) return [];
	const keys = Object.keys(SETTINGS).join(", ");
	const reason = `No setting is declared, so there is nothing to manage. Declare one of ${keys}.`;
	return [{ field: "pipelineName", reason }];
}

/** What a preview can already tell: a pipeline that does not exist, settings that others made, what will be written. */
async function preflight(call: Call, olds: Props, inputs: Props): Promise<Problem[]> {
	const known = onlyKnown(inputs);
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const id = idOf(team, name);
	const isNew = olds.pipelineName === undefined;
	const pipeline =
		findIn(await call.lists.glancePipelines(team), name, known) ?? (await getOrMissing(call, team, name, {}));
	if (pipeline === undefined)
		return [{ field: "pipelineName", reason: await noSuchPipeline(call, team, name) }];
	const paused = typeof known.paused === "boolean" ? known.paused : undefined;
	await pauseNotice(call, { teamName: team, pipelineName: name, paused });
	const refused = refusal(call, known, olds, pipeline);
	// A key that is added to settings under management is refused at once. New settings may get the pipeline from a
	// resource whose turn comes later: that is decided when they are written, and a preview can only warn.
	if (refused !== undefined && !isNew) return [{ field: "adopt", reason: refused }];
	if (refused !== undefined) {
		const what = inTheWay(call, known, olds, pipeline);
		if (call.preview && call.ownership.fate(settingsRef(team, id)).is !== "leaving") {
			call.notice(
				`${resourceName(call.urn)}: ${what}. Unless a resource of this program gives them up in this deployment, they will be ` +
					"refused: set adopt: true to take them over, or leave these inputs out.",
			);
		}
		return [];
	}
	const before = parsePrevious(olds);
	const plan = planOf(known, olds, pipeline, before);
	tellWhatHappens(call, known, olds, pipeline, plan);
	// What was there before, as the resource that let these settings go in this run remembered it.
	const left = call.handover.of(id);
	const previous = remember(known, olds, pipeline, before, left && parsePrevious(left.outs));
	return planProblems(known, plan, newIn(previous, olds)).map((reason) => ({ field: "environment", reason }));
}

/** The inputs in the state do not hold the memory of what was there before, so only what is remembered now is judged. */
const newIn = (previous: Previous, olds: Props): Previous =>
	olds.environment === undefined
		? { ...previous, variables: without(previous.variables, storageNames(olds)) }
		: { settings: previous.settings, variables: {} };

const onlyKnown = (inputs: Props): Props =>
	Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsUnknown(value)));

/** What may not be taken without being asked, as a list for people; undefined where nothing is in the way. */
function inTheWay(call: Call, inputs: Props, olds: Props, pipeline: Pipeline): string | undefined {
	if (inputs.adopt === true) return undefined;
	const taken = takenSettings(inputs, olds, pipeline, leftByUs(call, inputs));
	if (taken.length === 0 || (call.adoptEqual && taken.every(({ equal }) => equal))) return undefined;
	const list = taken.map(({ key, equal }) =>
		equal ? `${key} (the same value)` : describeSetting(key, inputs, pipeline),
	);
	return (
		`pipeline "${String(inputs.pipelineName)}" in team "${String(inputs.teamName)}" already has settings that are not this ` +
		`program's: ${list.join("; ")}`
	);
}

/** Why the settings may not be taken; undefined where they may. */
export function refusal(call: Call, inputs: Props, olds: Props, pipeline: Pipeline): string | undefined {
	const what = inTheWay(call, inputs, olds, pipeline);
	if (what === undefined) return undefined;
	return (
		`P${what.slice(1)}. They were left alone. Set adopt: true to take them over, or leave these inputs out. ` +
		`${ifOurs("has them and gives them up")} ${ifInterrupted("them")}`
	);
}

/** What a resource of this stack has let go there, or is about to, as far as this run knows: our own values, not somebody's. */
export function leftByUs(call: Call, inputs: Props): Props {
	const id = idOf(String(inputs.teamName), String(inputs.pipelineName));
	const left = call.handover.of(id);
	if (left === undefined) return {};
	const fate = call.ownership.fate(settingsRef(String(inputs.teamName), id));
	const isLetGo = fate.is === "gone" || fate.is === "leaving" || (fate.is === "unknown" && fate.ours);
	return left.by === call.urn || isLetGo ? left.outs : {};
}

/** Everything that will be written and that the engine's own diff does not show. */
function tellWhatHappens(call: Call, inputs: Props, olds: Props, pipeline: Pipeline, plan: Plan): void {
	const isNew = olds.pipelineName === undefined;
	const name = String(inputs.pipelineName);
	const shownByEngine = isNew ? [] : changes(SETTINGS, olds, inputs).map(({ field }) => field);
	const touched = touchedKeys(inputs, olds, pipeline);
	const written = touched.filter((key) => !shownByEngine.includes(key));
	const taken = takenSettings(inputs, olds, pipeline, leftByUs(call, inputs)).map(({ key }) => key);
	const list = [...new Set([...written, ...taken.filter((key) => touched.includes(key))])]
		.map((key) => describeSetting(key, inputs, pipeline))
		.join("; ");
	if (inputs.adopt === true && isNew) {
		call.notice(
			`Adopting the settings of pipeline "${name}" in team "${String(inputs.teamName)}"` +
				(list === "" ? ": nothing will change." : ` will write ${list}.`),
		);
	} else if (!isNew && list !== "") {
		call.notice(`${resourceName(call.urn)} will also write, on pipeline "${name}": ${list}.`);
	}
	const removed = removedVariables(plan, olds, pipeline);
	if (removed.length > 0) {
		call.notice(
			`${resourceName(call.urn)} will remove variables that others set on pipeline "${name}": ${removed.join(", ")}.`,
		);
	}
	const left = leftStorage(inputs, olds);
	if (left.length > 0) {
		call.notice(
			`${resourceName(call.urn)} will put ${left.join(", ")} on pipeline "${name}" back as before: its storage is no longer declared.`,
		);
	}
}
