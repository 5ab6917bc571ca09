import type { DataChainClient } from "../api";
import type { LiveTeam } from "../export/model";
import { matchesGlob } from "../schemas/glob";
import { askEach } from "./ask-each";

/**
 * Reads the schedules and the pipelines they run. The list names no pipelines, so each schedule is asked for; a
 * pipeline's settings are read where the provider will read them. What is deleted meanwhile is left out. `filters` are
 * patterns for the names of schedules, none for all of them; `onProgress` is told how much is read of all that must be.
 */
export async function readTeam(
	client: DataChainClient,
	filters: readonly string[],
	onProgress: (done: number, total: number) => void,
): Promise<LiveTeam> {
	const all = await client.schedules.list();
	const wanted = all.filter(
		({ schedule_name: name }) =>
			filters.length === 0 || filters.some((filter) => matchesGlob(filter, name ?? "")),
	);
	if (all.length > 0 && wanted.length === 0) {
		throw new Error(
			`No schedule of team "${client.teamName}" matches ${filters.map((filter) => JSON.stringify(filter)).join(", ")}; ` +
				`it has ${all.length}. In --filter, * stands for any characters and ? for one. Nothing was written.`,
		);
	}
	let [done, total] = [0, wanted.length];
	const tick = () => onProgress(++done, total);
	const schedules = await askEach(wanted, ({ id }) => client.schedules.get({ schedule_id: id }), tick);
	const names = [...new Set(schedules.flatMap(({ pipeline }) => pipeline?.name || []))];
	total += names.length;
	const pipelines = await askEach(names, (name) => client.pipelines.status({ name }), tick);
	return { all, schedules, pipelines };
}
