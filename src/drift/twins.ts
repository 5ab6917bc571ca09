import { NotFoundError } from "../api";
import type { ProviderContext } from "../provider/context";
import type { Finding } from "./examine";
import type { Twin, UnmanagedObject } from "./report";

/**
 * Sorts out the schedules that have the name of a managed one, be they managed too or not: each runs a pipeline that is
 * meant to run once, which an unmanaged schedule of another name does not. Where the managed one is missing there is no
 * second run.
 */
export async function findTwins(
	context: ProviderContext,
	found: readonly UnmanagedObject[],
	findings: readonly Finding[],
): Promise<{ twins: Twin[]; others: UnmanagedObject[] }> {
	const managed = new Map<string, Finding>();
	for (const finding of findings) {
		if (finding.ref.kind !== "PipelineSchedule" || finding.verdict.is === "missing") continue;
		for (const name of finding.names) managed.set(keyOf(finding.ref.team, name), finding);
	}
	const namesake = ({ kind, team, name }: UnmanagedObject) =>
		kind === "schedule" ? managed.get(keyOf(team, name)) : undefined;
	const twins = await Promise.all([
		...found.map((object) => {
			const of = namesake(object);
			return of && describeTwin(context, object, of);
		}),
		...managedTwice(findings).map(([first, second]) => describeTwin(context, inStack(second), first)),
	]);
	return {
		twins: twins.filter((twin) => twin !== undefined),
		others: found.filter((object) => namesake(object) === undefined),
	};
}

/** Two of the stack's own that have one name on the service, which a failed deployment can leave. */
function managedTwice(findings: readonly Finding[]): [first: Finding, second: Finding][] {
	const firsts = new Map<string, Finding>();
	return findings.flatMap((finding) => {
		const { ref, names, verdict } = finding;
		if (ref.kind !== "PipelineSchedule" || verdict.is === "missing" || verdict.is === "failed") return [];
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
	createdAt: textIn(outputs, "createdAt"),
});

function textIn(props: unknown, key: string): string | null {
	const value = typeof props === "object" && props !== null ? Reflect.get(props, key) : undefined;
	return typeof value === "string" ? value : null;
}

const keyOf = (team: string, name: string): string => JSON.stringify([team, name]);

/** Undefined where it is gone by now: the list may be behind. */
async function describeTwin(
	{ client }: ProviderContext,
	{ kind: _, ...object }: UnmanagedObject,
	{ ref, resource }: Finding,
): Promise<Twin | undefined> {
	const name = resource.secretPaths.has("scheduleName") ? ref.name : object.name;
	const own = resource.inputs.pipelineName ?? resource.outputs.pipelineName;
	const running = (pipeline: string | null): Twin => ({
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
		return error instanceof NotFoundError && error.fromService ? undefined : running(null);
	}
}
