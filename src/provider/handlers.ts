import { isKind, type Kind } from "../schemas/kinds";
import type { ResourceHandler } from "./handler";
import { discreet } from "./shared/discreet";

/** Each is loaded when a resource of its kind turns up: most deployments have one kind only. */
export const HANDLERS: Readonly<Record<Kind, () => ResourceHandler>> = {
	PipelineSchedule: () =>
		(require("./pipeline-schedule/handler") as typeof import("./pipeline-schedule/handler")).pipelineSchedule,
	PipelineSettings: () =>
		(require("./pipeline-settings/handler") as typeof import("./pipeline-settings/handler")).pipelineSettings,
	JobFile: () => (require("./job-file/handler") as typeof import("./job-file/handler")).jobFile,
	Pipeline: () => (require("./pipeline/handler") as typeof import("./pipeline/handler")).pipeline,
	Job: () => (require("./job/handler") as typeof import("./job/handler")).job,
};

export function handlerOf(kind: string): ResourceHandler {
	if (isKind(kind)) return discreet(HANDLERS[kind]());
	throw new Error(
		`This version of pulumi-datachain has no resource "${kind}". Install the version that made this state, or a newer one.`,
	);
}
