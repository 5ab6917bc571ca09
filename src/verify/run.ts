import { AbortedError } from "../client";
import type { ConnectionSettings } from "../client/connection";
import { ApiError } from "../client/errors";
import { plain } from "../text/report";
import type { Assumption, Contexts, Group } from "./assumption";
import { cleanUp, idOf, notRemoved, type Remainder } from "./clean-up";
import { type Description, readDescription, VerifyError } from "./description";
import { findLeftovers, type Leftover } from "./leftovers";
import { type Outcome, Untried, untried } from "./outcome";
import { type OwnNames, ownNames } from "./own-names";
import { ReadingFacts, UNUSED_ID } from "./reading-facts";
import type { Result } from "./report";
import { fieldOf, Service, shortFailure } from "./service";
import { type AssumptionId, assumptionIds, assumptions } from "./table";
import { type Target, WritingFacts } from "./writing-facts";

export interface VerifyOptions {
	readonly baseUrl: string;
	/** Without it only the description is checked. */
	readonly connection: ConnectionSettings | undefined;
	/** Ends the reads; what has been made is removed all the same. */
	readonly signal: AbortSignal;
	/** A paused pipeline, for the checks that write. */
	readonly pipeline?: string | undefined;
	/** Leaves out the description. */
	readonly noDescription?: boolean | undefined;
	readonly names?: OwnNames | undefined;
	/** How long a write may stay unseen. */
	readonly patienceMillis?: number | undefined;
}

/** What is known before the first assumption is checked. Nothing has been written yet. */
export interface Prepared {
	readonly description: Description | undefined;
	readonly service: Service | undefined;
	readonly target: Target | undefined;
	/** Of an earlier run. */
	readonly leftovers: readonly Leftover[];
}

/**
 * Finds out before the first write whether the command can work. It sends reads and, to test the token, the delete of a schedule
 * that does not exist. Fails with one line; nothing is sent after it.
 */
export async function prepare(options: VerifyOptions): Promise<Prepared> {
	const { connection, signal, pipeline, names = ownNames() } = options;
	const description = options.noDescription
		? undefined
		: await readDescription(options.baseUrl, signal);
	if (connection === undefined)
		return { description, service: undefined, target: undefined, leftovers: [] };
	const service = new Service(connection, signal);
	try {
		await findScheme(service);
		const target =
			pipeline === undefined ? undefined : await targetOf(service, pipeline, names);
		return { description, service, target, leftovers: await findLeftovers(service) };
	} catch (error) {
		await service.close();
		throw error;
	}
}

/** Whether the service takes the token, and in which scheme. */
async function findScheme(service: Service): Promise<void> {
	const first = await service.ask("listClusters");
	if (first.status !== 401) {
		first.orThrow();
		return;
	}
	service.scheme = "token";
	const second = await service.ask("listClusters");
	// Both refused: the first refusal is of the usual scheme.
	if (second.status === 401) first.orThrow();
	second.orThrow();
}

async function targetOf(
	service: Service,
	pipeline: string,
	names: OwnNames,
): Promise<Target> {
	const pipelineText = JSON.stringify(pipeline);
	const status = await service.ask("pipelineStatus", { name: pipeline });
	if (status.status === 404)
		throw new VerifyError(
			`Team ${JSON.stringify(service.teamName)} has no pipeline ${pipelineText}. \`pulumi-datachain pipelines\` lists them.`,
		);
	const { json } = status.orThrow();
	if (fieldOf(json, "name") !== pipeline)
		throw new VerifyError(
			`The service was asked for pipeline ${pipelineText} and answered about another one.`,
		);
	const state = fieldOf(json, "status");
	if (state !== "PAUSED")
		throw new VerifyError(
			`Pipeline ${pipelineText} is ${plain(String(state), 40)} and not paused. Choose a paused one, or run \`pulumi-datachain pause ${plain(pipeline)}\`.`,
		);
	const { json: schedules } = (await service.ask("listSchedules")).orThrow();
	if (!Array.isArray(schedules))
		throw new VerifyError(
			"The list of schedules is not an array, so nothing was written.",
		);
	const there = new Set<unknown>([
		...schedules.map((schedule) => fieldOf(schedule, "schedule_name")),
		...Object.keys(Object(fieldOf(json, "environment_variables"))),
	]);
	const taken = [names.schedule, names.renamed, names.variable].find((name) =>
		there.has(name),
	);
	if (taken !== undefined)
		throw new VerifyError(
			`The name ${taken} is taken. Run the command again; it draws another one.`,
		);
	const scheduleIds = new Set(schedules.map(idOf));
	await checkWriteAccess(service, scheduleIds);
	return { pipeline, scheduleIds, names };
}

/**
 * Asks to delete a schedule that the list does not have. A service that refuses the token says 403; one that gets as far
 * as looking for the schedule has let the token pass.
 */
async function checkWriteAccess(
	service: Service,
	ids: ReadonlySet<string>,
): Promise<void> {
	// A schedule has this id after all, so access is not tested.
	if (ids.has(String(UNUSED_ID))) return;
	const { status } = await service.ask("deleteSchedule", { schedule_id: UNUSED_ID });
	if (status !== 401 && status !== 403) return;
	throw new VerifyError(
		`The token may not write in team ${JSON.stringify(service.teamName)} (${status}). Use a token with write access to the JOB scope, or leave out --pipeline.`,
	);
}

export interface Finished {
	readonly results: readonly Result[];
	readonly news: readonly string[];
	readonly left: readonly Remainder[];
	/** The name of the file that was uploaded and that no request can remove. */
	readonly file: string | undefined;
	/** False if it was interrupted. */
	readonly complete: boolean;
}

/** Told of the work as it goes on. */
export interface Watcher {
	/** An assumption is about to be checked. */
	begins(id: AssumptionId): void;
	checked(result: Result): void;
	onRemovalBegins(): void;
	/** What is still there after the removal, also if the run fails. */
	onRemovalEnds(left: readonly Remainder[]): void;
	/** Offers a look at what is not removed yet; called before anything is written. */
	beforeWriting(notYet: () => Remainder[]): void;
}

/** Checks every assumption in turn. What was made is removed in every case. */
export async function runChecks(
	options: VerifyOptions,
	prepared: Prepared,
	watcher: Watcher,
): Promise<Finished> {
	const { service, target } = prepared;
	const writing =
		service && target && new WritingFacts(service, target, options.patienceMillis);
	if (writing !== undefined) watcher.beforeWriting(() => notRemoved(writing));
	const checks = new Checks(
		options.signal,
		contextsOf(prepared, writing),
		(text) => service?.withoutToken(text) ?? text,
	);
	let left: Remainder[] = [];
	try {
		await checks.run(assumptionIds, watcher);
	} finally {
		if (writing !== undefined && options.connection !== undefined) {
			watcher.onRemovalBegins();
			left = await cleanUpAlsoIfInterrupted(options.connection, writing);
			watcher.onRemovalEnds(left);
		}
	}
	const { results, news } = checks;
	return {
		results,
		news,
		left,
		file: writing?.uploaded,
		complete: results.length === assumptionIds.length,
	};
}

/** With a signal of its own: an interrupted run removes what it made. */
async function cleanUpAlsoIfInterrupted(
	connection: ConnectionSettings,
	facts: WritingFacts,
): Promise<Remainder[]> {
	const service = new Service(connection, new AbortController().signal);
	try {
		return await cleanUp(facts.using(service), facts);
	} finally {
		await service.close();
	}
}

type Available = { readonly [In in Group]: Contexts[In] | string };

/** What the probes of each group work with, or why they cannot work. */
function contextsOf(
	{ description, service }: Prepared,
	writing: WritingFacts | undefined,
): Available {
	const noToken = "it needs a token";
	return {
		description: description === undefined ? "left out" : { description },
		reading:
			service === undefined ? noToken : { service, facts: new ReadingFacts(service) },
		writing:
			service === undefined || writing === undefined
				? "it writes, which needs --pipeline"
				: { service, facts: writing },
	};
}

const LONGEST_SEEN = 600;

class Checks {
	readonly results: Result[] = [];
	readonly news: string[] = [];
	private readonly differing = new Set<string>();

	constructor(
		private readonly signal: AbortSignal,
		private readonly contexts: Available,
		private readonly redact: (text: string) => string,
	) {}

	/** Ends with the signal. */
	async run(ids: readonly AssumptionId[], watcher: Watcher): Promise<void> {
		for (const id of ids) {
			if (this.signal.aborted) return;
			watcher.begins(id);
			const outcome = await this.outcomeOf(id);
			if (outcome === undefined) return;
			const result = this.resultOf(id, outcome);
			this.results.push(result);
			watcher.checked(result);
		}
	}

	/** Undefined if the signal ended the probe. */
	private async outcomeOf(id: AssumptionId): Promise<Outcome | undefined> {
		const assumption: Assumption = assumptions[id];
		const context = this.contexts[assumption.group];
		if (typeof context === "string") return untried(context);
		const failed = assumption.needs?.find((need) => this.differing.has(need));
		if (failed !== undefined) return untried(`it needs ${failed}, which differs`);
		try {
			return await assumption.probe(context);
		} catch (error) {
			if (error instanceof AbortedError && this.signal.aborted) return undefined;
			if (error instanceof Untried) return untried(error.message);
			if (error instanceof ApiError) return untried(shortFailure(error));
			throw error;
		}
	}

	private resultOf(
		id: AssumptionId,
		{ verdict, seen, matters, news = [] }: Outcome,
	): Result {
		const { group, sentence, otherwise, matters: usually } = assumptions[id];
		this.news.push(...news.map((each) => plain(this.redact(each), 200)));
		const visibleText = plain(this.redact(seen), LONGEST_SEEN);
		const result = { id, group, assumption: sentence, verdict, seen: visibleText };
		if (verdict !== "differs") return result;
		this.differing.add(id);
		return { ...result, matters: matters ?? usually, otherwise };
	}
}
