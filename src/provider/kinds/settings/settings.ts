import { PipelineSettingsOnDestroy } from "../../../schemas/enums";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import type { Props } from "../../model/props";
import { checkFields, withDefaults } from "../../model/table";
import type { Call } from "../../run/context";
import type { ReadResult } from "../../run/handler";
import { findByImportId } from "../../run/import-id";
import type { NamedKind } from "../../run/kind";
import { namedLifecycle } from "../../run/named-lifecycle";
import { noSuchPipeline } from "../../run/outcome";
import { checkLive, declaresSomething } from "./check";
import {
	checkStorageConfigs,
	SETTINGS_FIELDS,
	shownSettings,
	uncheckedSettings,
} from "./fields";
import {
	findIn,
	getPipelineOf,
	idOf,
	isSamePipeline,
	label,
	pipelineOrMissing,
	placeOf,
} from "./find";
import { release } from "./release";
import { planSettings } from "./write";

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
