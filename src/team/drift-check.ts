import type { ConnectionSources, UnreadableInfo } from "../client";
import { needlesForName, REDACTED, redact } from "../client/redaction";
import { clockChangeAhead, declaredCron, isTimeZone } from "../cron";
import { createContext } from "../provider/run/context";
import { showInstant } from "../text/instant";
import { matchesGlob } from "../text/suggest";
import {
	changedResources,
	compareLists,
	findNotRunning,
	findUnlisted,
	findUnmanagedVariables,
	LISTS_OF_A_TEAM,
	readLists,
	secretNamesOf,
	type TeamCheck,
} from "./drift-lists";
import {
	CLOCK_NOTICE_MS,
	type ClockChange,
	type DriftReport,
	type FailedCheck,
} from "./drift-report";
import { examine, type Finding } from "./drift-resource";
import type { StackState, StateResource } from "./stack-state";

/**
 * Time for each call, longer than a call's usual minute: every resource waits for the same few lists, and in a large
 * team on a busy machine one list may take minutes. An attempt without an answer still ends as early as elsewhere.
 */
const CALL_MILLIS = 10 * 60_000;

interface DriftCheck {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** Patterns of names that belong to others. */
	readonly ignore: readonly string[];
}

/** Compares the state with the live team, by the same read and diff that `pulumi refresh` calls. */
export async function checkDrift({
	state,
	sources,
	ignore,
}: DriftCheck): Promise<DriftReport> {
	let requests = 0;
	const unreadable: UnreadableInfo[] = [];
	const context = createContext(sources, () => {}, {
		deadlineMillis: CALL_MILLIS,
		onAttempt: () => void requests++,
		onUnreadable: (info) => unreadable.push(info),
	});
	const teamOf = ({ outputs, inputs }: StateResource): string =>
		String(outputs.teamName ?? inputs.teamName ?? context.teamName);
	const teams = [...new Set(state.resources.map(teamOf))].sort();
	if (teams.length === 0) teams.push(context.teamName);
	try {
		// All in one go: the lists are shared by whatever asks for them in the same moment.
		const checks = await Promise.all(
			teams.map(async (team): Promise<TeamCheck> => {
				const own = state.resources.filter((resource) => teamOf(resource) === team);
				const [lists, findings] = await Promise.all([
					readLists(context, unreadable, team),
					Promise.all(own.map((resource) => examine(context, resource, team))),
				]);
				return { team, ...lists, findings };
			}),
		);
		// If no list could be read, nothing was found out, and a report would only repeat the same reason.
		if (checks.every(({ errors }) => errors.length === LISTS_OF_A_TEAM))
			throw checks[0]?.errors[0];
		const compared = await Promise.all(
			checks.map((check) => compareLists(context, check, state.leavingIds)),
		);
		const others = compared.flatMap(({ unmanaged }) => unmanaged);
		const findings = checks.flatMap((check) => check.findings);
		const managed = new Set(
			findings.flatMap(({ names, ref }) => [...names, ref.name, ref.id]),
		);
		const unread = checks.flatMap(({ failed }) => failed);
		/** What is managed, or may be, cannot be ignored: it is always compared. */
		const isOfOthers = ({ what: checkName, name }: FailedCheck) =>
			checkName === "element" && name !== null && !managed.has(name);
		const isIgnored = (name: string | null) =>
			ignore.some((pattern) => matchesGlob(pattern, name ?? ""));
		const isLeftOut = (each: FailedCheck) => isOfOthers(each) && isIgnored(each.name);
		const secretNames = new Set(state.resources.flatMap(secretNamesOf));
		/** The name of an element comes from the service, which does not know that the program keeps it secret. */
		const unlessSecret = (each: FailedCheck): FailedCheck =>
			each.name !== null && secretNames.has(each.name)
				? { ...each, name: REDACTED }
				: each;
		const sections = {
			changed: checks.flatMap(changedResources),
			missing: findings.filter(({ is }) => is === "missing").map(({ ref }) => ref),
			unmanaged: others.filter(({ name }) => !isIgnored(name)),
			twins: compared.flatMap(({ duplicates }) => duplicates),
			failed: [
				...unread.filter((each) => !isLeftOut(each)).map(unlessSecret),
				...findings.flatMap((finding): FailedCheck[] => {
					const reason = finding.reason ?? unknownZoneOf(finding);
					return reason === undefined
						? []
						: [{ what: "resource", ...finding.ref, reason }];
				}),
			],
			unlisted: checks.flatMap(findUnlisted),
			notRunning: checks.flatMap((check) => findNotRunning(check, Date.now())),
			unmanagedVariables: checks.flatMap(findUnmanagedVariables),
			unchecked: findings.flatMap((finding) => finding.unchecked),
			clockChanges: findings.flatMap((finding) => clockChangeOf(finding) ?? []),
		};
		const secretTeams = new Set(
			state.resources
				.filter(({ secretPaths }) => secretPaths.has("teamName"))
				.map(teamOf),
		);
		return withoutTeams(secretTeams, {
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
				notRunning: sections.notRunning.length,
				unmanagedVariables: sections.unmanagedVariables.length,
				unchecked: sections.unchecked.length,
				ignored:
					others.filter(({ name }) => isIgnored(name)).length +
					unread.filter(isLeftOut).length,
			},
			...sections,
		});
	} finally {
		await context.client.close();
	}
}

/** The report without the names of these teams, which rows and reasons name. */
function withoutTeams(secret: ReadonlySet<string>, report: DriftReport): DriftReport {
	if (secret.size === 0) return report;
	const needles = [...secret].flatMap(needlesForName);
	const nameOfTeam = (team: string) => (secret.has(team) ? REDACTED : team);
	const rows = JSON.stringify(report, (key, value) => {
		if (key === "team") return nameOfTeam(value);
		return key === "reason" ? redact(value, needles) : value;
	});
	return { ...(JSON.parse(rows) as DriftReport), teams: report.teams.map(nameOfTeam) };
}

/** Why nobody can tell whether the clocks moved a schedule: its time zone may be newer than this machine's list. */
function unknownZoneOf({
	resource: { inputs, secretPaths },
}: Finding): string | undefined {
	const zone = declaredCron(inputs)?.timeZone;
	if (zone === undefined || isTimeZone(zone)) return undefined;
	const subject = secretPaths.has("timeZone")
		? "its time zone"
		: `the time zone "${zone}"`;
	return `This machine does not know ${subject}, so daylight-saving changes cannot be found. Use a newer version of Node.js.`;
}

/** The daylight-saving change that the next deployments of a schedule must follow; undefined if none is near. */
function clockChangeOf({
	resource: { inputs, secretPaths },
	ref,
	is,
}: Finding): ClockChange | undefined {
	// What is gone does not run at another time; the deployment that creates it again compiles it anew.
	if (is === "missing") return undefined;
	const now = Date.now();
	const { utcCron } = inputs;
	const declared = declaredCron({ ...inputs, teamName: inputs.teamName ?? ref.team });
	if (declared?.timeZone === undefined || !isTimeZone(declared.timeZone))
		return undefined;
	if (typeof utcCron !== "string" || secretPaths.has("utcCron")) return undefined;
	const change = clockChangeAhead(declared, utcCron, now, now + CLOCK_NOTICE_MS);
	const timeZone = secretPaths.has("timeZone") ? REDACTED : declared.timeZone;
	return change && { ...ref, timeZone, from: utcCron, ...change };
}
