import { NotFoundError } from "../../api";
import type { ScheduleArgs } from "../../schemas/schedule-args";
import type { ProviderContext } from "../context";
import type { Problem } from "../handler";
import { getOrMissing } from "./find";
import { type Difference, differences } from "./live";
import { alreadyThere, otherPipeline, severalOfThatName } from "./refusals";

/**
 * What a preview can already tell of a schedule that is new to the state: a pipeline that does not exist, a name
 * that is taken, and for `adopt` what taking it over will change. `create` decides again, under its lock.
 */
export async function preflight(context: ProviderContext, args: ScheduleArgs): Promise<Problem[]> {
	const items = await context.lists.recentSchedules(args.teamName);
	const found = items.filter((item) => item.schedule_name === args.scheduleName);
	const [first] = found;
	if (first === undefined) return missingPipeline(context, args);
	if (found.length > 1) return [nameProblem(await severalOfThatName(context, args, found))];
	// Owned by a resource of this program, or about to be deleted by its own replacement.
	if (context.ownership.isReleased(args.teamName, String(first.id))) return [];
	const existing = await getOrMissing(context, args.teamName, first.id, {});
	if (existing === undefined) return [];
	const different = differences(args, existing);
	if (different.length > 0 && !args.adopt) return [nameProblem(alreadyThere(args, existing, different))];
	if (different.some((row) => row.field === "pipelineName"))
		return [nameProblem(otherPipeline(args, existing))];
	if (args.adopt) context.notice(adoptionNotice(args, existing.id, different));
	return [];
}

const nameProblem = (error: Error): Problem => ({ field: "scheduleName", reason: error.message });

function adoptionNotice(args: ScheduleArgs, id: number, different: readonly Difference[]): string {
	const changes = different.map((row) => `${row.field}: ${row.live} => ${row.declared}`).join("; ");
	const what = `Adopting schedule "${args.scheduleName}" (id ${id}) of team "${args.teamName}"`;
	return different.length === 0 ? `${what}: nothing will change.` : `${what} will change ${changes}.`;
}

async function missingPipeline(context: ProviderContext, args: ScheduleArgs): Promise<Problem[]> {
	const known = await context.lists.recentPipelines(args.teamName);
	if (known.some((pipeline) => pipeline.name === args.pipelineName)) return [];
	try {
		await context.client.pipelines.status({ team_name: args.teamName, name: args.pipelineName });
		return [];
	} catch (error) {
		if (!(error instanceof NotFoundError) || !error.fromService) throw error;
		const names = known.slice(0, 10).map((pipeline) => `"${pipeline.name}"`);
		const some =
			names.length > 0 ? ` Pipelines there: ${names.join(", ")}${known.length > 10 ? ", …" : ""}.` : "";
		return [
			{
				field: "pipelineName",
				reason: `pipelineName: there is no pipeline "${args.pipelineName}" in team "${args.teamName}".${some}`,
			},
		];
	}
}
