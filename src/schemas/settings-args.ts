import { z } from "zod";
import { typeInWords, valueInWords } from "../text/value";
import { environmentProblem } from "./environment";
import { inRange, wholeNumber } from "./primitives";
import { repositoryProblem } from "./repository";
import { requirementProblem } from "./requirement";

interface Problem {
	readonly message: string;
	/** The same where the value may be a secret. */
	readonly withoutValue: string;
}

const oneLine = z.string("must be a string").regex(/^\P{Cc}*$/u, {
	error: "must be one line, without control characters",
	abort: true,
});

/** The settings that a pipeline shows as they were declared: what the provider accepts, and what an export may write. */
export const settingsArgsShape = {
	pythonVersion: z
		.string('must be a string such as "3.12" (the number 3.10 is 3.1)')
		.regex(/^(\d+\.\d+(\.\d+)?)?$/, {
			error: ({ input }) =>
				`must look like "3.12" (or be empty for the service's default), not ${valueInWords(input)}`,
		})
		.optional(),
	requirements: z
		.custom<string | string[]>(
			(value) => typeof value === "string" || Array.isArray(value),
			{
				error: ({ input }) =>
					`must be a list of requirements or one string, not ${typeInWords(input)}`,
			},
		)
		.superRefine(checkRequirements)
		.optional(),
	repository: oneLine
		.regex(/^$|\S/, { error: "must be a URL, or empty for none", abort: true })
		.superRefine(checkRepository)
		.optional(),
	workers: wholeNumber
		.min(1, {
			error: ({ input }) =>
				`must be 1 or more, not ${input}: without a worker no job runs`,
		})
		.optional(),
	priority: inRange(wholeNumber, 0, 5).optional(),
	environment: z
		.record(
			z.string(),
			z.custom<string>((value) => typeof value === "string", {
				error: ({ input }) => notAString(input),
			}),
			"must be an object of names and strings",
		)
		.superRefine(checkVariables)
		.optional(),
};

/** Without the value, which may be a secret. */
const notAString = (value: unknown): string =>
	(value ?? undefined) === undefined
		? "must be a string, not null. Leave the variable out, or give an empty string"
		: `must be a string, not ${typeInWords(value)}. Convert it, for example with String(value)`;

function checkVariables(
	variables: Record<string, string>,
	context: z.RefinementCtx,
): void {
	for (const [name, value] of Object.entries(variables)) {
		const message = environmentProblem(name, value);
		if (message !== undefined) context.addIssue({ code: "custom", message });
	}
}

function checkRequirements(
	value: string | readonly unknown[],
	context: z.RefinementCtx,
): void {
	if (typeof value === "string") {
		checkLines(value, context);
		return;
	}
	for (const [at, line] of value.entries()) checkItem(line, at, context);
	if (value.every((line) => typeof line === "string")) refusePath(value, context);
}

function checkRepository(text: string, context: z.RefinementCtx): void {
	addProblem(repositoryProblem(text), [], context);
}

function checkItem(line: unknown, at: number, context: z.RefinementCtx): void {
	const issue = oneLine.safeParse(line).error?.issues[0];
	if (issue !== undefined) {
		const type = issue.code === "invalid_type" ? `, not ${typeInWords(line)}` : "";
		context.addIssue({
			code: "custom",
			path: [at],
			message: `${issue.message}${type}`,
		});
		return;
	}
	addProblem(requirementProblem(String(line)), [at], context);
}

function checkLines(text: string, context: z.RefinementCtx): void {
	refusePath(text, context);
	for (const line of requirementLines(text))
		addProblem(requirementProblem(line), [], context);
}

function addProblem(
	problem: Problem | undefined,
	path: number[],
	context: z.RefinementCtx,
): void {
	if (problem === undefined) return;
	const { message, withoutValue } = problem;
	context.addIssue({ code: "custom", path, message, params: { withoutValue } });
}

/** `requirements: "requirements.txt"` is the name of a file, and would be installed as a package of that name. */
function refusePath(value: string | readonly string[], context: z.RefinementCtx): void {
	const path = requirementLines(value).find((line) =>
		/^[\w./\\-]+\.(txt|in|toml)$/i.test(line),
	);
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
export function requirementLines(
	value: string | readonly string[] | null | undefined,
): string[] {
	return requirementsText(value ?? "")
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
