import { isDeepStrictEqual } from "node:util";
import { pollAfterWrite } from "../../../client/read-back";
import { PipelineSettingsOnDestroy } from "../../../schemas/enums";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { type StorageKind, storageVariable } from "../../../storage/rules";
import { list } from "../../../text/wording";
import { resourceName } from "../../model/messages";
import {
	containsUnknown,
	type Problem,
	type Props,
	pick,
	without,
} from "../../model/props";
import { changes, checkFields, withDefaults } from "../../model/table";
import type { Call } from "../../run/context";
import type { ReadResult } from "../../run/handler";
import { findByImportId } from "../../run/import-id";
import type { Change, NamedKind } from "../../run/kind";
import { namedLifecycle } from "../../run/named-lifecycle";
import { isYoung, noSuchPipeline, refuseOtherService } from "../../run/outcome";
import { isPauseDeclared, pauseNotice } from "../../run/pauses";
import { firstPipelinesByName } from "../../run/team-lists";
import {
	consentProblem,
	consentProblemOfCreate,
	describeWrite,
	takenSettings,
	valuesInTheWay,
} from "./consent";
import {
	checkStorageConfigs,
	declaredSettings,
	SETTINGS,
	SETTINGS_FIELDS,
	shownSettings,
	uncheckedSettings,
	variableNames,
} from "./fields";
import {
	carryProblem,
	isEmpty,
	PARTS,
	pipelineOrMissing,
	planSettings,
	readSame,
	sendSettings,
	settingsWrite,
	wrongAfter,
} from "./write";

const placeOf = ({ teamName, pipelineName }: Props): [team: string, name: string] => [
	String(teamName),
	String(pipelineName),
];

const idOf = (team: string, pipelineName: string): string => `${team}/${pipelineName}`;

const label = (inputs: Props): string => {
	const [team, name] = placeOf(inputs);
	return `The settings of pipeline "${name}" in team "${team}"`;
};

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The pipeline in a list; undefined if the list omits it, or omits a setting that must be compared. */
export function findIn(
	pipelines: readonly Pipeline[],
	name: string,
	recorded: Props,
): Pipeline | undefined {
	const pipeline = firstPipelinesByName(pipelines).get(name);
	if (pipeline === undefined) return undefined;
	const isComplete = declaredSettings(recorded).every((key) => {
		const { fromLive: read, isReported } = SETTINGS[key] ?? {};
		return read === undefined || isReported?.(pipeline) !== false;
	});
	return isComplete ? pipeline : undefined;
}

/** Asked for directly: the pipeline of the state, or of the name if the state does not know an id. */
async function getPipelineOf(
	call: Call,
	recorded: Props,
): Promise<Pipeline | undefined> {
	const [team, name] = placeOf(recorded);
	// What the state has was there a moment ago.
	const isDeployed = Object.keys(recorded).length > 2;
	const pipeline = await pipelineOrMissing(
		call,
		team,
		name,
		isDeployed && isYoung(call, recorded),
	);
	if (pipeline === undefined)
		refuseOtherService(
			call,
			recorded,
			`Pipeline "${name}" of team "${team}" was not found`,
		);
	return isSamePipeline(recorded, pipeline) ? pipeline : undefined;
}

/** Rule 1: a pipeline that was deleted and made again under its name has another id. */
const isSamePipeline = (
	{ pipelineId }: Props,
	pipeline: Pipeline | undefined,
): boolean => pipelineId === undefined || pipeline?.pipeline_id === pipelineId;

/** From a recent list, or asked for directly. */
async function findSoon(
	call: Call,
	team: string,
	name: string,
	recorded: Props,
): Promise<Pipeline | undefined> {
	const listed = findIn(await call.lists.pipelines(team, "recent"), name, recorded);
	return listed ?? pipelineOrMissing(call, team, name, false);
}

// ── Check and preview ───────────────────────────────────────────────────────────────────────────────────────────────

function declaresSomething(inputs: Props): Problem[] {
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
async function checkLive(call: Call, inputs: Props, before: Props): Promise<Problem[]> {
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
		PARTS.includes(field) ? [] : field,
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
	const parts = PARTS.filter((key) => decided[key] !== undefined);
	return {
		...decided,
		...Object.fromEntries(
			parts.map((key) => [key, Object.fromEntries(unchanged(key))]),
		),
	};
}

// ── Import ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every live setting that has a value comes along; what may be a secret of other users does not, and is named. */
async function imported(call: Call, id: string): Promise<ReadResult> {
	const place = await findByImportId(call, id, (team, name) =>
		pipelineOrMissing(call, team, name, false),
	);
	if (place === undefined) return {};
	const { team, name, pipeline } = place;
	const { inputs: settings, hidden } = shownSettings(pipeline);
	// The engine would take inputs without any setting for a bug of the provider; a lookup, which has a URN, needs none.
	if (Object.keys(settings).length === 0 && call.stateUrn === undefined)
		throw nothingToImport(team, name, hidden);
	if (hidden.length > 0) {
		call.notice(
			`Pipeline "${name}" in team "${team}" also has ${hidden.join(", ")}: may hold secrets of other users, and was left out. ` +
				"To manage it, declare it and set adopt to true.",
		);
	}
	const inputs = {
		pipelineName: name,
		...settings,
		teamName: team,
		onDestroy: PipelineSettingsOnDestroy.Keep,
	};
	return {
		state: {
			id: idOf(team, name),
			inputs,
			outs: settingsOuts(call, inputs, pipeline, true),
		},
	};
}

function nothingToImport(team: string, name: string, hidden: readonly string[]): Error {
	const none =
		hidden.length === 0
			? "none of them has a value"
			: `only ${hidden.join(" and ")} ${hidden.length === 1 ? "has a value, and it" : "have values, and they"} may hold secrets of other users`;
	const consent = hidden.length === 0 ? "" : " and adopt set to true";
	return new Error(
		`Pipeline "${name}" in team "${team}" has no settings to import: ${none}. Declare a PipelineSettings resource with the ` +
			`settings that you want${consent}, and run "pulumi up".`,
	);
}

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

const settingsOuts = (
	call: Call,
	inputs: Props,
	pipeline: Pipeline,
	adopted: boolean,
): Props => ({
	...inputs,
	pipelineId: pipeline.pipeline_id,
	uncheckedKeys: uncheckedSettings(inputs),
	adopted,
	serviceUrl: call.serviceUrl,
});

// ── Delete ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A pipeline's settings have no delete: they are kept or reset, as the program declared. What another resource declares now
 * (`declared`) stays.
 */
async function release(call: Call, outs: Props, declared: Props = {}): Promise<void> {
	if (outs.onDestroy === "restore") throw new Error(restoreIsGone(outs));
	const rest = withoutDeclared(outs, declared);
	if (outs.onDestroy !== PipelineSettingsOnDestroy.Reset)
		return leftoverNotice(call, rest);
	const [team, name] = placeOf(outs);
	const pipeline = await getPipelineOf(call, outs);
	if (pipeline === undefined) return;
	// A read may be behind what the other resource has just written, so its variables are sent as it declares them.
	const inputs = { teamName: team, pipelineName: name, ...pick(declared, PARTS) };
	const olds = isPauseDeclared(call, team, name)
		? { ...rest, paused: undefined }
		: rest;
	const change: Change = { inputs, olds, isUpdate: false, adopted: false };
	const write = settingsWrite(change, pipeline);
	const problem = carryProblem(name, write, pipeline);
	if (problem !== undefined)
		throw new Error(`${problem} Or set onDestroy to "keep" and deploy that first.`);
	if (isEmpty(write)) return;
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
	const settings = declaredSettings(declared).filter((key) => !PARTS.includes(key));
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

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const settings: NamedKind<Pipeline> = {
	kind: "PipelineSettings",
	fields: SETTINGS_FIELDS,
	folded: (name) => name,

	async check(call, olds, given) {
		const inputs = withDefaults(SETTINGS_FIELDS, given);
		const problems = [
			...checkFields(SETTINGS_FIELDS, olds, inputs, call.secrets),
			...checkStorageConfigs(call, olds, inputs),
			...declaresSomething(inputs),
		];
		return { inputs, problems };
	},
	checkLive,

	existing: {
		idOf: (inputs) => idOf(...placeOf(inputs)),
		async get(call, inputs) {
			const [team, name] = placeOf(inputs);
			const live = await pipelineOrMissing(
				call,
				team,
				name,
				call.lists.isNew(team, name),
			);
			if (live === undefined) throw new Error(await noSuchPipeline(call, team, name));
			return live;
		},
	},
	async get(call, _id, recorded, from) {
		const [team, name] = placeOf(recorded);
		if (from === "now") return getPipelineOf(call, recorded);
		// Variables of other users are written back, so that an update reads them itself.
		const listed =
			from === "shared"
				? findIn(await call.lists.pipelines(team), name, recorded)
				: undefined;
		return isSamePipeline(recorded, listed) ? listed : undefined;
	},
	imported,
	refreshed: async (_call, _id, outs) => outs,
	outs: settingsOuts,

	plan: (call, _id, live, change) => planSettings(call, live, change),
	remove: (call, _id, outs) => release(call, outs),
	removeRest: release,

	words: {
		label: label,
		duplicate: (inputs) => {
			const [team, name] = placeOf(inputs);
			return (
				`both declare the settings of pipeline "${name}" in team "${team}". Declare them in ` +
				"one PipelineSettings resource."
			);
		},
		async gone(call, inputs) {
			const [team, name] = placeOf(inputs);
			const other = await pipelineOrMissing(call, team, name, false);
			if (other === undefined) return noSuchPipeline(call, team, name);
			return (
				`Pipeline "${name}" of team "${team}" was deleted, and a new pipeline has its name (id ${other.pipeline_id}). Nothing was ` +
				'changed. Run "pulumi up --refresh" to declare the settings on the new pipeline. If it already has some of them, set adopt to true.'
			);
		},
	},
};

export const pipelineSettings = namedLifecycle(settings);
