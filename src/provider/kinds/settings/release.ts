import { pollAfterWrite } from "../../../client/read-back";
import { PipelineSettingsOnDestroy } from "../../../schemas/enums";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { type StorageKind, storageVariable } from "../../../storage/rules";
import { type Props, pick, without } from "../../model/props";
import type { Call } from "../../run/context";
import type { Change } from "../../run/kind";
import { isPauseDeclared } from "../../run/pauses";
import { declaredSettings } from "./fields";
import { getPipelineOf, label, placeOf, readSame } from "./find";
import { VARIABLE_INPUTS, variableNames } from "./variables";
import {
	carryProblem,
	sendSettings,
	settingsWrite,
	writesNothing,
	wrongAfter,
} from "./write";

/**
 * A pipeline's settings have no delete: they are kept or reset, as the program declared. What another resource declares now
 * (`declared`) stays.
 */
export async function release(
	call: Call,
	outs: Props,
	declared: Props = {},
): Promise<void> {
	if (outs.onDestroy === "restore") throw new Error(restoreIsGone(outs));
	const rest = withoutDeclared(outs, declared);
	if (outs.onDestroy !== PipelineSettingsOnDestroy.Reset)
		return leftoverNotice(call, rest);
	const [team, name] = placeOf(outs);
	const pipeline = await getPipelineOf(call, outs);
	if (pipeline === undefined) return;
	// A read may be behind what the other resource has just written, so its variables are sent as it declares them.
	const inputs = {
		teamName: team,
		pipelineName: name,
		...pick(declared, VARIABLE_INPUTS),
	};
	const olds = isPauseDeclared(call, team, name)
		? { ...rest, paused: undefined }
		: rest;
	const change: Change = { inputs, olds, isUpdate: false, adopted: false };
	const write = settingsWrite(change, pipeline);
	const problem = carryProblem(name, write, pipeline);
	if (problem !== undefined)
		throw new Error(`${problem} Or set onDestroy to "keep" and deploy that first.`);
	if (writesNothing(write)) return;
	await sendSettings(call, team, name, write);
	const wrong = (live: Pipeline) => wrongAfter(call, change, write, pipeline, live);
	const now = await pollAfterWrite(
		call,
		"PipelineSettings",
		() => readSame(call, team, pipeline),
		(live) => wrong(live).length === 0,
	);
	const left = wrong(now);
	if (left.length === 0) return;
	throw new Error(
		`The service accepted the request to reset the settings of pipeline "${name}" in team "${team}", but still returns the old ` +
			`ones: ${left.map(({ text }) => text).join("; ")}. Run the command again; if that does not help, compare the settings in the web UI.`,
	);
}

/** What only the state has, and not the inputs of another resource. */
function withoutDeclared(outs: Props, declared: Props): Props {
	const names = [...variableNames(declared)];
	const storage = Object.entries(Object(outs.storage) as Props).filter(
		([kind]) => !names.includes(storageVariable(kind as StorageKind) ?? ""),
	);
	const settings = declaredSettings(declared).filter(
		(key) => !VARIABLE_INPUTS.includes(key),
	);
	return {
		...without(outs, settings),
		...(outs.environment !== undefined && {
			environment: without(Object(outs.environment), names),
		}),
		...(outs.storage !== undefined && { storage: Object.fromEntries(storage) }),
	};
}

const restoreIsGone = (outs: Props): string =>
	`${label(outs)} were deployed with onDestroy "restore", which is no longer supported. Nothing was changed. Set onDestroy to "keep" ` +
	'or "reset" and run "pulumi up", then delete the resource.';

/** Variables may hold secrets, so whoever destroys a stack should know that they stay. */
function leftoverNotice(call: Call, outs: Props): void {
	const names = [...variableNames(outs)];
	if (names.length === 0) return;
	const isSecret = [...call.secrets, ...call.secretsBefore].includes("environment");
	const variables = isSecret
		? "its variables"
		: `the variables ${names.sort().join(", ")}`;
	call.notice(
		`Pipeline "${String(outs.pipelineName)}" keeps ${variables}, because onDestroy is "keep". To remove them, set onDestroy to "reset" and ` +
			"deploy before you destroy, or remove them in the web UI.",
	);
}
