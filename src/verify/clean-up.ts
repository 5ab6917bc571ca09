import { fieldOf, type Service, shortFailure } from "./service";
import { linesOf, readPipeline, sendVariables, variablesOf } from "./variables";
import type { WritingFacts } from "./writing-facts";

/** Something of this command's that is still in the team, or may be. */
export interface Remainder {
	readonly kind: "schedule" | "variable";
	readonly name: string;
	/** Of a schedule, if it is known. */
	readonly id?: number | undefined;
	readonly why: string;
}

/** Removes what a run made, and names what it could not remove. It never throws. */
export async function cleanUp(
	service: Service,
	facts: WritingFacts,
): Promise<Remainder[]> {
	const schedules = await removeSchedules(service, facts);
	const variable = facts.settingsSent
		? await removeVariable(service, facts)
		: undefined;
	return variable === undefined ? schedules : [...schedules, variable];
}

async function removeSchedules(
	service: Service,
	facts: WritingFacts,
): Promise<Remainder[]> {
	const { names } = facts.target;
	// A schedule whose create response was lost is known by its name only.
	for (const name of facts.unanswered) await facts.search(name).catch(() => {});
	const remainders: Remainder[] = [];
	for (const id of facts.ids) {
		const why = await whyThere(service, facts, id);
		if (why !== undefined)
			remainders.push({ kind: "schedule", id, name: names.schedule, why });
	}
	const unseen = [...facts.unanswered].map((name): Remainder => {
		const why =
			"the request to create it was not answered; it is not listed now and may still appear";
		return { kind: "schedule", name, why };
	});
	return [...remainders, ...unseen];
}

/** Deletes a schedule of this run; why it is still there, or undefined. */
async function whyThere(
	service: Service,
	facts: WritingFacts,
	id: number,
): Promise<string | undefined> {
	if (facts.deleted.has(id)) return undefined;
	try {
		const { status } = await facts.delete(id);
		if (!facts.deleted.has(id))
			return `the service answered its deletion with ${status}`;
		const gone = await facts.until(async () => {
			const answer = await service.ask("getSchedule", { schedule_id: id });
			return answer.status === 404;
		});
		return gone === undefined
			? "it was deleted, and the service still shows it"
			: undefined;
	} catch (error) {
		return shortFailure(error);
	}
}

async function removeVariable(
	service: Service,
	facts: WritingFacts,
): Promise<Remainder | undefined> {
	const { pipeline, names } = facts.target;
	const isThere = async () =>
		names.variable in variablesOf(await readPipeline(service, pipeline));
	const remainder = (why: string): Remainder => ({
		kind: "variable",
		name: names.variable,
		why,
	});
	try {
		if (!facts.settingsAnswered) await facts.until(isThere);
		if (!(await isThere())) {
			const why =
				"the request to add it was not answered; it is not shown now and may still appear";
			return facts.settingsAnswered ? undefined : remainder(why);
		}
		const current = variablesOf(await readPipeline(service, pipeline));
		const { status } = await sendVariables(
			service,
			pipeline,
			linesOf({}, facts.restored(current)),
		);
		if (status >= 300)
			return remainder(`the service answered its removal with ${status}`);
		const gone = await facts.until(async () => !(await isThere()));
		return gone === undefined
			? remainder("it was removed, and the service still shows it")
			: undefined;
	} catch (error) {
		return remainder(
			error instanceof Error && error.name === "Untried"
				? error.message
				: shortFailure(error),
		);
	}
}

/** What can be told at once, when nobody waits for the removal any longer. */
export function notRemoved(facts: WritingFacts): Remainder[] {
	const { names } = facts.target;
	const why = "it was not removed, because the command was interrupted again";
	const ids = [...facts.ids].filter((id) => !facts.deleted.has(id));
	return [
		...ids.map(
			(id): Remainder => ({ kind: "schedule", id, name: names.schedule, why }),
		),
		...[...facts.unanswered].map(
			(name): Remainder => ({ kind: "schedule", name, why }),
		),
		...(facts.settingsSent
			? [{ kind: "variable", name: names.variable, why } as const]
			: []),
	];
}

export const idOf = (schedule: unknown): string => String(fieldOf(schedule, "id"));
