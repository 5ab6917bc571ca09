import { NotFoundError } from "../api";
import type { ProviderContext } from "../provider/context";
import type { Finding } from "./examine";
import type { Twin, UnmanagedObject } from "./report";

/**
 * Sorts out the schedules that have the name of a managed one: each runs a pipeline that is meant to run once, which
 * an unmanaged schedule of another name does not. Where the managed one is missing there is no second run.
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
	const twins = await Promise.all(
		found.map((object) => {
			const of = namesake(object);
			return of && describeTwin(context, object, of);
		}),
	);
	return {
		twins: twins.filter((twin) => twin !== undefined),
		others: found.filter((object) => namesake(object) === undefined),
	};
}

const keyOf = (team: string, name: string): string => JSON.stringify([team, name]);

/** Undefined where it is gone by now: the list may be behind. */
async function describeTwin(
	{ client }: ProviderContext,
	{ kind: _, ...object }: UnmanagedObject,
	{ ref, resource }: Finding,
): Promise<Twin | undefined> {
	const name = resource.secretPaths.has("scheduleName") ? ref.name : object.name;
	try {
		// The list does not tell which pipeline a schedule runs.
		const live = await client.schedules.get({ team_name: object.team, schedule_id: Number(object.id) });
		const pipeline = live.pipeline?.name ?? null;
		const own = resource.inputs.pipelineName ?? resource.outputs.pipelineName;
		return {
			...object,
			name,
			pipeline,
			samePipeline: pipeline === null ? null : pipeline === own,
			twinOf: ref,
		};
	} catch (error) {
		if (error instanceof NotFoundError && error.fromService) return undefined;
		return { ...object, name, pipeline: null, samePipeline: null, twinOf: ref };
	}
}
