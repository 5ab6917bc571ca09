import type { Schedule } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import { byName } from "../shared/twins";
import { identify } from "./refusals";

/** Says where a managed schedule is not the only one of its name: what a deployment was too short to see. */
export async function tellTwins(call: Call, team: string, live: Schedule): Promise<void> {
	const items = await call.lists.schedules(team);
	if (!items.some(({ id }) => id === live.id)) {
		call.notice(
			`The list of team "${team}" does not show schedule "${live.schedule_name ?? ""}" (id ${live.id}), which is there: the list is cut ` +
				"or lags behind, so a second schedule of a name could go unseen.",
		);
	}
	const others = (byName(items).get(live.schedule_name ?? "") ?? []).filter(({ id }) => id !== live.id);
	if (others.length === 0) return;
	call.notice(
		`Schedule "${live.schedule_name ?? ""}" exists ${others.length + 1} times in team "${team}": this stack manages id ${live.id}; ` +
			`also there: ${others.map((item) => identify(call, item)).join("; ")}. Each of them runs its pipeline: delete or rename ` +
			"the ones that are not wanted.",
	);
}
