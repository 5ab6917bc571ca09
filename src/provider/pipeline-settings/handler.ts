import type { Pipeline } from "../../schemas/pipeline";
import { settingsArgsShape } from "../../schemas/settings-args";
import type { ProviderContext } from "../context";
import { PartlyDoneError, type Problem, type Props, type ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { diffByTable, type FieldTable } from "../shared/field-table";
import { halfReplaced } from "../shared/half-replaced";
import { pick } from "../shared/json";
import { withTeam } from "../shared/team";
import { containsUnknown } from "../shared/unknown";
import { checkStorageConfigs } from "./check-storage";
import { foreignVariables } from "./environment";
import { findIn, getOrMissing } from "./find";
import { SETTING_KEYS } from "./keys";
import { declaredKeys, describeDifference, liveInputs, settingsArgs, settingsOuts, takenKeys } from "./live";
import { parsePrevious, release, snapshot, stillDeclared } from "./release";
import { changesToSend, unsettled, writeSettings } from "./write";

/** Every setting updates in place; another pipeline or team is another object. */
const FIELDS: FieldTable = {
	pipelineName: { effect: "replace" },
	teamName: { effect: "replace" },
	...Object.fromEntries(
		Object.entries(SETTING_KEYS).map(([key, { same }]) => [
			key,
			// Omitted is not the same as empty: declaring an empty value starts to manage the key.
			{
				effect: "update" as const,
				same: (a: unknown, b: unknown) => (a === undefined) === (b === undefined) && same(a, b),
			},
		]),
	),
	onDestroy: { effect: "update" },
	adopt: { effect: "ignore" },
};

const idOf = (team: string, pipelineName: string): string => `${team}/${pipelineName}`;

export const pipelineSettings: ResourceHandler = {
	fields: FIELDS,

	async check(context, olds, news) {
		const { inputs, problems } = withTeam(context, olds, { ...news, onDestroy: news.onDestroy ?? "keep" });
		if (typeof inputs.pipelineName === "string") {
			context.ownership.declareName(String(inputs.teamName), `settings ${inputs.pipelineName}`);
		}
		const found = [
			...problems,
			...checkFields(settingsArgsShape, inputs),
			...checkStorageConfigs(context, inputs),
			...declaresSomething(inputs),
		];
		if (found.length > 0 || containsUnknown(pick(inputs, ["pipelineName", "teamName"])))
			return { inputs, problems: found };
		return { inputs, problems: await preflight(context, olds, inputs) };
	},

	async diff(context, id, olds, news) {
		const result = diffByTable(FIELDS, olds, news);
		const team = String(olds.teamName);
		if (result.replaces.length > 0) context.ownership.release(team, id);
		else if (context.ownership.isDeclared(String(news.teamName), `settings ${news.pipelineName}`)) {
			context.ownership.claim(team, id);
		}
		return result;
	},

	async create(context, inputs) {
		const { teamName: team, pipelineName: name } = settingsArgs(inputs);
		const id = idOf(team, name);
		return context.locks.run(id, async () => {
			if (context.ownership.isOwned(team, id)) throw declaredTwice(team, name);
			const outs = await takeOver(context, inputs, {}, { adopted: inputs.adopt === true });
			context.ownership.claim(team, id);
			return { id, outs };
		});
	},

	async read(context, id, outs) {
		const known =
			Object.keys(outs).length > 0 && outs.pipelineName !== undefined ? outs : fromId(context, id);
		const [team, name] = [String(known.teamName), String(known.pipelineName)];
		const pipeline =
			findIn(await context.lists.pipelines(team), name, known) ??
			(await getOrMissing(context, team, name, known));
		if (pipeline === undefined) return {};
		const inputs = liveInputs(known, pipeline);
		const extra = { previous: parsePrevious(known), adopted: known.adopted === true };
		return { state: { id: idOf(team, name), inputs, outs: settingsOuts(context, inputs, pipeline, extra) } };
	},

	async update(context, id, olds, news) {
		const { teamName: team } = settingsArgs(news);
		context.ownership.claim(team, id);
		const adopted = olds.adopted === true || news.adopt === true;
		return { outs: await context.locks.run(id, () => takeOver(context, news, olds, { adopted })) };
	},

	async delete(context, id, outs) {
		const team = String(outs.teamName ?? context.teamName);
		if (!context.ownership.isOwned(team, id)) await release(context, team, outs);
	},
};

/** Brings the declared keys to their values; keys that become managed only now must be free or adopted. */
async function takeOver(
	context: ProviderContext,
	inputs: Props,
	olds: Props,
	extra: { adopted: boolean },
): Promise<Props> {
	const args = settingsArgs(inputs);
	const before = await getOrMissing(context, args.teamName, args.pipelineName, olds);
	if (before === undefined) throw new Error(noPipeline(args.teamName, args.pipelineName));
	const refused = refusal(inputs, olds, before);
	if (refused !== undefined) throw new Error(refused);
	const pipeline = await writeSettings(
		context,
		args.teamName,
		args.pipelineName,
		changesToSend(inputs, olds, before),
	);
	const previous = {
		...snapshot(before, newKeys(inputs, olds)),
		...stillDeclared(parsePrevious(olds), inputs),
	};
	const outs = (known: Props) => settingsOuts(context, known, pipeline, { previous, adopted: extra.adopted });
	const problem = unsettled(inputs, pipeline, args.teamName);
	if (problem === undefined) return outs(inputs);
	throw new PartlyDoneError(
		idOf(args.teamName, args.pipelineName),
		outs(liveInputs(inputs, pipeline)),
		problem,
	);
}

const newKeys = (inputs: Props, olds: Props): string[] =>
	declaredKeys(inputs).filter((key) => olds[key] === undefined);

/** Why the settings may not be taken without being asked; undefined where they may. */
function refusal(inputs: Props, olds: Props, pipeline: Pipeline): string | undefined {
	if (inputs.adopt === true) return undefined;
	// Variables of ours may move from `storage` to `environment` and back.
	const others = { ...pipeline, environment_variables: foreignVariables(pipeline, olds) };
	const taken = takenKeys(inputs, others, newKeys(inputs, olds));
	if (taken.length === 0) return undefined;
	return (
		`Pipeline "${inputs.pipelineName}" in team "${inputs.teamName}" already has other settings for ` +
		`${taken.map((key) => describeDifference(key, inputs, others)).join("; ")}. Set adopt: true to take them over and ` +
		"change them to what is declared, or leave these inputs out to keep them as they are."
	);
}

/** What a preview can already tell: a pipeline that does not exist, settings that others made, what adoption will change. */
async function preflight(context: ProviderContext, olds: Props, inputs: Props): Promise<Problem[]> {
	const known = containsUnknown(inputs) ? onlyKnown(inputs) : inputs;
	if (newKeys(known, olds).length === 0) return [];
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const pipeline =
		findIn(await context.lists.recentPipelines(team), name, known) ??
		(await getOrMissing(context, team, name, {}));
	if (pipeline === undefined) return [{ field: "pipelineName", reason: noPipeline(team, name) }];
	const reason = refusal(known, olds, pipeline);
	if (reason !== undefined) return [{ field: "adopt", reason }];
	const changes = takenKeys(known, pipeline, newKeys(known, olds));
	if (inputs.adopt === true && olds.pipelineName === undefined) {
		const list = changes.map((key) => describeDifference(key, known, pipeline)).join("; ");
		context.notice(
			`Adopting the settings of pipeline "${name}" in team "${team}"${list ? ` will change ${list}` : ": nothing will change"}.`,
		);
	}
	return [];
}

const onlyKnown = (inputs: Props): Props =>
	Object.fromEntries(Object.entries(inputs).filter(([, value]) => !containsUnknown(value)));

function declaresSomething(inputs: Props): Problem[] {
	if (declaredKeys(inputs).length > 0) return [];
	const keys = Object.keys(SETTING_KEYS).join(", ");
	return [
		{
			field: "pipelineName",
			reason: `No setting is declared, so there is nothing to manage. Declare one of ${keys}.`,
		},
	];
}

const noPipeline = (team: string, name: string): string =>
	`There is no pipeline "${name}" in team "${team}". Check the name with getPipelines(), or trigger the pipeline first.`;

const declaredTwice = (team: string, name: string): Error =>
	new Error(
		`The settings of pipeline "${name}" in team "${team}" are already managed by another resource of this program. ` +
			`Declare them in one PipelineSettings resource. ${halfReplaced}`,
	);

/** `PipelineSettings.get(name, "team/pipeline")` knows nothing but the id. */
function fromId(context: ProviderContext, id: string): Props {
	const at = id.indexOf("/");
	const [teamName, pipelineName] = at < 0 ? [context.teamName, id] : [id.slice(0, at), id.slice(at + 1)];
	return { teamName, pipelineName, onDestroy: "keep" };
}
