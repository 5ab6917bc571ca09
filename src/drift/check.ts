import type { ConnectionSources } from "../api";
import type { ProviderContext } from "../provider/context";
import type { ResourceHandler } from "../provider/handler";
import { jobFile } from "../provider/job-file/handler";
import { pipelineSchedule } from "../provider/pipeline-schedule/handler";
import { pipelineSettings } from "../provider/pipeline-settings/handler";
import { compact } from "../provider/shared/json";
import { describeChange, referTo, uncheckedFields } from "./compare";
import { countedContext } from "./counted-context";
import { applyIgnores } from "./ignore";
import type { ChangedResource, DriftReport, ResourceRef, UncheckedField } from "./report";
import type { StackState, StateResource } from "./state";
import { findUnmanaged, type TeamContent } from "./unmanaged";

const HANDLERS: Readonly<Record<string, ResourceHandler>> = {
	PipelineSchedule: pipelineSchedule,
	PipelineSettings: pipelineSettings,
	JobFile: jobFile,
};

export interface DriftCheck {
	readonly state: StackState;
	readonly sources: ConnectionSources;
	/** Patterns of names that belong to others. */
	readonly ignore: readonly string[];
	/** Name to show where the state is empty and tells none. */
	readonly stack?: string | undefined;
}

interface Finding {
	readonly changed?: ChangedResource;
	readonly missing?: ResourceRef;
	readonly unchecked: readonly UncheckedField[];
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
		const [contents, findings] = await Promise.all([
			Promise.all(teams.map((team) => contentOf(context, team))),
			Promise.all(state.resources.map((resource) => examine(context, resource, teamOf(resource)))),
		]);
		const unmanaged = contents.flatMap((content) => findUnmanaged(state, content, teamOf));
		return assemble({
			findings,
			...applyIgnores(unmanaged, ignore),
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

async function contentOf(context: ProviderContext, team: string): Promise<TeamContent> {
	const [schedules, pipelines] = await Promise.all([
		context.lists.schedules(team),
		context.lists.pipelines(team),
	]);
	return { team, schedules, pipelines };
}

async function examine(context: ProviderContext, resource: StateResource, team: string): Promise<Finding> {
	const handler = HANDLERS[resource.kind];
	if (handler === undefined) {
		throw new Error(
			`This version of pulumi-datachain has no resource "${resource.kind}". Install the version that made this state, or a newer one.`,
		);
	}
	const ref = referTo(resource, team);
	try {
		const { state: live } = await handler.read(context, resource.id, resource.outputs);
		if (live === undefined) return { missing: ref, unchecked: [] };
		const outs = compact(live.outs);
		const diff = await handler.diff(context, live.id, outs, resource.inputs);
		const unchecked = uncheckedFields(ref, outs);
		if (!diff.changes) return { unchecked };
		const changed = describeChange(ref, handler.fields, resource, outs, diff.replaces.length > 0);
		return { changed, unchecked };
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new Error(`Could not check ${resource.kind} "${resource.name}": ${why}`, { cause: error });
	}
}

function assemble(parts: {
	findings: readonly Finding[];
	kept: DriftReport["unmanaged"];
	ignored: number;
	facts: Pick<DriftReport, "stack" | "project" | "teams" | "serviceUrl" | "requests">;
}): DriftReport {
	const changed = parts.findings.flatMap((finding) => finding.changed ?? []);
	const missing = parts.findings.flatMap((finding) => finding.missing ?? []);
	const unchecked = parts.findings.flatMap((finding) => finding.unchecked);
	const managed = parts.findings.length;
	return {
		schemaVersion: 1,
		checkedAt: new Date().toISOString(),
		...parts.facts,
		summary: {
			managed,
			unchanged: managed - changed.length - missing.length,
			changed: changed.length,
			missing: missing.length,
			unmanaged: parts.kept.length,
			unchecked: unchecked.length,
			ignored: parts.ignored,
		},
		changed,
		missing,
		unmanaged: parts.kept,
		unchecked,
	};
}
