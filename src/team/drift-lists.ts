import { isMissing, type UnreadableInfo } from "../client";
import { REDACTED } from "../client/redaction";
import { declaredVariables } from "../provider/kinds/settings/variables";
import type { ProviderContext } from "../provider/run/context";
import type { ListedSchedule } from "../provider/run/team-lists";
import { kindEntry } from "../schemas/kinds";
import {
	isPausedPipeline,
	isRunOfASchedule,
	pipelinesByName,
} from "../schemas/pipeline-status";
import type { Pipeline } from "../schemas/wire/pipeline";
import { showInstantOf } from "../text/instant";
import { messageOf } from "../text/wording";
import type {
	ChangedResource,
	Duplicate,
	FailedCheck,
	NotRunning,
	ResourceRef,
	UnmanagedObject,
	UnmanagedVariables,
} from "./drift-report";
import { type Finding, nameFieldOf } from "./drift-resource";
import { isScheduleKind, propertyOf, type StateResource } from "./stack-state";

/** What a team's two lists show, and what of them could not be read. */
interface TeamLists {
	readonly schedules: readonly ListedSchedule[];
	readonly pipelines: readonly Pipeline[];
	readonly failed: readonly FailedCheck[];
	/** One for each list that could not be read at all. */
	readonly errors: readonly unknown[];
}

/** A team, and the resources of the stack that are in it. */
export interface TeamCheck extends TeamLists {
	readonly team: string;
	readonly findings: readonly Finding[];
}

/** `unreadable` are the elements that lists had so far and that could not be read. */
export async function readLists(
	{ lists }: ProviderContext,
	unreadable: readonly UnreadableInfo[],
	team: string,
): Promise<TeamLists> {
	const read = async <Item>(
		kind: "schedule" | "pipeline",
		list: Promise<readonly Item[]>,
	) => {
		const base = { kind, team, urn: null, resource: null, id: null };
		try {
			const items = await list;
			// Taken at once: later requests of the check meet the same elements again.
			const odd = unreadable.filter(
				(each) => each.teamName === team && each.operation === OPERATIONS[kind],
			);
			const failed = odd.map(({ which: name, why }): FailedCheck => {
				return {
					...base,
					what: "element",
					name,
					reason: `It does not have the documented form: ${why}`,
				};
			});
			if (lists.isTruncated(items)) {
				const reason = `The service lists at most ${items.length} objects, the newest. Older ones were not checked.`;
				failed.push({ ...base, what: "list", name: null, reason });
			}
			return { items, failed, errors: [] };
		} catch (error) {
			const failed: FailedCheck = {
				...base,
				what: "list",
				name: null,
				reason: messageOf(error),
			};
			return { items: [], failed: [failed], errors: [error] };
		}
	};
	const [schedules, pipelines] = await Promise.all([
		read("schedule", lists.schedules(team)),
		read("pipeline", lists.pipelines(team)),
	]);
	return {
		schedules: schedules.items,
		pipelines: pipelines.items,
		failed: [...schedules.failed, ...pipelines.failed],
		errors: [...schedules.errors, ...pipelines.errors],
	};
}

const OPERATIONS = { schedule: "listSchedules", pipeline: "listPipelines" } as const;
export const LISTS_OF_A_TEAM = Object.keys(OPERATIONS).length;

/** Schedules and pipelines of the team that the stack knows nothing of; `here` are the resources that it has there. */
export function findUnmanaged(
	{ team, schedules, pipelines }: Pick<TeamCheck, "team" | "schedules" | "pipelines">,
	here: readonly StateResource[],
	leavingIds: readonly string[],
): UnmanagedObject[] {
	const ids = new Set([
		...here.filter(({ kind }) => isScheduleKind(kind)).map(({ id }) => id),
		...leavingIds,
	]);
	// Most kinds are about no pipeline, which is not the same as a pipeline without a name.
	const managedPipelines = new Set<unknown>(
		here.map(pipelineOf).filter((name) => name !== undefined),
	);
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
			.filter(
				(pipeline) =>
					!managedPipelines.has(pipeline.name) && !isRunOfASchedule(pipeline),
			)
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

/** The names of its objects on the service that the program keeps secret. */
export function secretNamesOf(resource: StateResource): string[] {
	const fields = [nameFieldOf(resource), kindEntry(resource.kind)?.pipelineField ?? ""];
	return fields
		.filter((field) => resource.secretPaths.has(field))
		.flatMap((field) => [resource.inputs[field], resource.outputs[field]])
		.filter((name) => typeof name === "string");
}

function byKindAndName(a: UnmanagedObject, b: UnmanagedObject): number {
	if (a.kind !== b.kind) return a.kind === "schedule" ? -1 : 1;
	if (a.name !== b.name) return a.name < b.name ? -1 : 1;
	return a.id < b.id ? -1 : 1;
}

/**
 * Separates duplicates, which are schedules with the name of a managed one, from other unmanaged objects: a duplicate
 * most likely runs a pipeline a second time. It may be managed too. If the managed one is missing, nothing runs twice.
 */
export async function compareLists(
	context: ProviderContext,
	check: TeamCheck,
	leavingIds: readonly string[],
): Promise<{ duplicates: Duplicate[]; unmanaged: UnmanagedObject[] }> {
	const { schedules, findings } = check;
	const managed = new Map<string, Finding>();
	for (const finding of findings) {
		if (!isScheduleKind(finding.ref.kind) || finding.is === "missing") continue;
		for (const name of finding.names) managed.set(name, finding);
	}
	const namesake = ({ kind, name }: UnmanagedObject) =>
		kind === "schedule" ? managed.get(name) : undefined;
	const here = findings.map(({ resource }) => resource);
	const unmanagedObjects = findUnmanaged(check, here, leavingIds);
	const duplicates = await Promise.all([
		...unmanagedObjects.map((object) => {
			const of = namesake(object);
			return of && describeDuplicate(context, object, of);
		}),
		...managedTwice(findings).map(([first, second]) =>
			describeDuplicate(context, inStack(second), first),
		),
	]);
	// Of a schedule that cannot be read only the name is known, by which it may be a duplicate; else it is reported as such.
	const malformed = new Set(
		schedules
			.filter(({ unreadable }) => unreadable !== undefined)
			.map(({ id }) => String(id)),
	);
	return {
		duplicates: duplicates.filter((each) => each !== undefined),
		unmanaged: unmanagedObjects.filter(
			(object) =>
				namesake(object) === undefined &&
				!(object.kind === "schedule" && malformed.has(object.id)),
		),
	};
}

/** Two of the stack's own in one team that have one name on the service, which a failed deployment can leave. */
function managedTwice(
	findings: readonly Finding[],
): [first: Finding, second: Finding][] {
	const firsts = new Map<string, Finding>();
	return findings.flatMap((finding) => {
		const { ref, names, is } = finding;
		if (!isScheduleKind(ref.kind) || is === "missing" || is === "failed") return [];
		const name = names.at(-1) ?? "";
		const first = firsts.get(name) ?? finding;
		firsts.set(name, first);
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
	const value =
		typeof props === "object" && props !== null ? Reflect.get(props, key) : undefined;
	return typeof value === "string" ? value : null;
}

/** Undefined if it is gone by now: the list may be behind. */
async function describeDuplicate(
	{ client }: ProviderContext,
	{ kind: _, ...object }: UnmanagedObject,
	{ ref, resource }: Finding,
): Promise<Duplicate | undefined> {
	const name = resource.secretPaths.has(nameFieldOf(resource)) ? ref.name : object.name;
	const [own, secretNames] = [pipelineOf(resource), secretNamesOf(resource)];
	const running = (pipeline: string | null): Duplicate => ({
		...object,
		name,
		pipeline: pipeline !== null && secretNames.includes(pipeline) ? REDACTED : pipeline,
		samePipeline: pipeline === null ? null : pipeline === own,
		twinOf: ref,
	});
	try {
		// The list does not tell which pipeline a schedule runs.
		const live = await client.schedules.get({
			team_name: object.team,
			schedule_id: Number(object.id),
		});
		return running(live.pipeline?.name ?? null);
	} catch (error) {
		return isMissing(error) ? undefined : running(null);
	}
}

/** What differs, with the time at which the object was last changed. */
export function changedResources({
	schedules,
	pipelines,
	findings,
}: TeamCheck): ChangedResource[] {
	const times = {
		schedules: new Map(schedules.map(({ id, updated_at }) => [String(id), updated_at])),
		pipelines: new Map(
			pipelines.map(({ name, updated_at }) => [name ?? "", updated_at]),
		),
	};
	return findings.flatMap(({ change, ref, resource }) => {
		if (change === undefined) return [];
		const pipeline = pipelineOf(resource);
		const at = isScheduleKind(ref.kind)
			? times.schedules.get(ref.id)
			: typeof pipeline === "string" && times.pipelines.get(pipeline);
		return [{ ...change, changedAt: showInstantOf(at || null) }];
	});
}

/** Schedules that are as declared and do not run all the same: what keeps them from it, no program declares. */
export function findNotRunning(
	{ schedules, pipelines, findings }: TeamCheck,
	now: number,
): NotRunning[] {
	const byName = pipelinesByName(pipelines);
	const items = new Map(schedules.map((item) => [String(item.id), item]));
	const declaresPause = ({ inputs }: StateResource) => inputs.paused !== undefined;
	const pauseDeclared = new Set(
		findings
			.filter(({ resource }) => declaresPause(resource))
			.map(({ resource }) => pipelineOf(resource)),
	);
	return findings.flatMap(({ ref, is, resource }): NotRunning[] => {
		if (!isScheduleKind(ref.kind) || (is !== "same" && is !== "changed")) return [];
		const name = pipelineOf(resource);
		const live = typeof name === "string" ? byName.get(name) : undefined;
		const isSecret = secretNamesOf(resource).some((each) => each === name);
		const pipeline = isSecret ? REDACTED : (live?.name ?? null);
		if (live !== undefined && isPausedPipeline(live) && !pauseDeclared.has(name))
			return [{ ...ref, why: "paused", pipeline, startAfter: null }];
		const startAfter = showInstantOf(items.get(ref.id)?.start_after);
		const isPostponed = startAfter !== null && Date.parse(startAfter) > now;
		if (!isPostponed || resource.inputs.startAfter !== undefined) return [];
		return [{ ...ref, why: "postponed", pipeline, startAfter }];
	});
}

/** Variables on the pipelines of managed settings that no settings of the stack declare. */
export function findUnmanagedVariables({
	pipelines,
	findings,
}: TeamCheck): UnmanagedVariables[] {
	const byName = pipelinesByName(pipelines);
	return findings.flatMap(({ ref, resource }): UnmanagedVariables[] => {
		if (ref.kind !== "PipelineSettings") return [];
		const live = byName.get(String(pipelineOf(resource)));
		const declared = declaredVariables(resource.inputs);
		const names = Object.keys(live?.environment_variables ?? {});
		const variables = names.filter((name) => !Object.hasOwn(declared, name)).sort();
		return variables.length === 0 ? [] : [{ ...ref, variables }];
	});
}

/**
 * Managed objects that a direct request shows and the team's list leaves out: the list is cut short or behind, and
 * may leave out what others made, too.
 */
export function findUnlisted({
	schedules,
	pipelines,
	failed,
	findings,
}: TeamCheck): ResourceRef[] {
	// An element that could not be read was in the list, under its name or its id.
	const odd = (kind: string) =>
		failed.flatMap((each) => (each.kind === kind ? (each.name ?? []) : []));
	const described = {
		schedules: new Set([...schedules.map(({ id }) => String(id)), ...odd("schedule")]),
		pipelines: new Set([
			...pipelines.flatMap(({ name }) => name ?? []),
			...odd("pipeline"),
		]),
	};
	return findings
		.filter(({ ref, names, is }) => {
			const list = kindEntry(ref.kind)?.listedIn;
			if (list === undefined || (is !== "same" && is !== "changed")) return false;
			return ![ref.id, ...names].some((key) => described[list].has(key));
		})
		.map(({ ref }) => ref);
}
