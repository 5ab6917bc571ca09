import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { Props, ReadResult, ResourceHandler } from "../handler";
import type { ObjectRef } from "../ownership";
import { anew, held, letGo } from "../shared/holding";
import { deepEqual, diffByTable, liveInputs, unlessDrifted } from "../shared/table";
import { placeIn } from "../shared/team";
import { LEAVING_MILLIS, NEWS_MILLIS } from "../time";
import { resourceName } from "../urn";
import { checkSettings, leftByUs, refusal } from "./check";
import { SETTINGS, SETTINGS_FIELDS, shownSettings } from "./fields";
import { findIn, getOrMissing, idOf, noSuchPipeline, settingsRef } from "./find";
import { planOf, planProblems, takenSettings } from "./plan";
import { parsePrevious, remember } from "./previous";
import { reconcile, settingsOuts } from "./reconcile";
import { release } from "./release";

export const pipelineSettings: ResourceHandler = {
	fields: SETTINGS_FIELDS,

	check: checkSettings,

	async diff(call, id, olds, news) {
		const byTable = diffByTable(SETTINGS_FIELDS, olds, news);
		const elsewhere = anew("pipelineName");
		const result = held(call, settingsRef(String(olds.teamName), id), byTable, elsewhere);
		if (result !== elsewhere && call.ownership.isDeclared(call.urn)) call.handover.note(id, call.urn, olds);
		return result;
	},

	async create(call, inputs) {
		for (const finish of call.ownership.replaced(call.urn)) await finish();
		const [team, id] = [String(inputs.teamName), idOf(String(inputs.teamName), String(inputs.pipelineName))];
		return call.locks.run(id, async () => {
			const live = await waitForSettings(call, inputs);
			const adopted = takesFromOthers(call, inputs, {}, live);
			if (!call.ownership.take(call.urn, settingsRef(team, id), true)) throw managedTwice(call, inputs);
			return { id, outs: await takeOver(call, inputs, {}, live, adopted) };
		});
	},

	async read(call, id, outs) {
		if (outs.pipelineName === undefined) return readById(call, id);
		const [team, name] = [String(outs.teamName), String(outs.pipelineName)];
		const listed = findIn(await call.lists.pipelines(team), name, outs);
		const pipeline = unlessDrifted(SETTINGS, outs, listed) ?? (await getOrMissing(call, team, name, outs));
		if (pipeline === undefined) return {};
		// What the state has, this stack has set: whoever of it takes the pipeline next needs no consent for that.
		const isMade = call.madeAt !== undefined;
		call.ownership.alsoReadBy(call.urn, settingsRef(team, id), isMade);
		if (isMade) call.handover.note(id, call.urn, outs);
		const inputs = liveInputs(SETTINGS_FIELDS, outs, pipeline);
		const memory = { previous: parsePrevious(outs), adopted: outs.adopted === true };
		return { state: { id: idOf(team, name), inputs, outs: settingsOuts(call, inputs, pipeline, memory) } };
	},

	async update(call, id, olds, news) {
		const [team, name] = [String(news.teamName), String(news.pipelineName)];
		call.ownership.keep(call.urn, settingsRef(team, id));
		return call.locks.run(id, async () => {
			const live = await getOrMissing(call, team, name, olds);
			if (live === undefined) throw new Error(await noSuchPipeline(call, team, name));
			const refused = refusal(call, news, olds, live);
			if (refused !== undefined) throw new Error(refused);
			const adopted = olds.adopted === true || takesFromOthers(call, news, olds, live);
			return { outs: await takeOver(call, news, olds, live, adopted) };
		});
	},

	async delete(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const object = settingsRef(team, id);
		const tell = (holder: string) => tellForgotten(call, id, outs, holder);
		await letGo(call, object, tell, async () => {
			await refuseBeforeReplacing(call, object);
			call.ownership.deleting(object);
			await release(call, team, outs);
			// What stays there is ours for whoever of this run takes it next.
			if (outs.onDestroy === "restore" || outs.onDestroy === "reset") call.handover.forget(id);
			else call.handover.note(id, call.urn, outs);
		});
	},
};

/** The pipeline, once nothing of this run stands in the way of its settings and they may be taken. */
async function waitForSettings(call: Call, inputs: Props): Promise<Pipeline> {
	const { ownership, time, urn } = call;
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const object = settingsRef(team, idOf(team, name));
	const startedAt = time.now();
	try {
		for (;;) {
			const fate = ownership.fate(object);
			const waited = time.now() - startedAt;
			if (fate.is === "held" && fate.by !== urn) throw managedTwice(call, inputs);
			// Also with consent: whoever could not let them go will do so in a later run, under the one that took them.
			if (fate.is === "stuck") throw new Error(stuckWith(inputs, "another resource", "see its own failure."));
			const leaving = fate.is === "leaving" && fate.by !== urn;
			// What is being let go right now would be cleared or put back under us.
			const underWay = fate.is === "leaving" && fate.started;
			// Its own resource's turn may come yet, and then it lets go in good order.
			const isEarly = fate.is === "unknown" && fate.ours && waited < NEWS_MILLIS;
			const mayGoOn =
				!isEarly && (!leaving || (!underWay && (waited >= LEAVING_MILLIS || !ownership.await(urn, object))));
			const stays = mayGoOn && leaving ? await whyItStays(call, fate.by, object) : undefined;
			if (leaving && stays !== undefined && waited >= NEWS_MILLIS)
				throw new Error(stuckWith(inputs, resourceName(fate.by), stays));
			if (mayGoOn && stays === undefined) {
				const live = await getOrMissing(call, team, name, {});
				if (live === undefined) throw new Error(await noSuchPipeline(call, team, name));
				const refused = refusal(call, inputs, {}, live);
				// News that came while the pipeline was read are looked at first.
				if (!deepEqual(ownership.fate(object), fate)) continue;
				if (refused === undefined) return live;
				if (waited >= NEWS_MILLIS || fate.is !== "unknown") throw new Error(refused);
			}
			await ownership.news(time, 250);
		}
	} finally {
		ownership.doneWaiting(urn);
	}
}

const stuckWith = (inputs: Props, by: string, why: string): string =>
	`The settings of pipeline "${String(inputs.pipelineName)}" in team "${String(inputs.teamName)}" must be let go by ${by} first, ` +
	`and cannot be: ${why}`;

async function takeOver(
	call: Call,
	inputs: Props,
	olds: Props,
	live: Pipeline,
	adopted: boolean,
): Promise<Props> {
	// What the state remembered before this deployment: what a storage that is taken out goes back to.
	const before = parsePrevious(olds);
	const inherited = call.handover.inherit(idOf(String(inputs.teamName), String(inputs.pipelineName)));
	const previous = remember(inputs, olds, live, before, inherited && parsePrevious(inherited.outs));
	const plan = planOf(inputs, olds, live, before);
	const [problem] = planProblems(inputs, plan, previous);
	if (problem !== undefined) throw new Error(problem);
	return reconcile(call, inputs, live, plan, { previous, adopted });
}

/** Whether values come under management that are not this stack's own; asked before the pipeline is taken from whoever left it. */
const takesFromOthers = (call: Call, inputs: Props, olds: Props, live: Pipeline): boolean =>
	inputs.adopt === true || takenSettings(inputs, olds, live, leftByUs(call, inputs)).length > 0;

/** A replacement that may not take the settings of its new pipeline must not begin by clearing those of the old one. */
async function refuseBeforeReplacing(call: Call, object: ObjectRef): Promise<void> {
	const fate = call.ownership.fate(object);
	if (fate.is !== "leaving" || fate.started) return;
	const startedAt = call.time.now();
	for (;;) {
		const refused = await whyItStays(call, fate.by, object);
		if (refused === undefined) return;
		// Another resource's diff may be under way, and give them up.
		if (call.time.now() - startedAt >= NEWS_MILLIS) throw new Error(refused);
		await call.ownership.news(call.time, 250);
	}
}

/** Why the resource that is to let these settings go will not: it may not take those of its new pipeline, as far as can be told. */
async function whyItStays(call: Call, by: string, object: ObjectRef): Promise<string | undefined> {
	const inputs = call.declared.get(by);
	if (inputs === undefined) return undefined;
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const target = settingsRef(team, idOf(team, name));
	// Where it is made before its old settings are let go, it has the new ones already.
	if (target.id === object.id || call.ownership.holder(target) === by) return undefined;
	const live = await getOrMissing(call, team, name, {});
	if (live === undefined) return noSuchPipeline(call, team, name);
	return refusal({ ...call, urn: by }, inputs, {}, live);
}

/** Another resource, or the replacement, has the settings now: nothing is cleared or put back under it. */
function tellForgotten(call: Call, id: string, outs: Props, holder: string): void {
	const { settings, environment, variables } = parsePrevious(outs);
	const remembered = [...Object.keys(settings), ...Object.keys({ ...environment, ...variables })];
	const forgets = outs.onDestroy === "restore" && remembered.length > 0 && !call.handover.wasInherited(id);
	if (holder === call.urn && !forgets) return;
	call.notice(
		`The settings of pipeline "${String(outs.pipelineName)}" stay as they are: resource ${resourceName(holder)} of this program ` +
			`manages them now.${forgets ? " What was there before Pulumi took over is forgotten with the old resource; an alias keeps it." : ""}`,
	);
}

function managedTwice(call: Call, inputs: Props): Error {
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const holder = call.ownership.holder(settingsRef(team, idOf(team, name))) ?? "";
	return new Error(
		`The settings of pipeline "${name}" in team "${team}" are already managed by resource ${resourceName(holder)} of this program. ` +
			"Declare them in one PipelineSettings resource.",
	);
}

/**
 * An import, or `PipelineSettings.get(name, "team/pipeline")`: nothing is known but the id. Every setting that the service
 * shows and that has a value comes along; what may be somebody's secret does not, and is named.
 */
async function readById(call: Call, id: string): Promise<ReadResult> {
	const [team, name] = placeIn(call, id);
	const pipeline = await getOrMissing(call, team, name, {});
	if (pipeline === undefined) return {};
	const { found, hidden } = shownSettings(pipeline);
	if (hidden.length > 0) {
		call.notice(
			`Pipeline "${name}" in team "${team}" also has ${hidden.join(", ")}: may hold secrets of others, and was left out. ` +
				"Declare it with adopt: true to bring it under management.",
		);
	}
	const inputs = { pipelineName: name, ...found, teamName: team, onDestroy: "keep" };
	const memory = { previous: remember(inputs, {}, pipeline, parsePrevious({})), adopted: true };
	return { state: { id: idOf(team, name), inputs, outs: settingsOuts(call, inputs, pipeline, memory) } };
}
