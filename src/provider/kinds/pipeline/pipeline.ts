import { ConflictError, InvalidRequestError, isMissing } from "../../../client";
import { createdAt } from "../../../operations/create-once";
import {
	getPipeline,
	missingIsUndefined,
	nameOrId,
	StepError,
	setPaused,
} from "../../../operations/pipelines";
import { triggerPipeline } from "../../../operations/trigger";
import {
	datasetsShown,
	isTriggeredFromAll,
	parseDataset,
} from "../../../schemas/dataset";
import { PipelineOnDestroy } from "../../../schemas/enums";
import {
	hasEnded,
	isPausedPipeline,
	isRunOfASchedule,
} from "../../../schemas/pipeline-status";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { didYouMean } from "../../../text/suggest";
import {
	ADOPT_EQUAL,
	adoptIfCreated,
	ifLeftBehind,
	resourceName,
} from "../../model/messages";
import { type Problem, type Props, pick, problem } from "../../model/props";
import { changes, checkFields, diffByTable, withDefaults } from "../../model/table";
import type { Call } from "../../run/context";
import { findByImportId } from "../../run/import-id";
import type { UnnamedKind } from "../../run/kind";
import { takeCreated, unnamedLifecycle } from "../../run/lifecycle";
import { pollIfRecent, RECENT_MILLIS, refuseOtherService } from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import { firstPipelinesByName, pipelinesById } from "../../run/team-lists";
import { timeoutNotice } from "../job/wait";
import { PIPELINE_FIELDS, type PipelineArgs, removedIn } from "./fields";
import {
	doSteps,
	pendingIn,
	pipelineOuts,
	startsAtOnce,
	stepsOfCreate,
	stepsOfUpdate,
} from "./steps";

const argsOf = (inputs: Props): PipelineArgs => inputs as unknown as PipelineArgs;

function waitsForNothing({ start, wait }: Props): Problem[] {
	if (wait !== true || start !== false) return [];
	return [
		problem(
			"wait",
			"a pipeline that is not started never ends. Set start to true, or leave wait out.",
		),
	];
}

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const refOf = (team: string, id: string): ObjectRef => ({ kind: "Pipeline", team, id });

/** Whether it is the pipeline of this id; if nothing is known of it yet (an import), the id may be its name. */
const findListed = (
	pipelines: readonly Pipeline[],
	id: string,
	{ name }: Props,
): Pipeline | undefined =>
	pipelinesById(pipelines).get(id) ??
	(name === undefined ? firstPipelinesByName(pipelines).get(id) : undefined);

/** From a shared list, or asked for directly. */
const findShared = async (
	call: Call,
	team: string,
	id: string,
	recorded: Props,
): Promise<Pipeline | undefined> =>
	findListed(await call.lists.pipelines(team), id, recorded) ??
	findPipeline(call, team, id, recorded);

/**
 * The pipeline, or undefined if the service itself says that there is none: the status is requested by name, and the list,
 * which must be readable, confirms a 404.
 */
async function findPipeline(
	call: Call,
	team: string,
	id: string,
	recorded: Props,
): Promise<Pipeline | undefined> {
	const name = String(recorded.name ?? id);
	return pollIfRecent(call, recorded, async () => {
		const pipeline = await getPipeline(call, team, name).catch(missingIsUndefined);
		if (pipeline && (recorded.name === undefined || pipeline.pipeline_id === id))
			return pipeline;
		const listed = findListed(await call.lists.pipelines(team, "now"), id, recorded);
		if (listed === undefined)
			refuseOtherService(
				call,
				recorded,
				`Pipeline "${name}" of team "${team}" was not found`,
			);
		return listed;
	});
}

// ── Triggering ──────────────────────────────────────────────────────────────────────────────────────────────────────

const isForeign = (call: Call, team: string, { pipeline_id }: Pipeline): boolean =>
	call.owners.isForeign(refOf(team, pipeline_id));

/** Triggers the pipeline; one that an interrupted deployment left is adopted with the user's consent. */
async function trigger(call: Call, args: PipelineArgs): Promise<Pipeline> {
	return oneAtATime(call, args, async () => {
		const all = await call.lists.pipelines(args.teamName, "now");
		const left = leftBehind(call, args, all);
		if (left !== undefined) call.notice(leftoverNotice(call, args, left));
		const objectOf = ({ pipeline_id }: Pipeline) => refOf(args.teamName, pipeline_id);
		// Another provider process of the deployment may have been faster.
		if (call.adoptEqual && left && call.owners.take(call.urn, objectOf(left)))
			return left;
		const triggered = await triggerPipeline(
			call,
			{
				team: args.teamName,
				datasets: args.datasets,
				startsAtOnce: startsAtOnce(args),
				isFree: (pipeline) => isForeign(call, args.teamName, pipeline),
				advice: adoptIfCreated,
			},
			all,
		).catch((error: unknown) => {
			throw withDatasetHint(error, args, all);
		});
		takeCreated(
			call,
			objectOf(triggered),
			label({ ...args, name: triggered.name }, triggered.pipeline_id),
		);
		call.lists.noteNew(args.teamName, String(triggered.name));
		return triggered;
	});
}

/**
 * One at a time for pipelines that share a dataset: the service may show only one dataset of several, so a pipeline whose
 * response is lost could be taken for another one of the program. Sorted keys keep two from waiting for each other.
 */
function oneAtATime<T>(
	call: Call,
	{ teamName, datasets }: PipelineArgs,
	work: () => Promise<T>,
): Promise<T> {
	const names = [
		...new Set(datasets.map((dataset) => parseDataset(dataset)?.fullName ?? dataset)),
	].sort();
	return names.reduceRight<() => Promise<T>>(
		(inner, name) => () =>
			call.locks.run(JSON.stringify(["trigger", teamName, name]), inner),
		work,
	)();
}

/** The one pipeline of these datasets that a killed deployment can have created: recent, and as it would have been left. */
function leftBehind(
	call: Call,
	args: PipelineArgs,
	all: readonly Pipeline[],
): Pipeline | undefined {
	const [only, ...others] = all.filter(
		(pipeline) =>
			isTriggeredFromAll(pipeline.triggered_from, args.datasets) &&
			!isRunOfASchedule(pipeline) &&
			isForeign(call, args.teamName, pipeline) &&
			call.serviceNow() - (createdAt(pipeline) ?? 0) < RECENT_MILLIS &&
			!hasFailed(pipeline) &&
			(args.start || isPausedPipeline(pipeline)),
	);
	return others.length > 0 ? undefined : only;
}

/** The service has no list of datasets, but each pipeline names those that it rebuilds. */
function withDatasetHint(
	error: unknown,
	{ datasets }: PipelineArgs,
	all: readonly Pipeline[],
): unknown {
	if (!isMissing(error) || !(error instanceof Error)) return error;
	const rebuilt = all
		.flatMap(({ triggered_from }) => datasetsShown(triggered_from))
		.flatMap((text) => parseDataset(text)?.fullName ?? []);
	const unseen = datasets
		.map((text) => parseDataset(text)?.fullName ?? text)
		.filter((name) => !rebuilt.includes(name));
	const hints = unseen.map((name) => didYouMean(name, rebuilt)).join("");
	return hints === "" ? error : new Error(`${error.message}${hints}`, { cause: error });
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Without consent it is left alone: it may be somebody's who wants it. */
function leftoverNotice(
	{ adoptEqual }: Call,
	{ teamName: team }: PipelineArgs,
	left: Pipeline,
): string {
	const subject = `Pipeline "${nameOrId(left)}" of team "${team}"`;
	const why = "triggered from the same datasets less than an hour ago";
	if (adoptEqual)
		return `${subject} is adopted: it was ${why}, and ${ADOPT_EQUAL} is set.`;
	return `${subject} was ${why} and is not in the state; another one is created. ${ifLeftBehind}`;
}

const label = ({ name, teamName: team }: Props, id: string): string =>
	`Pipeline "${String(name ?? id)}" in team "${String(team)}"`;

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const FAILED = ["FAILED", "CANCELED"];

/** A failed run is never adopted as a success. */
const hasFailed = ({ status }: Pipeline): boolean =>
	FAILED.includes(String(status).toUpperCase());

/** A pipeline that was waited for and failed is no success of the deployment: the next one runs it again. */
const mustRunAgain = (olds: Props, news: Props): boolean =>
	news.wait === true &&
	pendingIn(olds).includes("wait") &&
	FAILED.includes(String(olds.status).toUpperCase());

/** The service refuses the pause, or shows no effect of it. */
const isNotPaused = (error: unknown): boolean =>
	error instanceof StepError ||
	error instanceof ConflictError ||
	error instanceof InvalidRequestError;

const kind: UnnamedKind = {
	kind: "Pipeline",
	fields: PIPELINE_FIELDS,
	identity: "datasets",

	async check(call, olds, given) {
		const inputs = withDefaults(PIPELINE_FIELDS, given);
		timeoutNotice(call, inputs);
		return {
			inputs,
			problems: [
				...checkFields(PIPELINE_FIELDS, olds, inputs, call.secrets),
				...waitsForNothing(inputs),
			],
		};
	},
	diff(_call, olds, news) {
		const byTable = diffByTable(PIPELINE_FIELDS, olds, news);
		if (byTable.replaces.length === 0 && mustRunAgain(olds, news))
			return { changes: true, replaces: ["datasets"] };
		// A refresh forgets that the deployment failed half-way; the steps that are left are not forgotten here.
		return { ...byTable, changes: byTable.changes || pendingIn(olds).length > 0 };
	},
	/** The engine shows a replacement, and not what becomes of the pipeline that is replaced: the API cannot delete one. */
	diffed(call, _id, { onDestroy }, { replaces }) {
		if (replaces.length === 0 || onDestroy === PipelineOnDestroy.Leave) return;
		call.notice(
			`The current pipeline of ${resourceName(call.urn)} will be paused after its replacement is created.`,
		);
	},
	async create(call, inputs) {
		const args = argsOf(inputs);
		const live = await trigger(call, args);
		return {
			id: live.pipeline_id,
			outs: await doSteps(call, args, live, stepsOfCreate(args)),
		};
	},
	async read(call, id, outs) {
		const isKnown = outs.name !== undefined;
		const find = (team: string, idOrName: string) =>
			findShared(call, team, idOrName, isKnown ? outs : {});
		const place = isKnown
			? { team: String(outs.teamName), pipeline: await find(String(outs.teamName), id) }
			: await findByImportId(call, id, find);
		if (place?.pipeline === undefined) return {};
		const { team, pipeline: live } = place;
		// What the service shows that a pipeline was triggered from, as a program would name it.
		const datasets = isKnown ? [] : datasetsShown(live.triggered_from);
		const defaults = withDefaults(
			PIPELINE_FIELDS,
			datasets.length > 0 ? { datasets } : {},
		);
		const inputs = pick(
			{ ...defaults, ...outs, teamName: team },
			Object.keys(PIPELINE_FIELDS),
		);
		const progress = { pending: pendingIn(outs), removedJobs: removedIn(outs) };
		return {
			state: {
				id: live.pipeline_id,
				inputs,
				outs: pipelineOuts(call, inputs, live, progress),
			},
		};
	},
	async update(call, id, olds, inputs) {
		const args = argsOf(inputs);
		const live = await findPipeline(call, args.teamName, id, olds);
		if (live === undefined) {
			throw new Error(
				`Pipeline "${String(olds.name)}" is no longer in team "${args.teamName}". Run "pulumi up --refresh" to create it again.`,
			);
		}
		const changed = changes(PIPELINE_FIELDS, olds, inputs).map(({ field }) => field);
		return doSteps(
			call,
			args,
			live,
			stepsOfUpdate(args, changed, pendingIn(olds)),
			removedIn(olds),
		);
	},
	async remove(call, id, outs) {
		const team = String(outs.teamName);
		const live = await findPipeline(call, team, id, outs);
		if (live === undefined) return;
		if (outs.onDestroy === PipelineOnDestroy.Leave) {
			call.notice(
				`${label(outs, id)} was not changed: the API cannot delete a pipeline.`,
			);
			return;
		}
		const isPaused = await setPaused(call, team, live, true).then(
			() => true,
			(error: unknown) => {
				// Nothing of it runs that a pause would keep from going on, and trying again would fail for ever.
				if (
					isNotPaused(error) &&
					hasEnded(error instanceof StepError ? error.live : live)
				)
					return false;
				if (!(error instanceof StepError)) throw error;
				// The pipeline that a StepError carries may hold other people's secrets.
				throw new Error(
					`${error.message} To remove the resource without a pause, set onDestroy to "leave" and deploy that first.`,
				);
			},
		);
		const action = isPaused
			? "was paused and stays on the service"
			: "has ended and was not paused, because the service does not pause it";
		call.notice(`${label(outs, id)} ${action}: the API cannot delete a pipeline.`);
	},

	words: { label: label },
};

export const pipeline = unnamedLifecycle(kind);
