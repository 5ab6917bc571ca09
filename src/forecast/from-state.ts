import type { StackState } from "../drift/state";
import { parseInstant } from "../schemas/instant";
import type { ForecastSchedule } from "./subject";

/** Stands for what the program keeps secret; the engine's previews have the other. */
const SECRET = "(secret)";
const MASKED = "[secret]";
/** How the engine spells a value that is not known before the deployment. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Why nobody can tell from these inputs when a schedule runs; undefined where its expression is there to be read. */
export function hiddenCron(cron: string | undefined): string | undefined {
	if (cron === SECRET || cron === MASKED) return "its cron expression is a secret";
	return cron === UNKNOWN ? "its cron expression is known only during the deployment" : undefined;
}

/** The schedules of a stack, as it last deployed them. */
export function schedulesByUrn({ resources }: StackState, teamName: string): Map<string, ForecastSchedule> {
	const ours = resources.filter(({ kind }) => kind === "PipelineSchedule");
	return new Map(
		ours.map(({ urn, id, name, inputs, outputs, secretPaths }) => [
			urn,
			{ ...scheduleOfInputs({ ...outputs, ...inputs }, name, teamName, secretPaths), id },
		]),
	);
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
