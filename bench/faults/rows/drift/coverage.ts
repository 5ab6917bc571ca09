import type { ResourceHandler } from "../../../../src/provider/handler";
import { jobFile } from "../../../../src/provider/job-file/handler";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { jobFileArgsShape } from "../../../../src/schemas/job-file-args";
import { scheduleArgsShape } from "../../../../src/schemas/schedule-args";
import { settingsArgsShape } from "../../../../src/schemas/settings-args";
import { STORAGE_KINDS, type StorageKind, storageVariable } from "../../../../src/schemas/storage";
import type { DriftCase } from "./case";

/** Fields that nobody can change behind Pulumi's back, and why. */
const NOT_ON_THE_SERVICE: Readonly<Record<string, string>> = {
	"PipelineSchedule.pipelineName": "no request gives a schedule another pipeline",
	"PipelineSchedule.teamName": "no request moves a schedule to another team",
	"PipelineSchedule.adopt": "an instruction to the provider",
	"PipelineSettings.pipelineName": "no request renames a pipeline",
	"PipelineSettings.teamName": "no request moves a pipeline to another team",
	"PipelineSettings.adopt": "an instruction to the provider",
	"PipelineSettings.onDestroy": "an instruction to the provider",
};

/** Fields that the service never shows. They must be reported as not checked, which has a figure of its own. */
export const NEVER_SHOWN: Readonly<Record<string, readonly string[]>> = {
	PipelineSettings: ["files", "credentialsNames"],
	JobFile: Object.keys(jobFileArgsShape),
};

const KINDS: Readonly<Record<string, readonly [ResourceHandler, object]>> = {
	PipelineSchedule: [pipelineSchedule, scheduleArgsShape],
	PipelineSettings: [pipelineSettings, settingsArgsShape],
	JobFile: [jobFile, jobFileArgsShape],
};

/** Every field of every schema that has no case, and no reason to have none: a new field must show up here. */
export function uncovered(
	cases: readonly DriftCase[],
	declarable: (kind: StorageKind) => readonly string[],
): string[] {
	const changed = cases.filter(({ named }) => named.length > 0);
	const fields = Object.entries(KINDS).flatMap(([kind, [handler, shape]]) =>
		[...new Set([...Object.keys(shape), ...Object.keys(handler.fields)])].map((field) => ({ kind, field })),
	);
	const missing = fields.filter(
		({ kind, field }) =>
			NOT_ON_THE_SERVICE[`${kind}.${field}`] === undefined &&
			!NEVER_SHOWN[kind]?.includes(field) &&
			!changed.some((each) => each.kind === kind && each.covers.split(".")[0] === field),
	);
	const parameters = STORAGE_KINDS.flatMap((kind) =>
		declarable(kind).map((name) => ({ kind, name, variable: storageVariable(kind) })),
	).filter(
		({ kind, name, variable }) =>
			variable === undefined || !changed.some(({ covers }) => covers === `storage.${kind}.${name}`),
	);
	return [
		...missing.map(({ kind, field }) => `${kind}.${field}`),
		...parameters.map(({ kind, name }) => `storage.${kind}.${name}`),
	];
}
