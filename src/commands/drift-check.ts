import { readFileSync } from "node:fs";
import type { ConnectionSources, UnreadableInfo } from "../api";
import { errorCode } from "../api/errors";
import { clockChangeAhead, declaredCron } from "../cron";
import { createContext } from "../provider/context";
import { showInstant } from "../schemas/instant";
import { matchesGlob } from "../schemas/suggest";
import type { ClockChange, DriftReport, FailedCheck } from "./drift-report";
import { examine, type Finding } from "./drift-resource";
import { findDuplicates, findUnlisted, findUnmanaged, readTeam, type TeamReading } from "./drift-team";
import type { StackState, StateResource } from "./stack-state";

interface DriftCheck {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** Patterns of names that belong to others. */
	readonly ignore: readonly string[];
	/** Name to show if the state is empty and tells none. */
	readonly stack?: string | undefined;
}

/** Compares the state with the live team, by the same read and diff that `pulumi refresh` calls. */
export async function checkDrift({ state, sources, ignore, stack }: DriftCheck): Promise<DriftReport> {
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
		refuseEmptyHanded(readings);
		const found = readings.flatMap((reading) => findUnmanaged(state, reading, teamOf));
		const { duplicates, others } = await findDuplicates(context, found, findings);
		const unmanaged = applyIgnores(others, ignore);
		const failed = failedChecks(readings, findings, ignore);
		const sections = {
			changed: findings.flatMap(({ verdict }) => (verdict.is === "changed" ? [verdict.change] : [])),
			missing: findings.flatMap(({ ref, verdict }) => (verdict.is === "missing" ? [ref] : [])),
			unmanaged: unmanaged.kept,
			twins: duplicates,
			failed: failed.kept,
			unlisted: findUnlisted(findings, readings),
			unchecked: findings.flatMap((finding) => finding.unchecked),
			clockChanges: findings.flatMap((finding) => clockChangeOf(finding) ?? []),
		};
		return {
			schemaVersion: 1,
			checkedAt: showInstant(Date.now()),
			stack: state.stack ?? stack ?? null,
			project: state.project ?? null,
			teams,
			serviceUrl: context.serviceUrl,
			requests,
			summary: {
				managed: findings.length,
				unchanged: findings.filter(({ verdict }) => verdict.is === "same").length,
				changed: sections.changed.length,
				missing: sections.missing.length,
				unmanaged: sections.unmanaged.length,
				twins: sections.twins.length,
				failed: sections.failed.length,
				unlisted: sections.unlisted.length,
				unchecked: sections.unchecked.length,
				ignored: unmanaged.ignored + failed.ignored,
			},
			...sections,
		};
	} finally {
		await context.client.close();
	}
}

const LISTS_OF_A_TEAM = 2;

/** Where not one list could be read nothing was found out, and a report would only repeat the same reason. */
function refuseEmptyHanded(readings: readonly TeamReading[]): void {
	if (readings.some(({ errors }) => errors.length < LISTS_OF_A_TEAM)) return;
	throw readings[0]?.errors[0];
}

/** A malformed object under an ignored name is left out, unless it may be a managed one. */
function failedChecks(
	readings: readonly TeamReading[],
	findings: readonly Finding[],
	ignore: readonly string[],
): { kept: FailedCheck[]; ignored: number } {
	const managed = new Set(findings.flatMap(({ names, ref }) => [...names, ref.name, ref.id]));
	const ofTeams = readings.flatMap(({ failed }) => failed);
	const isUnmanaged = ({ what, name }: FailedCheck) =>
		what === "element" && name !== null && !managed.has(name);
	const unmanaged = applyIgnores(ofTeams.filter(isUnmanaged), ignore);
	const resources = findings.flatMap(({ ref, verdict }) =>
		verdict.is === "failed" ? [{ what: "resource" as const, ...ref, reason: verdict.reason }] : [],
	);
	const own = ofTeams.filter((each) => !isUnmanaged(each));
	return { kept: [...own, ...resources, ...unmanaged.kept], ignored: unmanaged.ignored };
}

/** How long before a daylight-saving change it is named. */
const NOTICE_MS = 30 * 86_400_000;

/** The daylight-saving change that the next deployments of a schedule must follow; undefined if none is near. */
function clockChangeOf({ resource: { inputs, secretPaths }, ref }: Finding): ClockChange | undefined {
	const now = Date.now();
	const { utcCron } = inputs;
	const declared = declaredCron({ ...inputs, teamName: inputs.teamName ?? ref.team });
	if (declared?.timeZone === undefined || typeof utcCron !== "string" || secretPaths.has("utcCron"))
		return undefined;
	const change = clockChangeAhead(declared, utcCron, now, now + NOTICE_MS);
	return change && { ...ref, timeZone: declared.timeZone, from: utcCron, ...change };
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

/** Splits off what belongs to others. Only unmanaged objects can be ignored: what is managed is always compared. */
export function applyIgnores<Found extends { readonly name: string | null }>(
	found: readonly Found[],
	patterns: readonly string[],
): { kept: Found[]; ignored: number } {
	// As in an ignore file: a backslash takes the next character as it is.
	const isIgnored = (name: string) =>
		patterns.some((pattern) => matchesGlob(pattern, name, { escape: true }));
	const kept = found.filter(({ name }) => !isIgnored(name ?? ""));
	return { kept, ignored: found.length - kept.length };
}
