import { renderEnvironment } from "../schemas/environment";
import { Untried } from "./outcome";
import { type Answer, fieldOf, type Service } from "./service";

export type Variables = Readonly<Record<string, string | null>>;

/** The pipeline as the service shows it now; another one than the named is none. */
export async function readPipeline(service: Service, name: string): Promise<unknown> {
	const { json } = (await service.ask("pipelineStatus", { name })).orThrow();
	if (fieldOf(json, "name") !== name)
		throw new Untried("the service answered about another pipeline");
	return json;
}

/** The variables of a pipeline. If it shows none, not even an empty map, a write could lose some. */
export function variablesOf(pipeline: unknown): Variables {
	const variables = fieldOf(pipeline, "environment_variables");
	if (typeof variables !== "object" || variables === null || Array.isArray(variables))
		throw new Untried(
			"the pipeline does not show its variables, so a write could lose some",
		);
	const entries = Object.entries(variables).map(
		([name, value]): [string, string | null] => [
			name,
			typeof value === "string" ? value : null,
		],
	);
	return Object.fromEntries(entries);
}

/** The lines that carry these variables unchanged. What no line can carry is refused, before anything is sent. */
export function linesOf(
	own: Readonly<Record<string, string>>,
	others: Variables,
): string {
	try {
		return renderEnvironment(own, others);
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		// The message has the name of a variable, which the report does not show.
		throw new Untried(
			"a variable of the pipeline cannot be repeated (a mask, a line break or no string), so nothing was sent",
		);
	}
}

export const sendVariables = (
	service: Service,
	pipeline: string,
	environment: string,
): Promise<Answer> =>
	service.ask("updateSettings", { pipeline_name: pipeline, environment });

export const without = (variables: Variables, names: readonly string[]): Variables =>
	Object.fromEntries(
		Object.entries(variables).filter(([name]) => !names.includes(name)),
	);
