import type { Finding } from "./examine";
import type { ResourceRef } from "./report";
import type { TeamReading } from "./team-reading";

/**
 * Managed objects that a direct request shows and the team's list leaves out: the list is cut short or behind, and
 * may leave out what others made, too.
 */
export function findUnlisted(findings: readonly Finding[], readings: readonly TeamReading[]): ResourceRef[] {
	const shown = new Map(readings.map((reading) => [reading.team, shownBy(reading)]));
	return findings
		.filter(({ ref, resource, names, verdict }) => {
			const team = shown.get(ref.team);
			if (team === undefined || (verdict.is !== "same" && verdict.is !== "changed")) return false;
			if (ref.kind === "PipelineSchedule") return ![ref.id, ...names].some((key) => team.schedules.has(key));
			if (ref.kind === "Pipeline") return !team.pipelines.has(String(resource.outputs.name));
			const pipeline = String(resource.inputs.pipelineName ?? resource.outputs.pipelineName);
			return ref.kind === "PipelineSettings" && !team.pipelines.has(pipeline);
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
