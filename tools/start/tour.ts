import {
	createClient,
	type DataChainClient,
	resolveConnection,
} from "pulumi-datachain/client";
import {
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
	const client = createClient(resolveConnection({ env: stack.env }));
	try {
		narrator.step("Create what the program declares");
		expectCode(await stack.up(["--skip-preview"]), "pulumi up");
		const made = managedResources(stack.checkpoint());
		for (const resource of made) {
			narrator.done(
				`${resourceKind(resource)} "${resourceName(resource)}", id ${resource.id}`,
			);
		}
		const schedule = made.find((each) => resourceKind(each) === "PipelineSchedule");
		if (schedule === undefined) throw new TourError("The quickstart made no schedule.");
		const id = Number(schedule.id);
		const named = `schedule "${resourceName(schedule)}"`;

		narrator.step("Change something behind Pulumi's back");
		const before = await cronOf(client, id);
		const after = "15 5 * * 1";
		await client.schedules.update({ schedule_id: id, cron_expression: after });
		narrator.say(
			`Through the REST API: the cron of ${named} (id ${id}) was "${before}" and is now "${after}".`,
		);

		narrator.step("Let Pulumi find the drift");
		const drift = await stack.refresh(["--preview-only", "--diff"]);
		expectCode(drift, "pulumi refresh");
		if (!drift.stdout.includes(after))
			throw new TourError(`pulumi refresh did not show the changed cron of ${named}.`);
		narrator.done("The changed cron was found.");

		narrator.step("Repair it");
		expectCode(await stack.up(["--refresh", "--skip-preview"]), "pulumi up --refresh");
		const repaired = await cronOf(client, id);
		if (repaired !== before)
			throw new TourError(
				`The cron of ${named} is "${repaired}" after the repair, not "${before}".`,
			);
		narrator.done(`The cron of ${named} is "${repaired}" again.`);

		narrator.step("Check that nothing is left to do");
		expectCode(
			await stack.preview(["--refresh", "--expect-no-changes"]),
			"pulumi preview",
		);
		narrator.done("Program, state and service agree.");
	} finally {
		await client.close();
	}
}

const cronOf = async (
	client: DataChainClient,
	id: number,
): Promise<string | null | undefined> =>
	(await client.schedules.get({ schedule_id: id })).cron_expression;

export async function destroy(stack: Stack, narrator: Narrator): Promise<void> {
	narrator.step("Destroy it all");
	expectCode(await stack.destroy(["--skip-preview"]), "pulumi destroy");
	const left = managedResources(stack.checkpoint());
	if (left.length > 0)
		throw new TourError(
			`${left.length} resources are still in the state after destroy.`,
		);
	narrator.done("Nothing is left in the state.");
}

function expectCode(result: Result, what: string): void {
	if (result.code === 0) return;
	const why = result.timedOut ? "it did not end in time" : `exit code ${result.code}`;
	throw new TourError(`\`${what}\` failed (${why}). Its output is above.`);
}
