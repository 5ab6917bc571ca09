import type { ConnectionSettings } from "../client";
import { isScheduleKind, propertyOf, type StackState } from "./stack-state";

/**
 * The pipelines of the schedules that a stack manages in this team, by the schedule's id. The list of schedules does not
 * name them, and a schedule keeps its pipeline for life, so each of them saves a request to the service.
 */
export function managedPipelines(
	{ resources }: StackState,
	{ baseUrl, teamName }: Pick<ConnectionSettings, "baseUrl" | "teamName">,
): ReadonlyMap<number, string> {
	const names = new Map<number, string>();
	for (const resource of resources) {
		const { kind, id, outputs, secretPaths } = resource;
		const pipeline = propertyOf(resource, "pipelineName");
		const isHere =
			(propertyOf(resource, "teamName") ?? teamName) === teamName &&
			(outputs.serviceUrl ?? baseUrl) === baseUrl;
		if (!isScheduleKind(kind) || !isHere) continue;
		if (typeof pipeline !== "string" || secretPaths.has("pipelineName")) continue;
		names.set(Number(id), pipeline);
	}
	return names;
}
