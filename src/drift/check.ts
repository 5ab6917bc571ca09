import type { ConnectionSources } from "../api";
import { clockChangeOf } from "./clock-changes";
import { countedContext } from "./counted-context";
import { examine, type Finding } from "./examine";
import { applyIgnores } from "./ignore";
import type { DriftReport, FailedCheck, Twin, UnmanagedObject } from "./report";
import type { StackState, StateResource } from "./state";
import { readTeam, type TeamReading } from "./team-reading";
import { findTwins } from "./twins";
import { findUnlisted } from "./unlisted";
import { findUnmanaged } from "./unmanaged";

export interface DriftCheck {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** Patterns of names that belong to others. */
	readonly ignore: readonly string[];
	/** Name to show where the state is empty and tells none. */
	readonly stack?: string | undefined;
}

/** Compares the state with the live team, by the same read and diff that `pulumi refresh` calls. */
export async function checkDrift({ state, sources, ignore, stack }: DriftCheck): Promise<DriftReport> {
	const counted = countedContext(sources);
	const { context } = counted;
	const teamOf = ({ outputs, inputs }: StateResource): string =>
		String(outputs.teamName ?? inputs.teamName ?? context.teamName);
	const teams = [...new Set(state.resources.map(teamOf))].sort();
	if (teams.length === 0) teams.push(context.teamName);
	try {
		// All in one go: the lists are shared by whatever asks for them in the same moment.
		const [readings, findings] = await Promise.all([
			Promise.all(teams.map((team) => readTeam(counted, team))),
			Promise.all(state.resources.map((resource) => examine(context, resource, teamOf(resource)))),
		]);
		refuseEmptyHanded(readings);
		const found = readings.flatMap((reading) => findUnmanaged(state, reading, teamOf));
		const { twins, others } = await findTwins(context, found, findings);
		const unmanaged = applyIgnores(others, ignore);
		const failed = failedChecks(readings, findings, ignore);
		return assemble({
			findings,
			twins,
			unmanaged: unmanaged.kept,
			failed: failed.kept,
			ignored: unmanaged.ignored + failed.ignored,
			readings,
			facts: {
				stack: state.stack ?? stack ?? null,
				project: state.project ?? null,
				teams,
				serviceUrl: context.serviceUrl,
				requests: counted.requests(),
			},
		});
	} finally {
		await counted.close();
	}
}

const LISTS_OF_A_TEAM = 2;

/** Where not one list could be read nothing was found out, and a report would only repeat the same reason. */
function refuseEmptyHanded(readings: readonly TeamReading[]): void {
	if (readings.some(({ errors }) => errors.length < LISTS_OF_A_TEAM)) return;
	throw readings[0]?.errors[0];
}

/** What others have under an ignored name may be as odd as it likes; what may be managed is always told. */
function failedChecks(
	readings: readonly TeamReading[],
	findings: readonly Finding[],
	ignore: readonly string[],
): { kept: FailedCheck[]; ignored: number } {
	const managed = new Set(findings.flatMap(({ names, ref }) => [...names, ref.name, ref.id]));
	const ofTeams = readings.flatMap(({ failed }) => failed);
	const isForeign = ({ what, name }: FailedCheck) =>
		what === "element" && name !== null && !managed.has(name);
	const foreign = applyIgnores(ofTeams.filter(isForeign), ignore);
	const resources = findings.flatMap(({ ref, verdict }) =>
		verdict.is === "failed" ? [{ what: "resource" as const, ...ref, reason: verdict.reason }] : [],
	);
	const own = ofTeams.filter((each) => !isForeign(each));
	return { kept: [...own, ...resources, ...foreign.kept], ignored: foreign.ignored };
}

function assemble(parts: {
	findings: readonly Finding[];
	twins: readonly Twin[];
	unmanaged: readonly UnmanagedObject[];
	failed: readonly FailedCheck[];
	ignored: number;
	readings: readonly TeamReading[];
	facts: Pick<DriftReport, "stack" | "project" | "teams" | "serviceUrl" | "requests">;
}): DriftReport {
	const { findings } = parts;
	const sections = {
		changed: findings.flatMap(({ verdict }) => (verdict.is === "changed" ? [verdict.change] : [])),
		missing: findings.flatMap(({ ref, verdict }) => (verdict.is === "missing" ? [ref] : [])),
		unmanaged: [...parts.unmanaged],
		twins: [...parts.twins],
		failed: [...parts.failed],
		unlisted: findUnlisted(findings, parts.readings),
		unchecked: findings.flatMap(({ unchecked }) => unchecked),
		clockChanges: findings.flatMap((finding) => clockChangeOf(finding) ?? []),
	};
	return {
		schemaVersion: 1,
		checkedAt: new Date().toISOString(),
		...parts.facts,
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
			ignored: parts.ignored,
		},
		...sections,
	};
}
