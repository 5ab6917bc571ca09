import type { Props } from "../../../../src/provider/handler";
import type { Random } from "../../random";
import type { Program, Resource } from "../model/program";

/** Which part of the schedules each step removes (and makes anew), replaces, and so on; the rest stays. */
const PARTS = { removed: 0.24, replaced: 0.2, rescheduled: 0.2, renamed: 0.08 };

/** Pausing acts on a pipeline, so all schedules of one share it; nobody but the program uses this one. */
const PAUSABLE = "quiet-harbor";
const PIPELINES = ["nightly-images", "rusty-vise", PAUSABLE];

/** Programs that follow each other: each step creates, updates, replaces, renames and deletes at once. */
export class Generations {
	private made = 0;

	constructor(private readonly size: number) {}

	/** The program after the previous one, and how many writes the step takes; the first comes after an empty one. */
	next(previous: Program, random: Random): { program: Program; writes: number } {
		const count = (part: keyof typeof PARTS) =>
			previous.length > 0 ? Math.ceil(PARTS[part] * this.size) : 0;
		const kept = random.shuffled(previous).slice(count("removed"));
		const changed = (part: keyof typeof PARTS, change: (args: Props) => Props): Resource[] =>
			kept.splice(0, count(part)).map((one) => ({ ...one, args: { ...one.args, ...change(one.args) } }));
		const others = (name: unknown) => PIPELINES.filter((pipeline) => pipeline !== name);
		const all: Resource[] = [
			...changed("replaced", ({ pipelineName }) => ({ pipelineName: random.pick(others(pipelineName)) })),
			...changed("rescheduled", () => ({ cronExpression: cron(random) })),
			...changed("renamed", () => ({ scheduleName: `killed-${this.made++}` })),
			...kept,
		];
		const writes = this.size - all.length + count("removed") + 2 * count("replaced");
		while (all.length < this.size) {
			const scheduleName = `killed-${this.made++}`;
			const args = { scheduleName, pipelineName: random.pick(PIPELINES), cronExpression: cron(random) };
			all.push({ kind: "PipelineSchedule", name: `r-${scheduleName}`, args });
		}
		const paused = random.chance(0.5);
		return {
			program: all.map((one) => {
				const { pipelineName } = one.args;
				return { ...one, args: { ...one.args, paused: paused && pipelineName === PAUSABLE } };
			}),
			writes: writes + count("rescheduled") + count("renamed"),
		};
	}
}

/** A day of the month, so that hardly any fires while the bench runs. */
const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} ${random.integer(1, 28)} * *`;
