import { z } from "zod";
import { environmentProblem } from "./environment";
import { integer, objectName, teamName } from "./primitives";

/** What happens to the pipeline's settings when Pulumi stops managing them. */
export const ON_DESTROY = ["keep", "restore", "reset"] as const;

const oneLine = z.string().regex(/^\P{Cc}*$/u, "must not contain control characters");

/** Inputs of the PipelineSettings resource, as they reach the provider. */
export const settingsArgsShape = {
	pipelineName: objectName,
	pythonVersion: z
		.string()
		.regex(/^(\d+\.\d+(\.\d+)?)?$/, 'must look like "3.12" (or be empty for the service\'s default)')
		.optional(),
	requirements: z
		.union([z.string(), z.array(oneLine)], { error: "must be a list of requirements or one text" })
		.optional(),
	repository: oneLine.optional(),
	workers: integer.min(0, "must be 0 or more").optional(),
	priority: integer.min(0, "must be 0 to 5").max(5, "must be 0 to 5").optional(),
	environment: z.record(z.string(), z.string("must be a text")).superRefine(checkVariables).optional(),
	/** Checked by the rules of its own kind; see schemas/storage. */
	storage: z.unknown().optional(),
	files: z.array(z.string("must be file ids, as JobFile gives them").min(1)).optional(),
	credentialsNames: z.array(objectName).optional(),
	teamName,
	adopt: z.boolean().optional(),
	onDestroy: z.enum(ON_DESTROY, { error: 'must be "keep", "restore" or "reset"' }),
};

export type SettingsArgs = z.infer<z.ZodObject<typeof settingsArgsShape>>;

export const SETTINGS_INPUTS = Object.keys(settingsArgsShape) as (keyof SettingsArgs)[];

function checkVariables(variables: Record<string, string>, context: z.RefinementCtx): void {
	for (const [name, value] of Object.entries(variables)) {
		const message = environmentProblem(name, value);
		if (message !== undefined) context.addIssue({ code: "custom", message });
	}
}

/** The text that the service stores: one requirement a line, whichever way it was declared. */
export function requirementsText(value: string | readonly string[]): string {
	return typeof value === "string" ? value : value.join("\n");
}
