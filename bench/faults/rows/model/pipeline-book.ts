import type { Colleague, PipelineView } from "../../../../src/server";
import { type Book, type Change, must } from "./change";
import { type Entry, entryOf, type State } from "./stack";

const [ONE, TWO, THREE] = ["d.e.one", "d.e.two", "d.e.three"] as const;
export const DATASETS_OF = { one: [[ONE], [TWO], [ONE, TWO]], two: [[THREE]] } as const;
/** Their jobs never end by themselves, so that a pipeline is what the provider and colleagues made it. */
const query = "# local-server: hold";
export const DATASETS = [
	{ fullName: ONE, query },
	{ fullName: TWO, madeFrom: [ONE], query },
	{ fullName: THREE, query },
];

const isPipeline = ({ kind }: { kind: string }): boolean => kind === "Pipeline";
export const isTriggered = ({ triggeredFrom }: PipelineView): boolean => triggeredFrom.startsWith("d.e.");
/** Without the versions: each pipeline of a colleague that has run makes a new one. */
const from = (datasets: unknown): string => (Array.isArray(datasets) ? datasets.join(", ") : "");
const namesIn = (shown = ""): string => shown.replace(/@[\d.]+/g, "");

/** Pipelines that were triggered: each is in a state, was in one, or is a colleague's and as that one left it. */
export class PipelineBook implements Book {
	private readonly theirs = new Map<string, boolean>();
	/** Every one that a state had, with what was declared to happen when it goes. */
	private readonly known = new Map<string, string>();

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
	) {}

	/** A colleague triggered it. */
	note({ id, paused }: PipelineView): void {
		this.theirs.set(id, paused);
	}

	checkSafety(change: Change): void {
		this.look();
		const live = new Map(this.triggered().map((pipeline) => [pipeline.id, pipeline]));
		for (const { id } of this.entries()) {
			if (!this.theirs.delete(id)) continue;
			must(change.adoptEqual, () => `pipeline ${id} of others was taken without consent`);
		}
		for (const [id, paused] of this.theirs) {
			must(live.get(id)?.paused === paused, () => `pipeline ${id} of others was changed`);
		}
		const lost = [...live.keys()].filter((id) => !this.known.has(id) && !this.theirs.has(id));
		must(lost.length === 0, () => `nobody has pipeline ${lost.join(", ")}`);
	}

	checkSuccess({ stack, after }: Change): void {
		this.look();
		const live = new Map(this.triggered().map((pipeline) => [pipeline.id, pipeline]));
		const ids = this.entries().map(({ id }) => id);
		must(new Set(ids).size === ids.length, () => `a pipeline is twice in the states: ${ids.join(", ")}`);
		for (const resource of after.filter(isPipeline)) {
			const found = live.get(entryOf(stack, resource)?.id ?? "");
			must(found !== undefined, () => `the pipeline of ${resource.name} does not exist`);
			must(
				namesIn(found?.triggeredFrom) === from(resource.args.datasets),
				() => `${resource.name} has a pipeline of ${found?.triggeredFrom}`,
			);
			must(resource.args.start !== true || found?.paused === false, () => `${resource.name} was not started`);
		}
		const running = [...this.known].filter(
			([id, onDestroy]) => !ids.includes(id) && onDestroy === "pause" && live.get(id)?.paused === false,
		);
		must(running.length === 0, () => `let go and not paused: ${running.map(([id]) => id).join(", ")}`);
	}

	private triggered(): PipelineView[] {
		return this.team.pipelines().filter(isTriggered);
	}

	private entries(): Entry[] {
		return this.stacks.flatMap(({ entries }) => entries.filter(isPipeline));
	}

	look(): void {
		for (const { id, outs } of this.entries()) this.known.set(id, String(outs.onDestroy));
	}
}
