import { handlerOf } from "../provider";
import type { ResourceHandler } from "../provider/handler";
import { jobFile } from "../provider/job-file/handler";
import { pipelineSchedule } from "../provider/pipeline-schedule/handler";
import { pipelineSettings } from "../provider/pipeline-settings/handler";
import { isKind, type Kind } from "../schemas/kinds";

/** Loaded at once: a report is about all kinds, and its command is a process of its own. */
const HANDLERS: Readonly<Record<Kind, ResourceHandler>> = {
	PipelineSchedule: pipelineSchedule,
	PipelineSettings: pipelineSettings,
	JobFile: jobFile,
};

/** The handler of a kind in the state; for one that this version does not have, the provider's own refusal. */
export const handlerFor = (kind: string): ResourceHandler =>
	isKind(kind) ? HANDLERS[kind] : handlerOf(kind);
