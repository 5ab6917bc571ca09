import { isTriggeredFrom, isTriggeredFromAll } from "../../schemas/dataset";
import { isPausedPipeline } from "../../schemas/pipeline-status";
import type { Pipeline } from "../../schemas/wire/pipeline";
import { ADOPT_EQUAL, type Call } from "../context";
import { failureIsUndefined, makeOnce, sendOnce } from "../runs/send-once";
import { BeforeRequest, createdAt, RECENT_MILLIS } from "../shared/before-request";
import { seenSoon } from "../time";
import type { PipelineArgs } from "./fields";
import { isRunOfASchedule, pipelineRef } from "./find";

type Before = BeforeRequest<string>;

/** Triggers the pipeline; one that an interrupted deployment left is taken over with the user's consent. */
export async function makePipeline(call: Call, args: PipelineArgs): Promise<Pipeline> {
	const key = JSON.stringify(["trigger", args.teamName, [...args.datasets].sort()]);
	// One at a time for the same datasets, so that a pipeline whose reply is lost can be told from its twin.
	return call.locks.run(key, async () => {
		const all = await call.lists.freshPipelines(args.teamName);
		const left = leftBehind(call, args, all);
		if (left !== undefined) call.notice(whatBecomesOf(call, args, left));
		const live = call.adoptEqual && left ? left : await trigger(call, args, all);
		call.ownership.take(call.urn, pipelineRef(args.teamName, live.pipeline_id));
		call.lists.drop(args.teamName);
		return live;
	});
}

const asItem = ({ pipeline_id, created_at }: Pipeline) => ({ id: pipeline_id, created_at });

const isFree = (call: Call, team: string, { pipeline_id }: Pipeline): boolean => {
	const fate = call.ownership.fate(pipelineRef(team, pipeline_id));
	return fate.is === "unknown" && !fate.ours;
};

/** The one pipeline of these datasets that a killed run can have made: recent, and as it would have been left. */
function leftBehind(call: Call, args: PipelineArgs, all: readonly Pipeline[]): Pipeline | undefined {
	const [only, ...others] = all.filter(
		(pipeline) =>
			isTriggeredFromAll(pipeline.triggered_from, args.datasets) &&
			!isRunOfASchedule(pipeline) &&
			isFree(call, args.teamName, pipeline) &&
			call.time.now() - (createdAt(pipeline) ?? 0) < RECENT_MILLIS &&
			(args.start || isPausedPipeline(pipeline)),
	);
	return others.length > 0 ? undefined : only;
}

/** Without consent it stays alone: it may be somebody's who wants it. */
function whatBecomesOf({ adoptEqual }: Call, { teamName }: PipelineArgs, left: Pipeline): string {
	const what = `Pipeline "${left.name ?? left.pipeline_id}" of team "${teamName}"`;
	const why = "triggered from the same datasets less than an hour ago";
	if (adoptEqual) return `${what} is taken over: it was ${why}, and ${ADOPT_EQUAL} is set.`;
	return (
		`${what} was ${why} and is not in the state; another one is made. Where an interrupted deployment left it, run with ` +
		`${ADOPT_EQUAL}=true to take it over instead.`
	);
}

/** Where the reply is lost or names something else, the pipeline is looked for in the list. */
async function trigger(call: Call, args: PipelineArgs, all: readonly Pipeline[]): Promise<Pipeline> {
	const { teamName: team } = args;
	const before: Before = new BeforeRequest(all.map(asItem));
	const request = { team_name: team, datasets: [...args.datasets], review: !startsAtOnce(args) };
	const send = async () => {
		const { pipeline: named } = await sendOnce(call, () => call.client.pipelines.trigger(request));
		if (!named) return "the reply named no pipeline.";
		const live = await readSoon(call, args, named);
		const which = `the reply named pipeline "${named.name ?? named.pipeline_id}", which`;
		if (live === undefined) return `${which} could not be read.`;
		if (isProductOf(args, live, before)) return live;
		return `${which} is not the one that was asked for and was left alone.`;
	};
	let found: Pipeline[] = [];
	const find = async () => {
		const now = await call.lists.freshPipelines(team).catch(failureIsUndefined);
		found = (now ?? []).filter(
			(pipeline) => isProductOf(args, pipeline, before) && isFree(call, team, pipeline),
		);
		return found.length === 1 ? found[0] : undefined;
	};
	call.lists.drop(team);
	return makeOnce(call, send, find, (why) => unclear(args, found, why));
}

/** Jobs are taken out while it is paused, so that it must not start by itself then. */
export const startsAtOnce = ({ start, removeJobs = [] }: PipelineArgs): boolean =>
	start && removeJobs.length === 0;

/** The pipeline as a read shows it. */
async function readSoon(call: Call, args: PipelineArgs, named: Pipeline): Promise<Pipeline | undefined> {
	if (!named.name) return undefined;
	const target = { team_name: args.teamName, name: named.name };
	return seenSoon(call, async () => {
		const live = await call.client.pipelines.status(target).catch(failureIsUndefined);
		return live?.pipeline_id === named.pipeline_id ? live : undefined;
	});
}

/** Whether the pipeline is what our own request made: new since before it, and from the same datasets. */
function isProductOf(args: PipelineArgs, live: Pipeline, before: Before): boolean {
	if (!before.mayHaveMade(asItem(live)) || isRunOfASchedule(live)) return false;
	return isTriggeredFrom(live.triggered_from, args.datasets);
}

function unclear(args: PipelineArgs, found: readonly Pipeline[], why: string): Error {
	const names = found.map(({ name, pipeline_id }) => `"${name ?? pipeline_id}"`).join(", ");
	const seen =
		found.length === 0
			? "No new pipeline of these datasets is in the list so far"
			: `More than one new pipeline of these datasets is in the list (${names}), and nothing tells which is this one`;
	return new Error(
		`Could not tell whether a pipeline was triggered from ${args.datasets.join(", ")} in team "${args.teamName}": ${why} ${seen}. ` +
			'It was not sent again, because that could make a second one. Look with "npx pulumi-datachain pipelines", then run ' +
			`"pulumi up" again; one run with ${ADOPT_EQUAL}=true takes over a single pipeline of these datasets that is less than ` +
			"an hour old.",
	);
}
