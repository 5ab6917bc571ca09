/**
 * What a sequence may contain, by name, with the weight that it has beside ten other cases: 0 leaves it out. Each
 * documented limitation is one draw, so that a run can leave it out and must then be without a fault.
 */
export const DRAWS = {
	// Kinds of resources, beside each other.
	schedules: 30,
	settings: 10,
	pipelines: 10,
	jobs: 10,
	// Options of a resource.
	dependsOn: 10,
	protect: 2,
	retainOnDelete: 3,
	deletedWith: 3,
	deleteBeforeReplace: 5,
	/** The plugin's host only: the dynamic host tells the engine no changed keys. */
	replaceOnChanges: 3,
	/** Another host serves the resource from now on. */
	hosts: 10,
	// Options of a command.
	adopt: 3,
	adoptEqual: 2,
	refresh: 3,
	replace: 1,
	exclude: 1,
	target: 1,
	parallelOne: 4,
	// What others do.
	drift: 10,
	remadePipeline: 5,
	// What the service does.
	lag: 15,
	longLag: 2,
	spellings: 3,
	failures: 5,
	unreadableRows: 2,
	missingFields: 2,
	otherPipeline: 2,
	partialMasks: 2,
	roundedTimes: 2,
	uniqueNames: 1,
	clockOffset: 2,
} as const;

export type DrawName = keyof typeof DRAWS;
export type Draws = Readonly<Record<DrawName, number>>;

const isDraw = (name: string): name is DrawName => Object.hasOwn(DRAWS, name);

/** `settings=0,exclude=5`: the table with these weights. */
export function drawsOf(text: string, table: Draws = DRAWS): Draws {
	const changed = text.split(",").filter((part) => part.trim() !== "");
	const entries = changed.map((part): [DrawName, number] => {
		const [name = "", weight = ""] = part.split("=").map((each) => each.trim());
		if (!isDraw(name) || !/^\d+$/.test(weight))
			throw new Error(
				`"${part}" is no draw. The draws are ${Object.keys(DRAWS).join(", ")}; write name=weight.`,
			);
		return [name, Number(weight)];
	});
	return { ...table, ...Object.fromEntries(entries) };
}
