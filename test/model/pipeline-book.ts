import assert from "node:assert/strict";
import type { Colleague, PipelineView } from "../../src/server";
import { type Book, type Change, entriesOf, idsOnce } from "./change";
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

export const isTriggered = ({ triggeredFrom }: PipelineView): boolean =>
	triggeredFrom.startsWith("d.e.");
/** Without the versions: each pipeline of a colleague that has run makes a new one. */
const from = (datasets: unknown): string =>
	Array.isArray(datasets) ? datasets.join(", ") : "";
const namesIn = (shown: string): string => shown.replace(/@[\d.]+/g, "");

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

	leave({ kind, id }: Entry): void {
		const left = kind === "Pipeline" ? this.triggered().get(id) : undefined;
		if (left !== undefined) this.note(left);
		if (left !== undefined) this.known.delete(id);
	}

	look(): void {
		for (const { id, outs } of entriesOf(this.stacks, "Pipeline"))
			this.known.set(id, String(outs.onDestroy));
	}

	checkSafety(change: Change): void {
		this.look();
		const live = this.triggered();
		for (const { id } of entriesOf(this.stacks, "Pipeline"))
			assert(
				!this.theirs.delete(id) || change.adoptEqual,
				`pipeline ${id} of others was taken without consent`,
			);
		for (const [id, paused] of this.theirs)
			assert(live.get(id)?.paused === paused, `pipeline ${id} of others was changed`);
		const lost = [...live.keys()].filter(
			(id) => !this.known.has(id) && !this.theirs.has(id),
		);
		assert(lost.length === 0, `nobody has pipeline ${lost.join(", ")}`);
	}

	checkSuccess({ stack, after }: Change): void {
		this.look();
		const live = this.triggered();
		const ids = idsOnce(entriesOf(this.stacks, "Pipeline"));
		for (const resource of after) {
			if (resource.kind !== "Pipeline") continue;
			const { name, args } = resource;
			const found = live.get(entryOf(stack, resource)?.id ?? "");
			assert(found, `the pipeline of ${name} does not exist`);
			const isSame = namesIn(found.triggeredFrom) === from(args.datasets);
			assert(isSame, `${name} has a pipeline of ${found.triggeredFrom}`);
			assert(args.start !== true || !found.paused, `${name} was not started`);
		}
		const running = [...this.known].filter(
			([id, onDestroy]) =>
				!ids.includes(id) && onDestroy === "pause" && live.get(id)?.paused === false,
		);
		assert(running.length === 0, `let go and not paused: ${running.join("; ")}`);
	}

	private triggered(): Map<string, PipelineView> {
		const all = this.team.pipelines().filter(isTriggered);
		return new Map(all.map((pipeline) => [pipeline.id, pipeline]));
	}
}
