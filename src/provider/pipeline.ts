import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type CallOptions, ConflictError, InvalidRequestError } from "../api";
import { seenSoon } from "../api/read-back";
import {
	datasetProblem,
	datasetsShown,
	isTriggeredFrom,
	isTriggeredFromAll,
	parseDataset,
} from "../schemas/dataset";
import { hasEnded, isPausedPipeline } from "../schemas/pipeline-status";
import { objectName, oneOf, teamName } from "../schemas/primitives";
import type { Pipeline, PipelineOutput } from "../schemas/wire/pipeline";
import type { ObjectRef } from "./claims";
import type { Call } from "./context";
import { type Problem, type Props, pick, problem } from "./handler";
import { WAIT_FIELDS } from "./job-wait";
import { claimMade, frame, type Unslotted } from "./lifecycle";
import { ADOPT_EQUAL, ifLeftBehind, leftToItsHolder, orAgain, parseUrn, resourceName } from "./messages";
import {
	BeforeRequest,
	createdAt,
	failureIsUndefined,
	makeOnce,
	missingIsUndefined,
	RECENT_MILLIS,
	refuseOtherService,
	seenWhileYoung,
	UnclearError,
} from "./outcome";
import {
	doSteps,
	isAmong,
	nameOrId,
	pendingIn,
	pipelineOuts,
	removedIn,
	StepError,
	setPaused,
	startsAtOnce,
	stepsOfCreate,
	stepsOfUpdate,
} from "./pipeline-steps";
import { changes, checkFields, diffByTable, type Table } from "./table";
import { findByImportId } from "./team-lists";

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String).sort() : []);
const sameList = (a: unknown, b: unknown): boolean => isDeepStrictEqual(texts(a), texts(b));

const rows = {
	datasets: {
		schema: z
			.array(
				z.string("must be a string").superRefine((text, context) => {
					const message = datasetProblem(text);
					if (message !== undefined) context.addIssue({ code: "custom", message });
				}),
				'must be a list of datasets, such as ["dev.images.final_result"]',
			)
			.min(1, "must name at least one dataset")
			.refine((list) => new Set(list).size === list.length, { error: "must name each dataset once" }),
		wire: "datasets",
		change: "replace",
		// One pipeline is created for all of them together, in whatever order.
		same: sameList,
	},
	start: { schema: z.boolean("must be true or false"), change: "update" },
	removeJobs: {
		schema: z.array(objectName, "must be a list of names of jobs").optional(),
		// A job that was removed comes back with a new pipeline only.
		change: (old, declared, olds) => {
			const left = texts(old).filter((job) => !texts(declared).includes(job));
			return left.some((job) => isAmong(removedIn(olds), job)) ? "replace" : "update";
		},
		same: sameList,
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
	/** What happens to the pipeline when it leaves the state: the API cannot delete one. */
	onDestroy: {
		schema: oneOf("pause", "leave"),
		change: "update",
	},
} as const satisfies Table<never>;

/** Inputs of the Pipeline resource, one row each. */
export const PIPELINE_FIELDS: Table<never> = rows;

/** The inputs after `check`: defaults filled in. */
export type PipelineArgs = { readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]> };
const argsOf = (inputs: Props): PipelineArgs => inputs as unknown as PipelineArgs;

function waitsForNothing({ start, wait }: Props): Problem[] {
	if (wait !== true || start !== false) return [];
	return [
		problem("wait", "a pipeline that is not started never ends. Set start to true, or leave wait out."),
	];
}

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const refOf = (team: string, id: string): ObjectRef => ({ kind: "Pipeline", team, id });

/** A schedule runs copies of its pipeline; they have the schedule's name. */
export const isRunOfASchedule = ({ schedule_name, is_template }: Pipeline): boolean =>
	Boolean(schedule_name) && is_template !== true;

/** Whether it is the pipeline of this id; if nothing is known of it yet (an import), the id may be its name. */
const isOf =
	(id: string, { name }: Props) =>
	(pipeline: Pipeline): boolean =>
		pipeline.pipeline_id === id || (name === undefined && pipeline.name === id);

/** From a shared list, or asked for directly. */
const findShared = async (
	call: Call,
	team: string,
	id: string,
	known: Props,
): Promise<Pipeline | undefined> =>
	(await call.lists.pipelines(team)).find(isOf(id, known)) ?? findPipeline(call, team, id, known);

/**
 * The pipeline, or undefined if the service itself says that there is none: the status is requested by name, and the list,
 * which must be readable, confirms a 404.
 */
async function findPipeline(
	call: Call,
	team: string,
	id: string,
	known: Props,
): Promise<Pipeline | undefined> {
	const name = String(known.name ?? id);
	return seenWhileYoung(call, known, async () => {
		const pipeline = await call.client.pipelines.status({ team_name: team, name }).catch(missingIsUndefined);
		if (pipeline && (known.name === undefined || pipeline.pipeline_id === id)) return pipeline;
		const listed = (await call.lists.pipelines(team, "now")).find(isOf(id, known));
		if (listed === undefined)
			refuseOtherService(call, known, `Pipeline "${name}" of team "${team}" was not found`);
		return listed;
	});
}

// ── Triggering ──────────────────────────────────────────────────────────────────────────────────────────────────────

type Before = BeforeRequest<string>;
const asItem = ({ pipeline_id, created_at }: Pipeline) => ({ id: pipeline_id, created_at });

const isForeign = (call: Call, team: string, { pipeline_id }: Pipeline): boolean =>
	call.claims.of(refOf(team, pipeline_id)).is === "foreign";

/** Triggers the pipeline; one that an interrupted deployment left is adopted with the user's consent. */
export async function triggerPipeline(call: Call, args: PipelineArgs): Promise<Pipeline> {
	return oneAtATime(call, args, async () => {
		const all = await call.lists.pipelines(args.teamName, "now");
		// A command belongs to no program, so no deployment of it was interrupted.
		const left = parseUrn(call.urn) && leftBehind(call, args, all);
		if (left !== undefined) call.notice(whatBecomesOf(call, args, left));
		const objectOf = ({ pipeline_id }: Pipeline) => refOf(args.teamName, pipeline_id);
		// Another provider process of the deployment may have been faster.
		if (call.adoptEqual && left && call.claims.take(call.urn, objectOf(left))) return left;
		const triggered = await triggerOnce(call, args, all);
		claimMade(call, objectOf(triggered), which({ ...args, name: triggered.name }, triggered.pipeline_id));
		call.lists.noteNew(args.teamName, String(triggered.name));
		return triggered;
	});
}

/**
 * One at a time for pipelines that share a dataset: the service may show only one dataset of several, so a pipeline whose
 * response is lost could be taken for another one of the program. Sorted keys keep two from waiting for each other.
 */
function oneAtATime<T>(call: Call, { teamName, datasets }: PipelineArgs, work: () => Promise<T>): Promise<T> {
	const names = [...new Set(datasets.map((dataset) => parseDataset(dataset)?.fullName ?? dataset))].sort();
	return names.reduceRight<() => Promise<T>>(
		(inner, name) => () => call.locks.run(JSON.stringify(["trigger", teamName, name]), inner),
		work,
	)();
}

/** The one pipeline of these datasets that a killed deployment can have created: recent, and as it would have been left. */
function leftBehind(call: Call, args: PipelineArgs, all: readonly Pipeline[]): Pipeline | undefined {
	const [only, ...others] = all.filter(
		(pipeline) =>
			isTriggeredFromAll(pipeline.triggered_from, args.datasets) &&
			!isRunOfASchedule(pipeline) &&
			isForeign(call, args.teamName, pipeline) &&
			call.time.now() - (createdAt(pipeline) ?? 0) < RECENT_MILLIS &&
			(args.start || isPausedPipeline(pipeline)),
	);
	return others.length > 0 ? undefined : only;
}

/** Sends the trigger once; if the response is lost or names something else, the pipeline is searched for in the list. */
async function triggerOnce(call: Call, args: PipelineArgs, all: readonly Pipeline[]): Promise<Pipeline> {
	const { teamName: team } = args;
	const before: Before = new BeforeRequest(all.map(asItem));
	const request = { team_name: team, datasets: [...args.datasets], review: !startsAtOnce(args) };
	const send = (options: CallOptions) => call.client.pipelines.trigger(request, options);
	const identify = async ({ pipeline: named }: PipelineOutput) => {
		if (!named) return "the response named no pipeline.";
		const live = await readSoon(call, args, named);
		const which = `the response named pipeline "${nameOrId(named)}", which`;
		if (live === undefined) return `${which} could not be read.`;
		if (!mayBeMade(live, before)) return `${which} is not the one that was asked for and was not changed.`;
		// Without its datasets, the id in the response is all there is.
		if (!live.triggered_from || isOfDatasets(args, live)) return live;
		return (
			`${which} is shown as triggered from ${live.triggered_from} and was not changed. If these are the declared datasets in ` +
			"another spelling, pause that pipeline, and declare them as they are shown."
		);
	};
	let found: Pipeline[] = [];
	const find = async () => {
		const now = await call.lists.pipelines(team, "now").catch(failureIsUndefined);
		found = (now ?? []).filter(
			(pipeline) =>
				mayBeMade(pipeline, before) &&
				isOfDatasets(args, pipeline) &&
				isPausedPipeline(pipeline) === request.review &&
				isForeign(call, team, pipeline),
		);
		return found.length === 1 ? found[0] : undefined;
	};
	return makeOnce(call, send, identify, find, (why) => unclear(call, args, found, why));
}

/** The pipeline as a read shows it. */
async function readSoon(call: Call, args: PipelineArgs, named: Pipeline): Promise<Pipeline | undefined> {
	if (!named.name) return undefined;
	const target = { team_name: args.teamName, name: named.name };
	return seenSoon(call, async () => {
		const live = await call.client.pipelines.status(target).catch(failureIsUndefined);
		return live?.pipeline_id === named.pipeline_id ? live : undefined;
	});
}

/** Whether our own request can have created the pipeline. */
const mayBeMade = (live: Pipeline, before: Before): boolean =>
	before.mayHaveMade(asItem(live)) && !isRunOfASchedule(live);

const isOfDatasets = ({ datasets }: PipelineArgs, { triggered_from }: Pipeline): boolean =>
	isTriggeredFrom(triggered_from, datasets);

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Without consent it is left alone: it may be somebody's who wants it. */
function whatBecomesOf({ adoptEqual }: Call, { teamName: team }: PipelineArgs, left: Pipeline): string {
	const what = `Pipeline "${nameOrId(left)}" of team "${team}"`;
	const why = "triggered from the same datasets less than an hour ago";
	if (adoptEqual) return `${what} is adopted: it was ${why}, and ${ADOPT_EQUAL} is set.`;
	return `${what} was ${why} and is not in the state; another one is created. ${ifLeftBehind}`;
}

function unclear(call: Call, args: PipelineArgs, found: readonly Pipeline[], why: string): UnclearError {
	const names = found.map((each) => `"${nameOrId(each)}"`).join(", ");
	const [seen, next] =
		found.length === 0
			? [
					"no new pipeline of these datasets so far",
					'Wait a minute, and look for it with "pulumi-datachain pipelines". ' +
						orAgain(call, "it adopts the pipeline if the list shows exactly one, and triggers one otherwise"),
				]
			: [
					`several new pipelines of these datasets (${names}), and the provider cannot tell which one belongs to this resource`,
					'Pause the unwanted ones with "pulumi-datachain pause NAME"; the next "pulumi up" triggers another one.',
				];
	return new UnclearError(
		`Could not tell whether a pipeline was triggered from ${args.datasets.join(", ")} in team "${args.teamName}": ${why} The list ` +
			`shows ${seen}. It was not sent again, because that could create a second one. ${next}`,
	);
}

const which = ({ name, teamName: team }: Props, id: string): string =>
	`Pipeline "${String(name ?? id)}" in team "${String(team)}"`;

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A pipeline that was waited for and failed is no success of the deployment: the next one runs it again. */
const mustRunAgain = (olds: Props, news: Props): boolean =>
	news.wait === true &&
	pendingIn(olds).includes("wait") &&
	["FAILED", "CANCELED"].includes(String(olds.status).toUpperCase());

/** The service refuses the pause, or shows no effect of it. */
const isNotPaused = (error: unknown): boolean =>
	error instanceof StepError || error instanceof ConflictError || error instanceof InvalidRequestError;

const kind: Unslotted = {
	kind: "Pipeline",
	fields: PIPELINE_FIELDS,
	identity: "datasets",

	async check(_call, olds, given) {
		const inputs = { ...given, start: given.start ?? false, onDestroy: given.onDestroy ?? "pause" };
		return {
			inputs,
			problems: [...checkFields(PIPELINE_FIELDS, olds, inputs), ...waitsForNothing(inputs)],
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
		if (replaces.length === 0 || onDestroy === "leave") return;
		call.notice(
			`The current pipeline of ${resourceName(call.urn)} will be paused after its replacement is created.`,
		);
	},
	async create(call, inputs) {
		const args = argsOf(inputs);
		const live = await triggerPipeline(call, args);
		return { id: live.pipeline_id, outs: await doSteps(call, args, live, stepsOfCreate(args)) };
	},
	async read(call, id, outs) {
		const isKnown = outs.name !== undefined;
		const find = (team: string, idOrName: string) => findShared(call, team, idOrName, isKnown ? outs : {});
		const place = isKnown
			? { team: String(outs.teamName), pipeline: await find(String(outs.teamName), id) }
			: await findByImportId(call, id, find);
		if (place?.pipeline === undefined) return {};
		const { team, pipeline: live } = place;
		// What the service shows that a pipeline was triggered from, as a program would name it.
		const datasets = isKnown ? [] : datasetsShown(live.triggered_from);
		const shown = { start: false, onDestroy: "pause", ...(datasets.length > 0 && { datasets }) };
		const inputs = pick({ ...shown, ...outs, teamName: team }, Object.keys(PIPELINE_FIELDS));
		const progress = { pending: pendingIn(outs), removedJobs: removedIn(outs) };
		return { state: { id: live.pipeline_id, inputs, outs: pipelineOuts(call, inputs, live, progress) } };
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
		return doSteps(call, args, live, stepsOfUpdate(args, changed, pendingIn(olds)), removedIn(olds));
	},
	async remove(call, id, outs) {
		const team = String(outs.teamName);
		const live = await findPipeline(call, team, id, outs);
		if (live === undefined) return;
		if (outs.onDestroy === "leave") {
			call.notice(`${which(outs, id)} was not changed: the API cannot delete a pipeline.`);
			return;
		}
		const isPaused = await setPaused(call, team, live, true).then(
			() => true,
			(error: unknown) => {
				// Nothing of it runs that a pause would keep from going on, and trying again would fail for ever.
				if (isNotPaused(error) && hasEnded(error instanceof StepError ? error.live : live)) return false;
				if (!(error instanceof StepError)) throw error;
				// The pipeline that a StepError carries may hold other people's secrets.
				throw new Error(
					`${error.message} To remove the resource without a pause, set onDestroy to "leave" and deploy that first.`,
				);
			},
		);
		const what = isPaused
			? "was paused and stays on the service"
			: "has ended and was not paused, because the service does not pause it";
		call.notice(`${which(outs, id)} ${what}: the API cannot delete a pipeline.`);
	},

	words: {
		kept: (call, outs, id, holder) => leftToItsHolder(call, `${which(outs, id)} was not changed`, holder),
	},
};

export const pipeline = frame(kind);
