import type { Declared } from "../../../../test/helpers/e2e-deployment";
import type { Random } from "../../random";

/** One schedule of the program: its resource, and what the service must show. */
export interface Wanted {
	readonly resource: string;
	readonly scheduleName: string;
	readonly pipelineName: string;
	readonly cronExpression: string;
	readonly paused: boolean;
}

export type Generation = readonly Wanted[];

/** Which part of the schedules each step removes (and makes anew), replaces, and so on; the rest stays. */
const PARTS = { removed: 0.24, replaced: 0.2, rescheduled: 0.2, renamedThere: 0.08, renamedHere: 0.06 };

/** Pausing acts on a pipeline, so all schedules of one share it; nobody but the program uses this one. */
const PAUSABLE = "quiet-harbor";
const PIPELINES = ["nightly-images", "rusty-vise", PAUSABLE] as const;

/** Programs that follow each other: each step creates, updates, replaces, renames and deletes at once. */
export class Generations {
	private made = 0;
	private readonly counts: Record<keyof typeof PARTS, number>;

	constructor(private readonly size: number) {
		const count = (part: keyof typeof PARTS) => Math.ceil(PARTS[part] * size);
		this.counts = {
			removed: count("removed"),
			replaced: count("replaced"),
			rescheduled: count("rescheduled"),
			renamedThere: count("renamedThere"),
			renamedHere: count("renamedHere"),
		};
	}

	first(random: Random): Generation {
		const paused = random.chance(0.5);
		return Array.from({ length: this.size }, () => this.make(random, paused));
	}

	after(previous: Generation, random: Random): Generation {
		const paused = random.chance(0.5);
		const kept = shuffled(previous, random).slice(this.counts.removed);
		const take = (count: number) => kept.splice(0, count);
		const replaced = take(this.counts.replaced).map((one) => ({
			...one,
			pipelineName: another(one.pipelineName, random),
		}));
		const rescheduled = take(this.counts.rescheduled).map((one) => ({
			...one,
			cronExpression: cron(random),
		}));
		const renamedThere = take(this.counts.renamedThere).map((one) => ({
			...one,
			scheduleName: this.name("killed"),
		}));
		// Without an alias a renamed resource takes its schedule over only where nothing else changes with it.
		const movable = kept.filter((one) => one.pipelineName !== PAUSABLE).slice(0, this.counts.renamedHere);
		const rest = kept.map((one) => (movable.includes(one) ? { ...one, resource: this.name("moved") } : one));
		const fresh = Array.from({ length: this.counts.removed }, () => this.make(random, paused));
		return [...replaced, ...rescheduled, ...renamedThere, ...rest, ...fresh].map((one) => ({
			...one,
			paused: paused && one.pipelineName === PAUSABLE,
		}));
	}

	private make(random: Random, paused: boolean): Wanted {
		const pipelineName = random.pick(PIPELINES);
		return {
			resource: this.name("r"),
			scheduleName: this.name("killed"),
			pipelineName,
			cronExpression: cron(random),
			paused: paused && pipelineName === PAUSABLE,
		};
	}

	private name(prefix: string): string {
		return `${prefix}-${this.made++}`;
	}
}

export const declaredOf = (generation: Generation): Declared[] =>
	generation.map(({ resource, ...args }) => ({ kind: "PipelineSchedule", name: resource, args }));

/** How many writes the step takes, a pause of the pipeline aside: the moments to strike are drawn from them. */
export function writesBetween(before: Generation, after: Generation): number {
	const writes = after.map((one) => {
		const old = before.find(
			(other) => other.scheduleName === one.scheduleName || other.resource === one.resource,
		);
		if (old === undefined) return 1;
		if (old.pipelineName !== one.pipelineName) return 2;
		const same = old.cronExpression === one.cronExpression && old.paused === one.paused;
		return same && old.scheduleName === one.scheduleName ? 0 : 1;
	});
	const names = new Set(after.map((one) => one.scheduleName));
	const resources = new Set(after.map((one) => one.resource));
	const gone = before.filter((one) => !names.has(one.scheduleName) && !resources.has(one.resource));
	return writes.reduce<number>((sum, count) => sum + count, gone.length);
}

/** A day of the month, so that hardly any fires while the bench runs. */
const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} ${random.integer(1, 28)} * *`;

const another = (pipeline: string, random: Random): string =>
	random.pick(PIPELINES.filter((name) => name !== pipeline)) ?? pipeline;

function shuffled<T>(items: readonly T[], random: Random): T[] {
	return items
		.map((item) => ({ item, at: random.next() }))
		.sort((a, b) => a.at - b.at)
		.map(({ item }) => item);
}
