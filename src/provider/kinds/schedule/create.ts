import { type CallOptions, ConflictError, isMissing } from "../../../client";
import { pollUntilDefinedAfterWrite } from "../../../client/read-back";
import type { ListMoment } from "../../../operations/context";
import {
	BeforeRequest,
	createExactlyOnce,
	failureIsUndefined,
} from "../../../operations/create-once";
import { sendPause } from "../../../operations/pipelines";
import { isPausedPipeline } from "../../../schemas/pipeline-status";
import { foldName } from "../../../schemas/primitives";
import type { Schedule, ScheduleOutput } from "../../../schemas/wire/schedule";
import { adoptIfCreated } from "../../model/messages";
import type { Props } from "../../model/props";
import { differences, isSent, toWire } from "../../model/table";
import type { Call } from "../../run/context";
import { pipelineSoon, pollIfRecent } from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import { type ListedSchedule, nameOf, perList } from "../../run/team-lists";
import { duplicatesOf } from "./duplicates";
import { argsOf, SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import { getSchedule, refOf } from "./find";
import { conflict, describeItem, respelled } from "./messages";

/** Creates the schedule, unless this run has found a second one of a name that it created before. */
export async function create(call: Call, inputs: Props) {
	const args = argsOf(inputs);
	duplicatesOf(call).begin(args.teamName, call.urn);
	await refuseDuplicates(call);
	// Pause and resume come first: a paused pipeline's schedule cannot fire in between, and a failure leaves nothing made.
	if (args.paused !== undefined) {
		const pipeline = await pipelineSoon(call, args.teamName, args.pipelineName);
		if (isPausedPipeline(pipeline) !== args.paused)
			await sendPause(call, targetOf(args), args.paused);
	}
	const listed = await call.lists.schedules(args.teamName, "recent");
	const live = await createOnce(call, args, listed).catch((error: unknown) => {
		throw error instanceof ConflictError
			? new Error(conflict(error, "create"), { cause: error })
			: error;
	});
	const name = live.schedule_name ?? args.scheduleName;
	const at = call.time.now();
	duplicatesOf(call).add({ team: args.teamName, name, id: live.id, at });
	// A new schedule never had another name: the service stores names in a form of its own.
	const isNamed = live.schedule_name === args.scheduleName;
	return {
		id: String(live.id),
		live,
		problem: isNamed ? undefined : respelled(call, args, live),
	};
}

const beforeRequest = perList(
	(items: readonly ListedSchedule[]) => new BeforeRequest(items),
);

/** If the response is lost or names another schedule, the schedule is searched for in the list. */
function createOnce(
	call: Call,
	args: ScheduleArgs,
	listedBefore: readonly ListedSchedule[],
): Promise<Schedule> {
	const { teamName: team } = args;
	const before = beforeRequest(listedBefore);
	const mayBeMade = (item: ListedSchedule) =>
		before.mayHaveMade(item, call.owners.isReleased(refOf(team, item.id)));
	const body = {
		team_name: team,
		schedule_name: args.scheduleName,
		pipeline_name: args.pipelineName,
		...toWire(SCHEDULE_FIELDS, "create", args),
	};
	const get = (id: number) => getSchedule(call, team, id).catch(failureIsUndefined);
	let namesakes: readonly ListedSchedule[] = [];
	const candidates = async (since?: ListMoment): Promise<Schedule[]> => {
		const items = await call.lists.schedules(team, since ?? "now");
		namesakes = items.filter(
			(item) =>
				item.schedule_name === args.scheduleName &&
				mayBeMade(item) &&
				call.owners.of(refOf(team, item.id)) === undefined,
		);
		const details = await Promise.all(namesakes.map(({ id }) => get(id)));
		return details
			.filter((live) => live !== undefined)
			.filter((live) => notAsSent(args, live).length === 0);
	};
	const identify = async ({ schedule }: ScheduleOutput) => {
		if (!schedule) return "the response named no schedule.";
		const live = await pollUntilDefinedAfterWrite(call, "PipelineSchedule", () =>
			get(schedule.id),
		);
		// An id whose schedule was never seen may be anybody's.
		if (live === undefined)
			return `the response named schedule ${schedule.id}, which could not be read.`;
		// The id is believed also if the service changed a value, or the name.
		const wrong = notAsSent(args, live);
		const isNamed = foldName(nameOf(live)) === foldName(args.scheduleName);
		const isOnlyRenamed = wrong.every((field) => field === "scheduleName");
		if (
			!mayBeMade(live) ||
			wrong.includes("pipelineName") ||
			!(isNamed || isOnlyRenamed)
		)
			return `the response named schedule ${schedule.id}, which is not the one that was asked for and was not changed.`;
		if (isNamed) return live;
		// A service that stores names in a form of its own; a schedule of the declared name would be the request's product instead.
		const [named, ...others] = (await candidates().catch(failureIsUndefined)) ?? [];
		return named !== undefined && others.length === 0 ? named : live;
	};
	return createExactlyOnce(call, {
		subject: `schedule "${args.scheduleName}"`,
		team,
		listedBy: "schedules",
		send: (options: CallOptions) => call.client.schedules.create(body, options),
		identify,
		candidates,
		describe: (live) => describeItem(call, live),
		others: () =>
			namesakes.map((item) => `${describeItem(call, item)}, with other values`),
		advice: adoptIfCreated,
	});
}

/** Fields of the create request that the schedule does not have. */
const notAsSent = (args: ScheduleArgs, live: Schedule): string[] =>
	differences(SCHEDULE_FIELDS, args, live)
		.map(({ field }) => field)
		.filter((field) => isSent(SCHEDULE_FIELDS, "create", field));

/** A second schedule of a name that was created now ends the deployment; gaps in a list are told. */
export async function refuseDuplicates(call: Call): Promise<void> {
	const duplicates = duplicatesOf(call);
	const absent = duplicates.takeAbsent();
	if (absent.length > 0) {
		call.notice(
			`The service's list does not contain the new objects: ${absent.join(", ")}. The list is delayed or cut short, so the provider may ` +
				'miss a duplicate. Run "pulumi refresh" to check again.',
		);
	}
	await Promise.all(
		duplicates.namesakes().map((namesake) => releaseIfDeleted(call, namesake)),
	);
	const duplicate = duplicates.problem();
	if (duplicate !== undefined) throw new Error(duplicate);
}

/** A list that lags behind still shows what another user deleted. */
async function releaseIfDeleted(
	call: Call,
	{
		object,
		createdAt,
	}: { readonly object: ObjectRef; readonly createdAt: string | null | undefined },
): Promise<void> {
	const exists = () =>
		getSchedule(call, object.team, Number(object.id)).then(
			() => true,
			(error: unknown) => !isMissing(error) || undefined,
		);
	// Its age, and not that of the resource that is calling.
	const isThere = await pollIfRecent(
		{ ...call, madeAt: undefined },
		{ createdAt },
		exists,
	);
	if (isThere === undefined) call.owners.release(object);
}

export const targetOf = ({ teamName, pipelineName }: ScheduleArgs) => ({
	team_name: teamName,
	name: pipelineName,
});
