import { foreignVariableProblem } from "../schemas/environment";
import type { Pipeline } from "../schemas/wire/pipeline";
import { list } from "../schemas/wording";
import type { Ask, Refusal, Row } from "./claims";
import type { Call } from "./context";
import { containsUnknown, type Problem, type Props, type ReadResult } from "./handler";
import { lifecycle, type Managed, type Plan } from "./lifecycle";
import { ifInterrupted, ifOurs, resourceName } from "./messages";
import { getPipeline, noSuchPipeline } from "./outcome";
import { pauseNotice } from "./pauses";
import {
	checkStorageConfigs,
	declaredSettings,
	SETTINGS,
	SETTINGS_FIELDS,
	shownSettings,
	uncheckedSettings,
} from "./settings-fields";
import {
	describeOverwritten,
	describeSetting,
	describeWrite,
	findIn,
	findSoon,
	getOrMissing,
	idOf,
	isEmpty,
	leftOver,
	leftStorage,
	namesIn,
	planOf,
	planProblem,
	removedVariables,
	type SettingsChange,
	send,
	sentKeys,
	settingsRef,
	takenSettings,
	touchedKeys,
	withStorageOf,
} from "./settings-plan";
import {
	carryOver,
	managedBefore,
	newIn,
	noteState,
	ownValues,
	type Previous,
	parsePrevious,
	previousVariable,
	release,
	remember,
	restoredBefore,
	restoreProblem,
	stateOf,
} from "./settings-previous";
import { changes, checkFields } from "./table";
import { findByImportId } from "./team-lists";

const placeOf = ({ teamName, pipelineName }: Props): [team: string, name: string] => [
	String(teamName),
	String(pipelineName),
];

// ── Check and preview ───────────────────────────────────────────────────────────────────────────────────────────────

function declaresSomething(inputs: Props): Problem[] {
	if (declaredSettings(inputs).length > 0) return [];
	const keys = Object.keys(SETTINGS).join(", ");
	const reason = `No setting is declared, so there is nothing to manage. Declare one of ${keys}.`;
	return [{ field: "pipelineName", reason }];
}

/** Tells at preview: a pipeline that does not exist, settings of other users, what will be written. */
async function checkLive(call: Call, inputs: Props, given: Props): Promise<Problem[]> {
	const known = onlyKnown(inputs);
	const olds = managedBefore(call, known, given);
	const [team, name] = placeOf(inputs);
	const id = idOf(team, name);
	const isNew = olds.pipelineName === undefined;
	const pipeline = await findSoon(call, team, name, known);
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
		if (call.preview && call.claims.of(settingsRef(team, id)).is !== "releasing") {
			call.notice(
				`${resourceName(call.urn)}: ${what}. Unless a resource of this program releases them in this deployment, the ` +
					"deployment will fail: set adopt to true to manage them, or leave these inputs out.",
			);
		}
		return [];
	}
	// The inputs in the state do not hold the previous values, so only those that are saved now are judged.
	const plan = planOf(known, olds, pipeline, () => null);
	tellWhatHappens(call, inputs, olds, pipeline, plan);
	const state = stateOf(call, inputs);
	const previous = remember(known, olds, pipeline, parsePrevious({}), state && parsePrevious(state.outs));
	const judged = newIn(previous, isNew ? restoredBefore(call, inputs, {}) : olds);
	const reason = planProblem(known, plan) ?? restoreProblem(call, known, judged);
	return reason === undefined ? [] : [{ field: "onDestroy", reason }];
}

/** Notes the state, and judges its previous values if they are to be put back from now on. */
function diffed(call: Call, id: string, olds: Props): void {
	noteState(call, olds);
	const inputs = call.declared.get(call.urn);
	if (inputs === undefined || olds.onDestroy === "restore" || idOf(...placeOf(inputs)) !== id) return;
	const saved = remember(inputs, olds, { pipeline_id: "" }, parsePrevious(olds));
	const problem = restoreProblem(call, inputs, saved);
	if (problem !== undefined) throw new Error(problem);
}

const onlyKnown = (inputs: Props): Props =>
	Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsUnknown(value)));

/** Settings of other users that may not be adopted without consent, as a list for people; undefined if there are none. */
function inTheWay(call: Call, inputs: Props, olds: Props, pipeline: Pipeline): string | undefined {
	if (inputs.adopt === true) return undefined;
	const taken = takenSettings(inputs, olds, pipeline, ownValues(call, inputs));
	if (taken.length === 0 || (call.adoptEqual && taken.every(({ equal }) => equal))) return undefined;
	const what = taken.map(({ key, equal, variables }) => {
		if (equal) return `${key} (the same value)`;
		return variables ? namesIn(call, key, variables) : describeSetting(call, key, inputs, pipeline);
	});
	const [team, name] = placeOf(inputs);
	return `pipeline "${name}" in team "${team}" already has settings that this program does not manage: ${what.join("; ")}`;
}

/** Why the settings may not be adopted; undefined if they may. */
function refusal(call: Call, inputs: Props, olds: Props, pipeline: Pipeline): string | undefined {
	const what = inTheWay(call, inputs, olds, pipeline);
	if (what === undefined) return undefined;
	return (
		`P${what.slice(1)}. They were not changed. Set adopt to true to manage them, or leave these inputs out. ` +
		`${ifOurs("manages them and releases them")} ${ifInterrupted("them")}`
	);
}

/** Everything that will be written, left or forgotten and that the engine's own diff does not show. */
function tellWhatHappens(
	call: Call,
	inputs: Props,
	olds: Props,
	pipeline: Pipeline,
	plan: SettingsChange,
): void {
	const isNew = olds.pipelineName === undefined;
	const known = onlyKnown(inputs);
	const [team, name] = placeOf(inputs);
	const who = resourceName(call.urn);
	const shownByEngine = isNew ? [] : changes(SETTINGS, olds, known).map(({ field }) => field);
	const touched = touchedKeys(known, olds, pipeline);
	const own = ownValues(call, inputs);
	const taken = takenSettings(known, olds, pipeline, own).map(({ key }) => key);
	const written = touched.flatMap((key) =>
		shownByEngine.includes(key) && !taken.includes(key)
			? describeOverwritten(call, key, known, olds, pipeline)
			: [describeWrite(call, key, known, pipeline)],
	);
	if (inputs.adopt === true && isNew) {
		call.notice(
			`Adopting the settings of pipeline "${name}" in team "${team}"${willWrite(inputs, known, written)}`,
		);
	} else if (!isNew && written.length > 0) {
		call.notice(`${who} will also write, on pipeline "${name}": ${written.join("; ")}.`);
	}
	const removed = removedVariables(plan, olds, pipeline, own);
	if (removed.length > 0) {
		call.notice(
			`${who} will remove variables that other users set on pipeline "${name}": ${removed.join(", ")}.`,
		);
	}
	const left = leftStorage(inputs, olds);
	if (left.length > 0) {
		call.notice(
			`${who} will put ${left.join(", ")} on pipeline "${name}" back as before: its storage is no longer declared.`,
		);
	}
	if (idOf(...placeOf(olds)) === idOf(team, name)) tellUnmanaged(call, inputs, olds);
	if (call.preview && isNew && taken.length > 0 && inputs.onDestroy === "restore" && !stateOf(call, inputs)) {
		call.notice(
			`${who}: a destroy will put back the values that pipeline "${name}" has now (${taken.join(", ")}). If a resource of this ` +
				'stack that you renamed set them, give the new one an alias, or run "pulumi up --refresh": otherwise the values from ' +
				"before that resource are lost.",
		);
	}
}

/** A key whose value is not known yet is surely written if the service never shows it. */
function willWrite(inputs: Props, known: Props, written: readonly string[]): string {
	const unknown = declaredSettings(inputs).filter((key) => known[key] === undefined);
	const surely = uncheckedSettings(inputs).filter((key) => unknown.includes(key));
	const maybe = list(unknown.filter((key) => !surely.includes(key)));
	const all = [...written, ...surely].join("; ");
	const rest = maybe && `maybe ${maybe}, whose values are not known yet`;
	if (all === "") return rest === "" ? ": nothing will change." : ` will write ${rest}.`;
	return ` will write ${all}${rest && `, and ${rest}`}.`;
}

/** The engine shows a key that is no longer declared as removed, though nothing is cleared. */
function tellUnmanaged(call: Call, inputs: Props, olds: Props): void {
	// A storage's variable is put back, or the declared environment decides about it.
	const keys = declaredSettings(olds).filter((key) => key !== "storage" && inputs[key] === undefined);
	if (keys.length === 0) return;
	const [stay, before, put] =
		keys.length === 1
			? ["The value stays as it is", "its previous value is", "put it back"]
			: ["The values stay as they are", "their previous values are", "put them back"];
	const forgets = olds.onDestroy === "restore" && `, and ${before} lost: a later destroy does not ${put}`;
	call.notice(
		`${resourceName(call.urn)} will stop managing ${list(keys)} of pipeline "${String(inputs.pipelineName)}". ${stay}${forgets || ""}.`,
	);
}

// ── Verbs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The settings of a pipeline that exists are always there; they may have no values of other users. */
function rowOf(call: Call, ask: Ask, live: Pipeline): Row<Pipeline> {
	const asker = { ...call, urn: ask.urn };
	const olds = managedBefore(asker, ask.inputs, {});
	const taken = takenSettings(ask.inputs, olds, live, ownValues(asker, ask.inputs));
	return {
		id: idOf(ask.slot.team, ask.slot.name),
		live,
		empty: taken.length === 0,
		equal: taken.every((each) => each.equal),
		fits: true,
	};
}

/** What a deployment sends, and the previous values that it saves. */
async function plan(
	call: Call,
	inputs: Props,
	live: Pipeline,
	given: Props,
	wasAdopted: boolean,
): Promise<Plan<Pipeline>> {
	const [team, name] = placeOf(inputs);
	const olds = managedBefore(call, inputs, given);
	const isUpdate = Object.keys(olds).length > 0;
	const why = isUpdate ? refusal(call, inputs, olds, live) : undefined;
	if (why !== undefined) throw new Error(why);
	const takes = isUpdate && takenSettings(inputs, olds, live, ownValues(call, inputs)).length > 0;
	const adopted = wasAdopted || takes || olds.adopted === true;
	const before = parsePrevious(olds);
	const carried = carryOver(call, inputs);
	const saved = (declared: Props) => remember(declared, olds, live, before, carried);
	const changed = planOf(inputs, olds, live, (variable) => sendableBefore(call, name, before, variable));
	const judged = newIn(saved(inputs), restoredBefore(call, inputs, olds));
	const problem = planProblem(inputs, changed) ?? restoreProblem(call, inputs, judged);
	if (problem !== undefined) throw new Error(problem);
	return {
		writes: !isEmpty(changed),
		sent: new Set(sentKeys(inputs, changed)),
		untilDone: leftStorage(inputs, olds).length > 0 ? withStorageOf(inputs, olds) : inputs,
		send: () => send(call, team, name, changed),
		read: () => getPipeline(call, team, name),
		wrong: (now) => leftOver(call, inputs, olds, changed, now),
		outs: (told, known, now) => settingsOuts(told, known, now, saved(withStorageOf(inputs, known)), adopted),
	};
}

/** The previous value of a storage's variable, once the storage is no longer declared; null if no request can carry it. */
function sendableBefore(call: Call, pipeline: string, before: Previous, variable: string): string | null {
	const value = previousVariable(before, variable);
	const why = value === null ? undefined : foreignVariableProblem(variable, value);
	if (why === undefined) return value;
	call.notice(
		`${variable} of pipeline "${pipeline}" is removed, and its previous value is not put back: ${why}.`,
	);
	return null;
}

/** Every live setting that has a value comes along; what may be a secret of other users does not, and is named. */
async function imported(call: Call, id: string): Promise<ReadResult> {
	const place = await findByImportId(call, id, (team, name) => getOrMissing(call, team, name, {}));
	if (place === undefined) return {};
	const { team, name, pipeline } = place;
	const { found, hidden } = shownSettings(pipeline);
	// The engine would take inputs without any setting for a bug of the provider; a lookup, which has a URN, needs none.
	if (Object.keys(found).length === 0 && call.stateUrn === undefined)
		throw nothingToImport(team, name, hidden);
	if (hidden.length > 0) {
		call.notice(
			`Pipeline "${name}" in team "${team}" also has ${hidden.join(", ")}: may hold secrets of other users, and was left out. ` +
				"Declare it with adopt set to true to bring it under management.",
		);
	}
	const inputs = { pipelineName: name, ...found, teamName: team, onDestroy: "keep" };
	const previous = remember(inputs, {}, pipeline, parsePrevious({}));
	return {
		state: { id: idOf(team, name), inputs, outs: settingsOuts(call, inputs, pipeline, previous, true) },
	};
}

const settingsOuts = (
	call: Call,
	inputs: Props,
	pipeline: Pipeline,
	previous: Previous,
	adopted: boolean,
): Props => ({
	...inputs,
	pipelineId: pipeline.pipeline_id,
	uncheckedKeys: uncheckedSettings(inputs),
	// Encrypted as a whole by the host: it holds values of other users.
	previous: JSON.stringify(previous),
	adopted,
	serviceUrl: call.serviceUrl,
});

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function refused(call: Call, ask: Ask, because: Refusal<Pipeline>): Promise<string> {
	const { team, name } = ask.slot;
	switch (because.why) {
		case "held":
			return (
				`The settings of pipeline "${name}" in team "${team}" are already managed by resource ${resourceName(because.by)} of this program. ` +
				"Declare them in one PipelineSettings resource."
			);
		case "stuck": {
			const { blocked } = because;
			const by = blocked ? resourceName(blocked.ask.urn) : "another resource";
			const why = blocked ? await refused(call, blocked.ask, blocked.because) : "see its own failure.";
			return `The settings of pipeline "${name}" in team "${team}" must be released by ${by} first, and cannot be: ${why}`;
		}
		default:
			return refusal({ ...call, urn: ask.urn }, ask.inputs, {}, because.of.live) ?? "";
	}
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

/** Another resource, or the replacement, has the settings now: nothing is cleared or put back. */
function kept(call: Call, outs: Props, _id: string, holder: string): string | undefined {
	const { settings: values, environment, variables } = parsePrevious(outs);
	// That there were no variables is worth knowing, too: the declared ones would have been removed.
	const isSaved = environment !== undefined || Object.keys({ ...values, ...variables }).length > 0;
	const forgets = outs.onDestroy === "restore" && isSaved && stateOf(call, outs)?.carried !== true;
	if (holder === call.urn && !forgets) return undefined;
	return (
		`The settings of pipeline "${String(outs.pipelineName)}" stay as they are: resource ${resourceName(holder)} of this program ` +
		`manages them now.${forgets ? " The values from before Pulumi managed them are lost with the old resource; an alias keeps them." : ""}`
	);
}

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const settings: Managed<Pipeline> = {
	kind: "PipelineSettings",
	fields: SETTINGS_FIELDS,

	async check(call, olds, given) {
		const inputs = { ...given, onDestroy: given.onDestroy ?? "keep" };
		const problems = [
			...checkFields(SETTINGS_FIELDS, olds, inputs),
			...checkStorageConfigs(call, olds, inputs),
			...declaresSomething(inputs),
		];
		return { inputs, problems };
	},
	checkLive,
	diffed,

	async list(call, ask, how) {
		// Whoever wants it fetched asks for the detail next, so that the list need not show what is declared.
		const known = how === "now" ? {} : ask.inputs;
		const live = await findSoon(call, ask.slot.team, ask.slot.name, known);
		return live === undefined ? [] : [rowOf(call, ask, live)];
	},
	// Only this read, under the claim of a moment ago, shows what a release has written meanwhile.
	async detail(call, ask) {
		const live = await getOrMissing(call, ask.slot.team, ask.slot.name, {});
		return live && rowOf(call, ask, live);
	},

	async get(call, _id, known, from) {
		const [team, name] = placeOf(known);
		if (from === "now") return getOrMissing(call, team, name, known);
		// Variables of other users are written back, so that an update reads them itself.
		return from === "shared" ? findIn(await call.lists.pipelines(team), name, known) : undefined;
	},
	imported,
	async refreshed(call, id, outs) {
		// The values in the state are this stack's own: another resource of it needs no consent for them.
		const isMade = call.madeAt !== undefined;
		call.claims.readFor(call.urn, settingsRef(String(outs.teamName), id), isMade);
		if (isMade) noteState(call, outs);
		return outs;
	},
	outs: (call, inputs, live, adopted, known) =>
		settingsOuts(call, inputs, live, parsePrevious(known), adopted),

	plan,
	async remove(call, _id, outs) {
		await release(call, String(outs.teamName), outs);
		// What stays there is ours for whichever resource of this run manages it next.
		noteState(call, outs, outs.onDestroy === "restore" || outs.onDestroy === "reset");
	},

	words: {
		which: (inputs) => {
			const [team, name] = placeOf(inputs);
			return `The settings of pipeline "${name}" in team "${team}"`;
		},
		duplicate: (inputs) => {
			const [team, name] = placeOf(inputs);
			return (
				`both declare the settings of pipeline "${name}" in team "${team}". Declare them in ` +
				"one PipelineSettings resource."
			);
		},
		gone: (call, inputs) => noSuchPipeline(call, ...placeOf(inputs)),
		kept,
		refused,
	},
};

export const pipelineSettings = lifecycle(settings);
