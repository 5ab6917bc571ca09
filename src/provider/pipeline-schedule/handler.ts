import { NotFoundError } from "../../api";
import type { Schedule } from "../../schemas/schedule";
import { SCHEDULE_INPUTS, type ScheduleArgs, scheduleArgsShape } from "../../schemas/schedule-args";
import type { ProviderContext } from "../context";
import { PartlyDoneError, type Problem, type Props, type ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { diffByTable } from "../shared/field-table";
import { pick } from "../shared/json";
import { withTeam } from "../shared/team";
import { containsUnknown } from "../shared/unknown";
import { makeOrTake } from "./create";
import { SCHEDULE_FIELDS } from "./fields";
import { fromLists, fromRecentLists, getOrMissing, refuseOtherSchedule } from "./find";
import { liveInputs, scheduleOuts } from "./live";
import { preflight } from "./preflight";
import { applyArgs, unsettled } from "./write";

export const pipelineSchedule: ResourceHandler = {
	fields: SCHEDULE_FIELDS,

	async check(context, olds, news) {
		const { inputs, problems } = withTeam(context, olds, { ...news, paused: news.paused ?? false });
		if (typeof inputs.scheduleName === "string") {
			context.ownership.declareName(String(inputs.teamName), inputs.scheduleName);
		}
		const found = [...problems, ...checkFields(scheduleArgsShape, inputs), ...needsATime(inputs)];
		const isNew = olds.scheduleName === undefined;
		if (found.length > 0 || !isNew || containsUnknown(inputs)) return { inputs, problems: found };
		return { inputs, problems: await preflight(context, scheduleArgs(inputs)) };
	},

	async diff(context, id, olds, news) {
		const result = diffByTable(SCHEDULE_FIELDS, olds, news);
		const team = String(olds.teamName);
		if (result.replaces.length > 0) context.ownership.release(team, id);
		else if (context.ownership.isDeclared(String(news.teamName), String(news.scheduleName))) {
			context.ownership.claim(team, id);
		}
		return result;
	},

	async create(context, inputs) {
		const args = scheduleArgs(inputs);
		return context.locks.run(`${args.teamName}\n${args.scheduleName}`, async () => {
			const { live, adopted } = await makeOrTake(context, args);
			const id = String(live.id);
			context.ownership.claim(args.teamName, id);
			return { id, outs: settledOuts(context, args, inputs, live, adopted) };
		});
	},

	async read(context, id, outs) {
		const team = String(outs.teamName ?? context.teamName);
		const scheduleId = numericId(id);
		// Without a state (`PipelineSchedule.get`) there is no pipeline name to look for in the lists.
		const listed =
			typeof outs.pipelineName === "string"
				? await fromLists(context, { team, id: scheduleId, pipelineName: outs.pipelineName })
				: undefined;
		if (listed) refuseOtherSchedule(context, team, outs, listed);
		const live = listed ?? (await getOrMissing(context, team, scheduleId, outs));
		if (live === undefined) return {};
		const inputs = liveInputs({ ...outs, teamName: team }, live);
		return { state: { id, inputs, outs: scheduleOuts(context, inputs, live, outs.adopted === true) } };
	},

	async update(context, id, olds, news) {
		const args = scheduleArgs(news);
		context.ownership.claim(args.teamName, id);
		context.ownership.useName(args.teamName, args.scheduleName);
		const which = { team: args.teamName, id: numericId(id), pipelineName: args.pipelineName };
		const listed = await fromRecentLists(context, which);
		if (listed) refuseOtherSchedule(context, which.team, olds, listed);
		const live = listed ?? (await getOrMissing(context, which.team, which.id, olds));
		if (live === undefined) {
			throw new Error(
				`Schedule "${args.scheduleName}" (id ${id}) is no longer in team "${args.teamName}". ` +
					'Run "pulumi up --refresh" to make it again.',
			);
		}
		const clearStart = olds.startAfter !== undefined && args.startAfter === undefined;
		const after = await applyArgs(context, args, live, { clearStart });
		return { outs: settledOuts(context, args, news, after, olds.adopted === true) };
	},

	async delete(context, id, outs) {
		const team = String(outs.teamName ?? context.teamName);
		if (context.ownership.isOwned(team, id)) return;
		const scheduleId = numericId(id);
		const listed = (await context.lists.recentSchedules(team)).find((item) => item.id === scheduleId);
		if (listed) refuseOtherSchedule(context, team, outs, listed);
		else if ((await getOrMissing(context, team, scheduleId, outs)) === undefined) return;
		context.lists.drop(team);
		try {
			await context.client.schedules.delete({ team_name: team, schedule_id: scheduleId });
		} catch (error) {
			// Somebody else, or an attempt of ours whose reply was lost, was faster.
			if (!(error instanceof NotFoundError && error.fromService)) throw error;
		} finally {
			context.lists.drop(team);
		}
	},
};

const scheduleArgs = (inputs: Props): ScheduleArgs => pick(inputs, SCHEDULE_INPUTS) as ScheduleArgs;

function settledOuts(
	context: ProviderContext,
	args: ScheduleArgs,
	inputs: Props,
	live: Schedule,
	adopted: boolean,
): Props {
	const outs = scheduleOuts(context, pick(inputs, SCHEDULE_INPUTS), live, adopted);
	const problem = unsettled(args, live);
	if (problem === undefined) return outs;
	// The state must show what is there, not what was wished, or the next deployment would see nothing to do.
	const actual = scheduleOuts(context, liveInputs(inputs, live), live, adopted);
	throw new PartlyDoneError(String(live.id), actual, problem);
}

function needsATime(inputs: Props): Problem[] {
	if (inputs.cronExpression !== undefined || inputs.startAfter !== undefined) return [];
	return [
		{
			field: "cronExpression",
			reason:
				'cronExpression: a schedule needs a cronExpression, a startAfter, or both. Add cronExpression: "0 3 * * *" to run ' +
				"every day at 03:00 UTC.",
		},
	];
}

function numericId(id: string): number {
	const value = Number(id);
	if (Number.isSafeInteger(value) && String(value) === id) return value;
	throw new Error(`"${id}" is not the id of a schedule: ids are whole numbers, shown by getSchedules().`);
}
