import { z } from "zod";
import { environmentProblem } from "./environment";
import { inRange, wholeNumber } from "./primitives";

const oneLine = z
	.string("must be a string")
	.regex(/^\P{Cc}*$/u, "must be one line, without control characters");

/** The settings that a pipeline shows as they were declared: what the provider accepts, and what an export may write. */
export const settingsArgsShape = {
	pythonVersion: z
		.string('must be a string such as "3.12"; as a number 3.10 would be 3.1')
		.regex(/^(\d+\.\d+(\.\d+)?)?$/, 'must look like "3.12" (or be empty for the service\'s default)')
		.optional(),
	requirements: z
		.union([z.string(), z.array(oneLine)], { error: "must be a list of requirements or one string" })
		.superRefine(refusePath)
		.optional(),
	repository: oneLine.regex(/^$|\S/, "must be a URL, or empty for none").optional(),
	workers: wholeNumber
		.min(1, { error: ({ input }) => `must be 1 or more, not ${input}: without a worker no job runs` })
		.optional(),
	priority: inRange(wholeNumber, 0, 5).optional(),
	environment: z
		.record(
			z.string(),
			z.string("must be a string; convert other values to one first"),
			"must be an object of names and strings",
		)
		.superRefine(checkVariables)
		.optional(),
};

function checkVariables(variables: Record<string, string>, context: z.RefinementCtx): void {
	for (const [name, value] of Object.entries(variables)) {
		const message = environmentProblem(name, value);
		if (message !== undefined) context.addIssue({ code: "custom", message });
	}
}

/** `requirements: "requirements.txt"` is the name of a file, and would be installed as a package of that name. */
function refusePath(value: string | readonly string[], context: z.RefinementCtx): void {
	const path = requirementLines(value).find((line) => /^[\w./\\-]+\.(txt|in|toml)$/i.test(line));
	if (path === undefined) return;
	context.addIssue({
		code: "custom",
		message:
			"is a path, and the service takes the lines themselves. Read the file in the program and give its lines",
	});
}

/** The text that the service stores: one requirement a line, whichever way it was declared. A wrong type is refused elsewhere. */
export function requirementsText(value: string | readonly string[]): string {
	return Array.isArray(value) ? value.join("\n") : String(value);
}

/** Blank lines and white space around a requirement mean nothing; order does, because pip reads options in order. */
export function requirementLines(value: string | readonly string[] | null | undefined): string[] {
	return requirementsText(value ?? "")
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
