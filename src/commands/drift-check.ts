import { readFileSync } from "node:fs";
import { type ConnectionSources, isMissing, type UnreadableInfo } from "../api";
import { errorCode } from "../api/errors";
import { REDACTED } from "../api/redaction";
import { clockChangeAhead, declaredCron, isTimeZone } from "../cron";
import { createContext, type ProviderContext } from "../provider/context";
import { isRunOfASchedule } from "../provider/pipeline";
import type { ListedSchedule } from "../provider/team-lists";
import { messageOf } from "../report/report";
import { showInstant, showInstantOf } from "../schemas/instant";
import { kindEntry } from "../schemas/kinds";
import { matchesGlob } from "../schemas/suggest";
import type { Pipeline } from "../schemas/wire/pipeline";
import {
	CLOCK_NOTICE_MS,
	type ClockChange,
	type DriftReport,
	type Duplicate,
	type FailedCheck,
	type ResourceRef,
	type UnmanagedObject,
} from "./drift-report";
import { examine, type Finding, nameFieldOf } from "./drift-resource";
import { isScheduleKind, propertyOf, type StackState, type StateResource } from "./stack-state";

interface DriftCheck {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** Patterns of names that belong to others. */
	readonly ignore: readonly string[];
}

/** Compares the state with the live team, by the same read and diff that `pulumi refresh` calls. */
export async function checkDrift({ state, sources, ignore }: DriftCheck): Promise<DriftReport> {
	let requests = 0;
	const unreadable: UnreadableInfo[] = [];
	const context = createContext(sources, () => {}, {
		onAttempt: () => void requests++,
		onUnreadable: (info) => unreadable.push(info),
	});
	const teamOf = ({ outputs, inputs }: StateResource): string =>
		String(outputs.teamName ?? inputs.teamName ?? context.teamName);
	const teams = [...new Set(state.resources.map(teamOf))].sort();
	if (teams.length === 0) teams.push(context.teamName);
	try {
		// All in one go: the lists are shared by whatever asks for them in the same moment.
		const [readings, findings] = await Promise.all([
			Promise.all(teams.map((team) => readTeam(context, unreadable, team))),
			Promise.all(state.resources.map((resource) => examine(context, resource, teamOf(resource)))),
		]);
		// If no list could be read, nothing was found out, and a report would only repeat the same reason.
		if (readings.every(({ errors }) => errors.length === LISTS_OF_A_TEAM)) throw readings[0]?.errors[0];
		const found = readings.flatMap((reading) => findUnmanaged(state, reading, teamOf));
		const { duplicates, others: rest } = await findDuplicates(context, found, findings);
		const isMalformed = malformedIn(readings);
		const others = rest.filter((object) => !isMalformed(object));
		const managed = new Set(findings.flatMap(({ names, ref }) => [...names, ref.name, ref.id]));
		const unread = readings.flatMap(({ failed }) => failed);
		/** What is managed, or may be, cannot be ignored: it is always compared. */
		const isOfOthers = ({ what, name }: FailedCheck) =>
			what === "element" && name !== null && !managed.has(name);
		/** As in an ignore file, a backslash takes the next character as it is. */
		const isIgnored = (name: string | null) =>
			ignore.some((pattern) => matchesGlob(pattern, name ?? "", { escape: true }));
		const isLeftOut = (each: FailedCheck) => isOfOthers(each) && isIgnored(each.name);
		const secretNames = new Set(state.resources.flatMap(secretNamesOf));
		/** The name of an element comes from the service, which does not know that the program keeps it secret. */
		const unlessSecret = (each: FailedCheck): FailedCheck =>
			each.name !== null && secretNames.has(each.name) ? { ...each, name: REDACTED } : each;
		const sections = {
			changed: findings.flatMap(({ change }) => change ?? []),
			missing: findings.filter(({ is }) => is === "missing").map(({ ref }) => ref),
			unmanaged: others.filter(({ name }) => !isIgnored(name)),
			twins: duplicates,
			failed: [
				...unread.filter((each) => !isLeftOut(each)).map(unlessSecret),
				...findings.flatMap((finding): FailedCheck[] => {
					const reason = finding.reason ?? unknownZoneOf(finding);
					return reason === undefined ? [] : [{ what: "resource", ...finding.ref, reason }];
				}),
			],
			unlisted: findUnlisted(findings, readings),
			unchecked: findings.flatMap((finding) => finding.unchecked),
			clockChanges: findings.flatMap((finding) => clockChangeOf(finding) ?? []),
		};
		return {
			schemaVersion: 1,
			checkedAt: showInstant(Date.now()),
			stack: state.stack,
			project: state.project,
			teams,
			serviceUrl: context.serviceUrl,
			requests,
			summary: {
				managed: findings.length,
				unchanged: findings.filter(({ is }) => is === "same").length,
				changed: sections.changed.length,
				missing: sections.missing.length,
				unmanaged: sections.unmanaged.length,
				twins: sections.twins.length,
				failed: sections.failed.length,
				unlisted: sections.unlisted.length,
				unchecked: sections.unchecked.length,
				ignored: others.filter(({ name }) => isIgnored(name)).length + unread.filter(isLeftOut).length,
			},
			...sections,
		};
	} finally {
		await context.client.close();
	}
}

/** What a team's two lists show, and what of them could not be read. */
interface TeamReading {
	readonly team: string;
	readonly schedules: readonly ListedSchedule[];
	readonly pipelines: readonly Pipeline[];
	readonly failed: readonly FailedCheck[];
	/** One for each list that could not be read at all. */
	readonly errors: readonly unknown[];
}

/** `unreadable` are the elements that lists had so far and that could not be read. */
async function readTeam(
	{ lists }: ProviderContext,
	unreadable: readonly UnreadableInfo[],
	team: string,
): Promise<TeamReading> {
	const read = async <Item>(kind: "schedule" | "pipeline", list: Promise<readonly Item[]>) => {
		const base = { kind, team, urn: null, resource: null, id: null };
		try {
			const items = await list;
			// Taken at once: later requests of the check meet the same elements again.
			const odd = unreadable.filter((each) => each.teamName === team && each.operation === OPERATIONS[kind]);
			const failed = odd.map(({ which: name, why }): FailedCheck => {
				return { ...base, what: "element", name, reason: `It does not have the documented form: ${why}` };
			});
			if (lists.isCut(items)) {
				const reason = `The service lists at most ${items.length} at once, the newest. Older ones were not looked at.`;
				failed.push({ ...base, what: "list", name: null, reason });
			}
			return { items, failed, errors: [] };
		} catch (error) {
			const failed: FailedCheck = { ...base, what: "list", name: null, reason: messageOf(error) };
			return { items: [], failed: [failed], errors: [error] };
		}
	};
	const [schedules, pipelines] = await Promise.all([
		read("schedule", lists.schedules(team)),
		read("pipeline", lists.pipelines(team)),
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
const LISTS_OF_A_TEAM = Object.keys(OPERATIONS).length;

/** Schedules and pipelines of the team that the stack knows nothing of. */
export function findUnmanaged(
	state: Pick<StackState, "resources" | "leavingIds">,
	{ team, schedules, pipelines }: Pick<TeamReading, "team" | "schedules" | "pipelines">,
	teamOf: (resource: StateResource) => string,
): UnmanagedObject[] {
	const here = state.resources.filter((resource) => teamOf(resource) === team);
	const ids = new Set([
		...here.filter(({ kind }) => isScheduleKind(kind)).map(({ id }) => id),
		...state.leavingIds,
	]);
	// Most kinds are about no pipeline, which is not the same as a pipeline without a name.
	const managedPipelines = new Set<unknown>(here.map(pipelineOf).filter((name) => name !== undefined));
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

/** Of schedules that cannot be read only the names are known, by which they may be duplicates; else they are reported as such. */
function malformedIn(readings: readonly TeamReading[]): (object: UnmanagedObject) => boolean {
	const ids = new Set(
		readings.flatMap(({ team, schedules }) =>
			schedules.flatMap(({ id, unreadable }) => (unreadable === undefined ? [] : [keyOf(team, String(id))])),
		),
	);
	return ({ kind, team, id }) => kind === "schedule" && ids.has(keyOf(team, id));
}

/** The names of its objects on the service that the program keeps secret. */
function secretNamesOf(resource: StateResource): string[] {
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
async function findDuplicates(
	context: ProviderContext,
	found: readonly UnmanagedObject[],
	findings: readonly Finding[],
): Promise<{ duplicates: Duplicate[]; others: UnmanagedObject[] }> {
	const managed = new Map<string, Finding>();
	for (const finding of findings) {
		if (!isScheduleKind(finding.ref.kind) || finding.is === "missing") continue;
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
		const { ref, names, is } = finding;
		if (!isScheduleKind(ref.kind) || is === "missing" || is === "failed") return [];
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
function findUnlisted(findings: readonly Finding[], readings: readonly TeamReading[]): ResourceRef[] {
	const shown = new Map(readings.map((reading) => [reading.team, shownBy(reading)]));
	return findings
		.filter(({ ref, names, is }) => {
			const [team, list] = [shown.get(ref.team), kindEntry(ref.kind)?.listedIn];
			if (team === undefined || list === undefined) return false;
			if (is !== "same" && is !== "changed") return false;
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

/** Why nobody can tell whether the clocks moved a schedule: its time zone may be newer than this machine's list. */
function unknownZoneOf({ resource: { inputs, secretPaths } }: Finding): string | undefined {
	const zone = declaredCron(inputs)?.timeZone;
	if (zone === undefined || isTimeZone(zone)) return undefined;
	const shown = secretPaths.has("timeZone") ? "its time zone" : `the time zone "${zone}"`;
	return `This machine does not know ${shown}, so changes of its clocks cannot be found. Use a newer version of Node.js.`;
}

/** The daylight-saving change that the next deployments of a schedule must follow; undefined if none is near. */
function clockChangeOf({ resource: { inputs, secretPaths }, ref }: Finding): ClockChange | undefined {
	const now = Date.now();
	const { utcCron } = inputs;
	const declared = declaredCron({ ...inputs, teamName: inputs.teamName ?? ref.team });
	if (declared?.timeZone === undefined || !isTimeZone(declared.timeZone)) return undefined;
	if (typeof utcCron !== "string" || secretPaths.has("utcCron")) return undefined;
	const change = clockChangeAhead(declared, utcCron, now, now + CLOCK_NOTICE_MS);
	const timeZone = secretPaths.has("timeZone") ? REDACTED : declared.timeZone;
	return change && { ...ref, timeZone, from: utcCron, ...change };
}

/** The file, in the working directory, whose lines are patterns like those of --ignore. */
const IGNORE_FILE = ".datachainignore";

export function readIgnoreFile(): string[] {
	try {
		return parseIgnoreFile(readFileSync(IGNORE_FILE, "utf8"));
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw new Error(`${IGNORE_FILE} cannot be read. Check that it is a file, and its permissions.`);
	}
}

/** The patterns of an ignore file: one a line; blank lines and lines that start with # mean nothing. */
export function parseIgnoreFile(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}
