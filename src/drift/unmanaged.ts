import { isRunOfASchedule } from "../provider/pipeline/find";
import type { UnmanagedObject } from "./report";
import type { StackState, StateResource } from "./state";
import type { TeamReading } from "./team-reading";

/** Schedules and pipelines of the team that the stack knows nothing of. */
export function findUnmanaged(
	state: StackState,
	{ team, schedules, pipelines }: Pick<TeamReading, "team" | "schedules" | "pipelines">,
	teamOf: (resource: StateResource) => string,
): UnmanagedObject[] {
	const here = state.resources.filter((resource) => teamOf(resource) === team);
	const ids = new Set([
		...here.filter(({ kind }) => kind === "PipelineSchedule").map(({ id }) => id),
		...state.leavingIds,
	]);
	const managedPipelines = new Set(
		here
			.filter(({ kind }) => kind !== "JobFile" && kind !== "Job")
			.map(({ kind, inputs, outputs }) =>
				kind === "Pipeline" ? outputs.name : (inputs.pipelineName ?? outputs.pipelineName),
			),
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
				createdAt: item.created_at ?? null,
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
				createdAt: pipeline.created_at ?? null,
			})),
	].sort(byKindAndName);
}

function byKindAndName(a: UnmanagedObject, b: UnmanagedObject): number {
	if (a.kind !== b.kind) return a.kind === "schedule" ? -1 : 1;
	if (a.name !== b.name) return a.name < b.name ? -1 : 1;
	return a.id < b.id ? -1 : 1;
}
