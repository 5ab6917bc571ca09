import { type DataChainClient, NotFoundError } from "../api";
import { type LiveTeam, matchesGlob } from "../export";
import type { Schedule } from "../schemas/wire/schedule";

export interface ReadOptions {
	/** Patterns for the names of schedules; all of them where there is none. */
	readonly filters: readonly string[];
	readonly signal: AbortSignal;
	/** Told how much is read of all that must be. */
	readonly onProgress: (done: number, total: number) => void;
}

/** Requests under way at once: quick enough for a large team, and no burden for the service. */
const CONCURRENT = 8;

/**
 * Reads the schedules and the pipelines they run. The list names no pipelines, so each schedule is asked for; a
 * pipeline's settings are read where the provider will read them. What is deleted meanwhile is left out.
 */
export async function readTeam(client: DataChainClient, options: ReadOptions): Promise<LiveTeam> {
	const { filters, signal } = options;
	const all = await client.schedules.list({}, { signal });
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
	const tick = () => options.onProgress(++done, total);
	const schedules = await each(
		wanted,
		({ id }) => client.schedules.get({ schedule_id: id }, { signal }),
		tick,
	);
	const names = pipelineNames(schedules);
	total += names.length;
	const pipelines = await each(names, (name) => client.pipelines.status({ name }, { signal }), tick);
	return { all, schedules, pipelines };
}

function pipelineNames(schedules: readonly Schedule[]): string[] {
	return [...new Set(schedules.flatMap(({ pipeline }) => pipeline?.name || []))];
}

/** Asks for all of them, a few at a time; those that the service no longer has are not in the result. */
export async function each<Item, Found>(
	items: readonly Item[],
	ask: (item: Item) => Promise<Found>,
	tick: () => void,
): Promise<Found[]> {
	const found: Found[] = [];
	const waiting = queue(items);
	const work = async () => {
		for (const item of waiting) {
			try {
				found.push(await ask(item));
			} catch (error) {
				if (error instanceof NotFoundError && error.fromService) continue;
				// The other workers take nothing new once the result is lost.
				waiting.return?.();
				throw error;
			} finally {
				tick();
			}
		}
	};
	await Promise.all(Array.from({ length: CONCURRENT }, work));
	return found;
}

/** A generator, because an array's own iterator cannot be ended early. */
function* queue<Item>(items: readonly Item[]): Generator<Item, void> {
	yield* items;
}
