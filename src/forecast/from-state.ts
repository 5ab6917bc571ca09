import type { StackState, StateResource } from "../drift/state";
import { parseInstant } from "../schemas/instant";
import type { ForecastSchedule } from "./subject";

/** Stands for what the program keeps secret. */
const SECRET = "(secret)";

/** The schedules of a stack, as it last deployed them. */
export function schedulesOfState(state: StackState, teamName: string): ForecastSchedule[] {
	return state.resources
		.filter(({ kind }) => kind === "PipelineSchedule")
		.map((resource) => scheduleOf(resource, teamName));
}

function scheduleOf(resource: StateResource, teamName: string): ForecastSchedule {
	const { inputs, outputs, secretPaths } = resource;
	return {
		...scheduleOfInputs({ ...outputs, ...inputs }, resource.name, teamName, secretPaths),
		id: resource.id,
	};
}

/** A schedule by its checked inputs. */
export function scheduleOfInputs(
	inputs: Readonly<Record<string, unknown>>,
	resource: string,
	teamName: string,
	secretPaths: ReadonlySet<string> = new Set(),
): ForecastSchedule {
	const text = (field: string): string | undefined => {
		const value = inputs[field];
		if (typeof value !== "string" || value === "") return undefined;
		return secretPaths.has(field) ? SECRET : value;
	};
	const { startAfter } = inputs;
	const [utcCron, declared] = [text("utcCron"), text("cronExpression")];
	return {
		team: text("teamName") ?? teamName,
		name: text("scheduleName") ?? resource,
		pipeline: text("pipelineName"),
		id: undefined,
		resource,
		cron: utcCron ?? declared,
		startAfter: typeof startAfter === "string" ? parseInstant(startAfter) : undefined,
		...(utcCron !== undefined && { declared, timeZone: text("timeZone") }),
		paused: typeof inputs.paused === "boolean" ? inputs.paused : undefined,
	};
}
