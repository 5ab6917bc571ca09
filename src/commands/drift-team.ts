import { isMissing, type UnreadableInfo } from "../api";
import type { ProviderContext } from "../provider/context";
import { isRunOfASchedule } from "../provider/pipeline";
import { messageOf } from "../report/report";
import { showInstantOf } from "../schemas/instant";
import { kindEntry } from "../schemas/kinds";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem } from "../schemas/wire/schedule";
import type { Duplicate, FailedCheck, ResourceRef, UnmanagedObject } from "./drift-report";
import { type Finding, nameFieldOf } from "./drift-resource";
import { isScheduleKind, propertyOf, type StackState, type StateResource } from "./stack-state";

/** What a team's two lists show, and what of them could not be read. */
export interface TeamReading {
	readonly team: string;
	readonly schedules: readonly ScheduleItem[];
	readonly pipelines: readonly Pipeline[];
	readonly failed: readonly FailedCheck[];
	/** One for each list that could not be read at all. */
	readonly errors: readonly unknown[];
}

/** `unreadable` are the elements that lists had so far and that could not be read. */
export async function readTeam(
	{ lists }: ProviderContext,
	unreadable: readonly UnreadableInfo[],
	team: string,
): Promise<TeamReading> {
	const [schedules, pipelines] = await Promise.all([
		readList(unreadable, team, "schedule", lists.schedules(team)),
		readList(unreadable, team, "pipeline", lists.pipelines(team)),
	]);
	return {
		team,
		schedules: schedules.items,
		pipelines: pipelines.items,
		failed: [...schedules.failed, ...pipelines.failed],
		errors: [...schedules.errors, ...pipelines.errors],
	};
}

const OPERATIONS = { schedule: "listSchedules", pipeline: "listPipelines" } as const;

async function readList<Item>(
	unreadable: readonly UnreadableInfo[],
	team: string,
	kind: keyof typeof OPERATIONS,
	list: Promise<readonly Item[]>,
): Promise<Pick<TeamReading, "failed" | "errors"> & { items: readonly Item[] }> {
	const base = { kind, team, urn: null, resource: null, id: null };
	try {
		const items = await list;
		// Taken at once: later requests of the check meet the same elements again.
		const odd = unreadable.filter(
			({ operation, teamName }) => operation === OPERATIONS[kind] && teamName === team,
		);
		const failed = odd.map(({ which, why }) => ({
			...base,
			what: "element" as const,
			name: which,
			reason: `It does not have the documented form: ${why}`,
		}));
		return { items, failed, errors: [] };
	} catch (error) {
		const failed = { ...base, what: "list" as const, name: null, reason: messageOf(error) };
		return { items: [], failed: [failed], errors: [error] };
	}
}

/** Schedules and pipelines of the team that the stack knows nothing of. */
export function findUnmanaged(
	state: StackState,
	{ team, schedules, pipelines }: Pick<TeamReading, "team" | "schedules" | "pipelines">,
	teamOf: (resource: StateResource) => string,
): UnmanagedObject[] {
	const here = state.resources.filter((resource) => teamOf(resource) === team);
	const ids = new Set([
		...here.filter(({ kind }) => isScheduleKind(kind)).map(({ id }) => id),
		...state.leavingIds,
	]);
	const managedPipelines = new Set(here.map(pipelineOf));
	return [
		...schedules
			.filter((item) => !ids.has(String(item.id)))
			.map((item) => ({
				kind: "schedule" as const,
				id: String(item.id),
				name: item.schedule_name ?? "",
				team,
				createdBy: item.created_by?.username ?? null,
				createdAt: showInstantOf(item.created_at),
			})),
		// The runs of a schedule come and go by themselves.
		...pipelines
			.filter((pipeline) => !managedPipelines.has(pipeline.name) && !isRunOfASchedule(pipeline))
			.map((pipeline) => ({
				kind: "pipeline" as const,
				id: pipeline.pipeline_id,
				name: pipeline.name ?? "",
				team,
				createdBy: null,
				createdAt: showInstantOf(pipeline.created_at),
			})),
	].sort(byKindAndName);
}

/** The pipeline that it manages or runs; a kind of a newer version is most likely about the pipeline that it names. */
function pipelineOf(resource: StateResource): unknown {
	const entry = kindEntry(resource.kind);
	const field = entry === undefined ? "pipelineName" : entry.pipelineField;
	return field && propertyOf(resource, field);
}

function byKindAndName(a: UnmanagedObject, b: UnmanagedObject): number {
	if (a.kind !== b.kind) return a.kind === "schedule" ? -1 : 1;
	if (a.name !== b.name) return a.name < b.name ? -1 : 1;
	return a.id < b.id ? -1 : 1;
}

/**
 * Sorts out the schedules that have the name of a managed one, be they managed too or not: each runs a pipeline that is
 * meant to run once, which an unmanaged schedule of another name does not. Where the managed one is missing there is no
 * second run.
 */
export async function findDuplicates(
	context: ProviderContext,
	found: readonly UnmanagedObject[],
	findings: readonly Finding[],
): Promise<{ duplicates: Duplicate[]; others: UnmanagedObject[] }> {
	const managed = new Map<string, Finding>();
	for (const finding of findings) {
		if (!isScheduleKind(finding.ref.kind) || finding.verdict.is === "missing") continue;
		for (const name of finding.names) managed.set(keyOf(finding.ref.team, name), finding);
	}
	const namesake = ({ kind, team, name }: UnmanagedObject) =>
		kind === "schedule" ? managed.get(keyOf(team, name)) : undefined;
	const duplicates = await Promise.all([
		...found.map((object) => {
			const of = namesake(object);
			return of && describeDuplicate(context, object, of);
		}),
		...managedTwice(findings).map(([first, second]) => describeDuplicate(context, inStack(second), first)),
	]);
	return {
		duplicates: duplicates.filter((each) => each !== undefined),
		others: found.filter((object) => namesake(object) === undefined),
	};
}

/** Two of the stack's own that have one name on the service, which a failed deployment can leave. */
function managedTwice(findings: readonly Finding[]): [first: Finding, second: Finding][] {
	const firsts = new Map<string, Finding>();
	return findings.flatMap((finding) => {
		const { ref, names, verdict } = finding;
		if (!isScheduleKind(ref.kind) || verdict.is === "missing" || verdict.is === "failed") return [];
		const key = keyOf(ref.team, names.at(-1) ?? "");
		const first = firsts.get(key) ?? finding;
		firsts.set(key, first);
		return first.ref.id === ref.id ? [] : [[first, finding]];
	});
}

const inStack = ({ ref, names, resource: { outputs } }: Finding): UnmanagedObject => ({
	kind: "schedule",
	id: ref.id,
	name: names.at(-1) ?? "",
	team: ref.team,
	createdBy: textIn(outputs.createdBy, "username"),
	createdAt: showInstantOf(textIn(outputs, "createdAt")),
});

function textIn(props: unknown, key: string): string | null {
	const value = typeof props === "object" && props !== null ? Reflect.get(props, key) : undefined;
	return typeof value === "string" ? value : null;
}

const keyOf = (team: string, name: string): string => JSON.stringify([team, name]);

/** Undefined if it is gone by now: the list may be behind. */
async function describeDuplicate(
	{ client }: ProviderContext,
	{ kind: _, ...object }: UnmanagedObject,
	{ ref, resource }: Finding,
): Promise<Duplicate | undefined> {
	const name = resource.secretPaths.has(nameFieldOf(resource)) ? ref.name : object.name;
	const own = pipelineOf(resource);
	const running = (pipeline: string | null): Duplicate => ({
		...object,
		name,
		pipeline,
		samePipeline: pipeline === null ? null : pipeline === own,
		twinOf: ref,
	});
	try {
		// The list does not tell which pipeline a schedule runs.
		const live = await client.schedules.get({ team_name: object.team, schedule_id: Number(object.id) });
		return running(live.pipeline?.name ?? null);
	} catch (error) {
		return isMissing(error) ? undefined : running(null);
	}
}

/**
 * Managed objects that a direct request shows and the team's list leaves out: the list is cut short or behind, and
 * may leave out what others made, too.
 */
export function findUnlisted(findings: readonly Finding[], readings: readonly TeamReading[]): ResourceRef[] {
	const shown = new Map(readings.map((reading) => [reading.team, shownBy(reading)]));
	return findings
		.filter(({ ref, names, verdict }) => {
			const [team, list] = [shown.get(ref.team), kindEntry(ref.kind)?.listedIn];
			if (team === undefined || list === undefined) return false;
			if (verdict.is !== "same" && verdict.is !== "changed") return false;
			return ![ref.id, ...names].some((key) => team[list].has(key));
		})
		.map(({ ref }) => ref);
}

/** By what the lists tell of themselves. An element that could not be read was in the list, under its name or its id. */
function shownBy({ schedules, pipelines, failed }: TeamReading) {
	const odd = (kind: string) =>
		failed.filter((each) => each.kind === kind).flatMap(({ name }) => (name === null ? [] : [name]));
	return {
		schedules: new Set([...schedules.map(({ id }) => String(id)), ...odd("schedule")]),
		pipelines: new Set([...pipelines.flatMap(({ name }) => name ?? []), ...odd("pipeline")]),
	};
}
