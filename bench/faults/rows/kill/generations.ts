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
const PARTS = { removed: 0.24, replaced: 0.2, rescheduled: 0.2, renamed: 0.08 };

/** Pausing acts on a pipeline, so all schedules of one share it; nobody but the program uses this one. */
const PAUSABLE = "quiet-harbor";
const PIPELINES = ["nightly-images", "rusty-vise", PAUSABLE];

/** Programs that follow each other: each step creates, updates, replaces, renames and deletes at once. */
export class Generations {
	private made = 0;

	constructor(private readonly size: number) {}

	/** The program after the previous one; the first comes after an empty one. */
	next(previous: Generation, random: Random): Generation {
		const count = (part: keyof typeof PARTS) => Math.ceil(PARTS[part] * this.size);
		const [paused, kept] = [random.chance(0.5), random.shuffled(previous).slice(count("removed"))];
		const changed = (part: keyof typeof PARTS, change: (one: Wanted) => Partial<Wanted>) =>
			kept.splice(0, count(part)).map((one) => ({ ...one, ...change(one) }));
		const others = (name: string) => PIPELINES.filter((pipeline) => pipeline !== name);
		const all = [
			...changed("replaced", ({ pipelineName }) => ({ pipelineName: random.pick(others(pipelineName)) })),
			...changed("rescheduled", () => ({ cronExpression: cron(random) })),
			...changed("renamed", () => ({ scheduleName: `killed-${this.made++}` })),
			...kept,
		];
		while (all.length < this.size) {
			const scheduleName = `killed-${this.made++}`;
			const [pipelineName, cronExpression] = [random.pick(PIPELINES), cron(random)];
			all.push({ resource: `r-${scheduleName}`, scheduleName, pipelineName, cronExpression, paused });
		}
		return all.map((one) => ({ ...one, paused: paused && one.pipelineName === PAUSABLE }));
	}
}

export const declaredOf = (generation: Generation): Declared[] =>
	generation.map(({ resource, ...args }) => ({ kind: "PipelineSchedule", name: resource, args }));

/** How many writes the step takes, a pause of the pipeline aside: the moments to strike are drawn from them. */
export function writesBetween(before: Generation, after: Generation): number {
	const olds = new Map(before.map((one) => [one.resource, one]));
	const writes = after.map((one) => {
		const old = olds.get(one.resource);
		olds.delete(one.resource);
		if (old === undefined) return 1;
		if (old.pipelineName !== one.pipelineName) return 2;
		return JSON.stringify(old) === JSON.stringify(one) ? 0 : 1;
	});
	return writes.reduce<number>((sum, count) => sum + count, olds.size);
}

/** A day of the month, so that hardly any fires while the bench runs. */
const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} ${random.integer(1, 28)} * *`;
