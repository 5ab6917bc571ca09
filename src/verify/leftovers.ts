import { showInstantOf } from "../text/instant";
import type { Remainder } from "./clean-up";
import { isOwnSchedule, isOwnVariable } from "./own-names";
import { fieldOf, type Service, shortFailure } from "./service";
import {
	linesOf,
	readPipeline,
	sendVariables,
	variablesOf,
	without,
} from "./variables";

/** What an earlier run, or one that still goes on, has in the team. */
export type Leftover =
	| {
			readonly kind: "schedule";
			readonly id: number;
			readonly name: string;
			readonly since: string | null;
	  }
	| { readonly kind: "variable"; readonly name: string; readonly pipeline: string };

/** How many pipelines are looked at; those of earlier runs are paused, so they are not pushed far back. */
const MOST_PIPELINES = 1_000;

/** Finds them by their names. Lists that cannot be read have none. */
export async function findLeftovers(service: Service): Promise<Leftover[]> {
	const schedules = await elements(service, "listSchedules", {});
	const pipelines = await elements(service, "listPipelines", { limit: MOST_PIPELINES });
	return [...schedules.flatMap(scheduleIn), ...pipelines.flatMap(variablesIn)];
}

async function elements(
	service: Service,
	name: "listPipelines" | "listSchedules",
	fields: Readonly<Record<string, unknown>>,
): Promise<readonly unknown[]> {
	const { json } = (await service.ask(name, fields)).orThrow();
	return Array.isArray(json) ? json : [];
}

function scheduleIn(schedule: unknown): Leftover[] {
	const [id, name] = [
		Number(fieldOf(schedule, "id")),
		fieldOf(schedule, "schedule_name"),
	];
	const created = fieldOf(schedule, "created_at");
	const since = showInstantOf(typeof created === "string" ? created : null);
	return Number.isSafeInteger(id) && isOwnSchedule(name)
		? [{ kind: "schedule", id, name, since }]
		: [];
}

function variablesIn(item: unknown): Leftover[] {
	const pipeline = fieldOf(item, "name");
	if (typeof pipeline !== "string") return [];
	const names = Object.keys(Object(fieldOf(item, "environment_variables")));
	return names
		.filter(isOwnVariable)
		.map((name) => ({ kind: "variable", name, pipeline }));
}

/** Removes them, and says what is still there. */
export async function removeLeftovers(
	service: Service,
	leftovers: readonly Leftover[],
): Promise<Remainder[]> {
	const remainders: Remainder[] = [];
	for (const leftover of leftovers) {
		const why = await whyThere(service, leftover);
		if (why !== undefined) remainders.push({ ...leftover, why });
	}
	return remainders;
}

/** Looks at the object once more before the write: its name alone says whose it is. */
async function whyThere(
	service: Service,
	leftover: Leftover,
): Promise<string | undefined> {
	try {
		if (leftover.kind === "variable")
			return await whyVariableThere(service, leftover.pipeline, leftover.name);
		const { status, json } = await service.ask("getSchedule", {
			schedule_id: leftover.id,
		});
		if (status === 404) return undefined;
		if (fieldOf(json, "schedule_name") !== leftover.name) return "it was renamed";
		const answer = await service.ask("deleteSchedule", { schedule_id: leftover.id });
		if (answer.status < 300 || answer.status === 404) return undefined;
		return `the service answered its deletion with ${answer.status}`;
	} catch (error) {
		return error instanceof Error && error.name === "Untried"
			? error.message
			: shortFailure(error);
	}
}

async function whyVariableThere(
	service: Service,
	pipeline: string,
	name: string,
): Promise<string | undefined> {
	const current = variablesOf(await readPipeline(service, pipeline));
	if (!(name in current)) return undefined;
	const { status } = await sendVariables(
		service,
		pipeline,
		linesOf({}, without(current, [name])),
	);
	return status < 300 ? undefined : `the service answered its removal with ${status}`;
}
