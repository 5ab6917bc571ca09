import { datasetsShown } from "../../schemas/dataset";
import type { Call } from "../context";
import { type DiffResult, type Problem, type Props, problem, type ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { held, letGo, tellHolder } from "../shared/holding";
import { pick } from "../shared/json";
import { changes, diffByTable } from "../shared/table";
import { placeIn, withTeam } from "../shared/team";
import { resourceName } from "../urn";
import { PIPELINE_FIELDS, type PipelineArgs } from "./fields";
import { findPipeline, pipelineRef } from "./find";
import { removedIn } from "./removed-jobs";
import { doSteps, isStep, pipelineOuts, STEPS, type Step, StepError, setPaused, stepsOf } from "./steps";
import { makePipeline } from "./trigger";

const INPUTS = Object.keys(PIPELINE_FIELDS);
const pipelineArgs = (inputs: Props): PipelineArgs => pick(inputs, INPUTS) as unknown as PipelineArgs;

export const pipeline: ResourceHandler = {
	fields: PIPELINE_FIELDS,

	async check(call, olds, news) {
		const filled = { ...news, start: news.start ?? false, onDestroy: news.onDestroy ?? "pause" };
		const { inputs, problems } = withTeam(call, olds, filled);
		call.ownership.declare(call.urn, undefined);
		call.declared.set(call.urn, inputs);
		return {
			inputs,
			problems: [...problems, ...checkFields(PIPELINE_FIELDS, olds, inputs), ...waitsForSomething(inputs)],
		};
	},

	async diff(call, id, olds, news) {
		const byTable = diffByTable(PIPELINE_FIELDS, olds, news, { deleteFirst: false });
		const anew = { ...byTable, changes: true, replaces: ["datasets"] };
		const result = byTable.replaces.length === 0 && mustRunAgain(olds, news) ? anew : byTable;
		// A refresh forgets that the deployment failed half-way; what it left undone is not forgotten here.
		const changes = result.changes || pendingIn(olds).length > 0;
		const own = { ...result, changes };
		const told = held(call, pipelineRef(String(olds.teamName), id), own, anew);
		// One that another resource holds is left alone.
		if (told === own) tellOldOne(call, olds, own);
		return told;
	},

	async create(call, inputs) {
		const args = pipelineArgs(inputs);
		for (const finish of call.ownership.replaced(call.urn)) await finish();
		const live = await makePipeline(call, args);
		return { id: live.pipeline_id, outs: await doSteps(call, args, live, stepsOf(args)) };
	},

	async read(call, id, outs) {
		const isKnown = outs.name !== undefined;
		const [team, name] = isKnown ? [String(outs.teamName ?? call.teamName), id] : placeIn(call, id);
		const listed = (await call.lists.pipelines(team)).find(
			(each) => each.pipeline_id === id || (!isKnown && each.name === name),
		);
		const live = listed ?? (await findPipeline(call, team, isKnown ? id : name, outs));
		if (live === undefined) return {};
		// What the service shows that a pipeline was made from, as a program would name it.
		const datasets = isKnown ? [] : datasetsShown(live.triggered_from);
		const shown = { start: false, onDestroy: "pause", ...(datasets.length > 0 && { datasets }) };
		const inputs = pick({ ...shown, ...outs, teamName: team }, INPUTS);
		const progress = { pending: pendingIn(outs), removedJobs: removedIn(outs) };
		return { state: { id: live.pipeline_id, inputs, outs: pipelineOuts(call, inputs, live, progress) } };
	},

	async update(call, id, olds, news) {
		const args = pipelineArgs(news);
		const live = await findPipeline(call, args.teamName, id, olds);
		if (live === undefined) {
			throw new Error(
				`Pipeline "${String(olds.name)}" is no longer in team "${args.teamName}". Run "pulumi up --refresh" to make it again.`,
			);
		}
		return { outs: await doSteps(call, args, live, stepsOfUpdate(olds, news, args), removedIn(olds)) };
	},

	async delete(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const what = `Pipeline "${String(outs.name ?? id)}" in team "${team}"`;
		const object = pipelineRef(team, id);
		await letGo(call, object, tellHolder(call, `${what} was left alone`), async () => {
			call.ownership.deleting(object);
			const live = await findPipeline(call, team, id, outs);
			if (live === undefined) return;
			if (outs.onDestroy === "leave") {
				call.notice(`${what} was left as it is: the service has no request that deletes a pipeline.`);
				return;
			}
			await setPaused(call, team, live, true).catch((error: unknown) => {
				// The pipeline that it carries may hold what others keep secret.
				throw error instanceof StepError ? new Error(error.message) : error;
			});
			call.notice(`${what} was paused and stays there: the service has no request that deletes a pipeline.`);
		});
	},
};

/** The engine shows a replacement, and not what becomes of the pipeline that is replaced: the API cannot delete one. */
function tellOldOne(call: Call, { onDestroy }: Props, { replaces }: DiffResult): void {
	if (replaces.length === 0 || onDestroy === "leave" || !call.ownership.isDeclared(call.urn)) return;
	call.notice(
		`The pipeline that ${resourceName(call.urn)} has now will be paused once there is another one.`,
	);
}

function waitsForSomething({ start, wait }: Props): Problem[] {
	if (wait !== true || start !== false) return [];
	return [problem("wait", "a pipeline that is not started never ends. Add start: true, or leave wait out.")];
}

const pendingIn = ({ pending }: Props): Step[] => (Array.isArray(pending) ? pending.filter(isStep) : []);

/** A pipeline that was waited for and failed is no success of the deployment: the next one runs it again. */
const mustRunAgain = (olds: Props, news: Props): boolean =>
	news.wait === true &&
	pendingIn(olds).includes("wait") &&
	["FAILED", "CANCELED"].includes(String(olds.status).toUpperCase());

/** What an earlier deployment left undone, and what the change asks for. */
function stepsOfUpdate(olds: Props, news: Props, args: PipelineArgs): Step[] {
	const changed = changes(PIPELINE_FIELDS, olds, news).map(({ field }) => field);
	const starts = changed.includes("start") && args.start;
	const wanted: Record<Step, boolean> = {
		stayPaused: false,
		removeJobs: changed.includes("removeJobs"),
		start: starts,
		wait: starts && args.wait === true,
	};
	const left = pendingIn(olds);
	return STEPS.filter((step) => wanted[step] || (left.includes(step) && stillWanted(step, args)));
}

const stillWanted = (step: Step, args: PipelineArgs): boolean =>
	step === "wait" ? args.wait === true : step !== "start" || args.start;
