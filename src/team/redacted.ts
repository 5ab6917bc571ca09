import { REDACTED, redactor } from "../client/redaction";
import { requirementLines } from "../schemas/settings-args";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import { withoutUrlCredentials } from "../text/credentials";

/*
 * What of a job or a pipeline may be shown: its errors without the values of variables, which a script may print, and
 * its settings without what may be secret in them.
 */

type Variables = Job["environment"];

const failureText = (
	text: string | null | undefined,
	...environments: readonly Variables[]
): string | null =>
	text
		? environments.reduce((rest, variables) => redactor(variables)(rest), text)
		: null;

/** Why a job failed. */
export const jobFailure = ({ error_message, environment }: Job): string | null =>
	failureText(error_message, environment);

/** Where in its script a job failed. */
export const jobTrace = ({ error_stack, environment }: Job): string | null =>
	failureText(error_stack, environment);

/**
 * Why a pipeline failed. Its error repeats that of a job, so it may hold values of either's variables. If its jobs could
 * not be read (undefined), nobody can tell what in it is secret.
 */
export function pipelineFailure(
	{ error_message: text, environment_variables: own }: Pipeline,
	jobs: readonly (Job | undefined)[] | undefined,
): string | null {
	if (text && jobs === undefined) return REDACTED;
	return failureText(text, own, ...(jobs ?? []).map((job) => job?.environment));
}

/** Settings of a job or a pipeline that may hold secrets, without them. */
export const openSettings = (
	requirements: string | null | undefined,
	repository: string | null | undefined,
	variables: Variables,
) => ({
	requirements: requirementLines(requirements).map(withoutUrlCredentials),
	repository: repository ? withoutUrlCredentials(repository) : null,
	environment: Object.keys(variables ?? {}).sort(),
});

/** The same for people. */
export const settingFacts = (settings: ReturnType<typeof openSettings>) =>
	[
		["Requirements", settings.requirements.join(", ")],
		["Repository", settings.repository],
		["Environment", settings.environment.join(", ")],
	] as const;
