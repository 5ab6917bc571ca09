import { createClient, resolveConnection } from "pulumi-datachain/client";
import {
	type Deployment,
	managedResources,
	type Result,
	resourceKind,
	resourceName,
	type Stack,
} from "../stack";
import type { Narrator } from "./terminal";

/** A step of the tour did not do what it should. */
export class TourError extends Error {
	override readonly name = "TourError";
}

/** Create, drift, repair: everything up to the destruction. */
export async function tour(stack: Stack, narrator: Narrator): Promise<void> {
	narrator.step("Create what the program declares");
	expectCode(await stack.up(["--skip-preview"]), "pulumi up");
	for (const resource of managedResources(stack.checkpoint())) {
		narrator.done(`${resourceKind(resource)} "${resourceName(resource)}", id ${resource.id}`);
	}

	narrator.step("Change something behind Pulumi's back");
	const change = await changeFirstSchedule(stack.checkpoint(), stack.env);
	narrator.say(
		change
			? `Through the REST API: the cron of schedule "${change.name}" (id ${change.id}) was "${change.before}" and is now "${change.after}".`
			: "The program declares no schedule yet, so there is nothing to change.",
	);

	narrator.step("Let Pulumi find the drift");
	const drift = await stack.refresh(["--preview-only", "--diff"]);
	expectCode(drift, "pulumi refresh");
	if (change && !drift.stdout.includes(change.after)) {
		throw new TourError(`pulumi refresh did not show the changed cron of schedule "${change.name}".`);
	}
	narrator.done(change ? "The changed cron was found." : "No drift.");

	narrator.step("Repair it");
	expectCode(await stack.up(["--refresh", "--skip-preview"]), "pulumi up --refresh");
	if (change) await confirmRepair(change, stack, narrator);

	narrator.step("Check that nothing is left to do");
	expectCode(await stack.preview(["--refresh", "--expect-no-changes"]), "pulumi preview");
	narrator.done("Program, state and service agree.");
}

export async function destroy(stack: Stack, narrator: Narrator): Promise<void> {
	narrator.step("Destroy it all");
	expectCode(await stack.destroy(["--skip-preview"]), "pulumi destroy");
	const left = managedResources(stack.checkpoint());
	if (left.length > 0) throw new TourError(`${left.length} resources are still in the state after destroy.`);
	narrator.done("Nothing is left in the state.");
}

async function confirmRepair(change: ScheduleChange, stack: Stack, narrator: Narrator): Promise<void> {
	const cron = await currentCron(change.id, stack.env);
	if (cron !== change.before) {
		throw new TourError(
			`Schedule "${change.name}" has the cron "${cron}" after the repair, not "${change.before}".`,
		);
	}
	narrator.done(`Schedule "${change.name}" runs at "${cron}" again.`);
}

function expectCode(result: Result, what: string): void {
	if (result.code === 0) return;
	const why = result.timedOut ? "it did not end in time" : `exit code ${result.code}`;
	throw new TourError(`\`${what}\` failed (${why}). Its output is above.`);
}

interface ScheduleChange {
	readonly name: string;
	readonly id: number;
	readonly before: string;
	readonly after: string;
}

type Client = ReturnType<typeof createClient>;

/** Someone edits a schedule in the web UI: its cron, through the REST API. Undefined where the stack has none. */
async function changeFirstSchedule(
	state: Deployment,
	env: NodeJS.ProcessEnv,
): Promise<ScheduleChange | undefined> {
	const resource = managedResources(state).find((each) => resourceKind(each) === "PipelineSchedule");
	const id = Number(resource?.outputs?.scheduleId ?? resource?.id);
	if (resource === undefined || !Number.isSafeInteger(id)) return undefined;
	return withClient(env, async (client) => {
		const before = (await client.schedules.get({ schedule_id: id })).cron_expression ?? "";
		const after = before === "15 5 * * 1" ? "45 6 * * 2" : "15 5 * * 1";
		await client.schedules.update({ schedule_id: id, cron_expression: after });
		return { name: resourceName(resource), id, before, after };
	});
}

function currentCron(id: number, env: NodeJS.ProcessEnv): Promise<string> {
	return withClient(env, async (client) => {
		return (await client.schedules.get({ schedule_id: id })).cron_expression ?? "";
	});
}

async function withClient<T>(env: NodeJS.ProcessEnv, work: (client: Client) => Promise<T>): Promise<T> {
	const client = createClient(resolveConnection({ env }));
	try {
		return await work(client);
	} finally {
		await client.close();
	}
}
