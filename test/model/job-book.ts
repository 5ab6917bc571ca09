import assert from "node:assert/strict";
import { isFinishedJobStatus } from "../../src/schemas/job";
import type { Colleague, JobView } from "../../src/server";
import { type Book, type Change, entriesOf, idsOnce } from "./change";
import { type Entry, entryOf, type State } from "./stack";

/** What the declared jobs run; those of pipelines run something else. */
export const QUERIES = {
	ends: 'print("done")',
	fails: "raise SystemExit(3)",
	holds: "# local-server: hold\nprint(1)",
};

const isOver = ({ status }: JobView): boolean =>
	isFinishedJobStatus(status) || status.startsWith("CANCELING");

/** Jobs: each is in a state or was in one, and a deployment that waits for one succeeds only if the job does. */
export class JobBook implements Book {
	private readonly known = new Set<string>();
	private readonly left = new Set<string>();

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
	) {}

	leave({ kind, id }: Entry): void {
		if (kind === "Job") this.left.add(id);
	}

	look(): void {
		for (const { id } of entriesOf(this.stacks, "Job")) this.known.add(id);
	}

	/** What is waited for and never succeeds. */
	blockers({ after }: Change): string[] {
		return after
			.filter(
				({ kind, args }) =>
					kind === "Job" && args.wait === true && args.query !== QUERIES.ends,
			)
			.map(({ name }) => `the job of ${name} never succeeds`);
	}

	checkSafety(): void {
		this.look();
		const lost = this.declared().flatMap(({ id }) => (this.known.has(id) ? [] : [id]));
		assert(lost.length === 0, `nobody has job ${lost.join(", ")}`);
	}

	checkSuccess({ stack, after }: Change): void {
		this.checkSafety();
		const ids = idsOnce(entriesOf(this.stacks, "Job"));
		for (const resource of after) {
			if (resource.kind !== "Job") continue;
			const { name, args } = resource;
			const job = this.team
				.jobs()
				.find(({ id }) => id === entryOf(stack, resource)?.id);
			assert(job, `the job of ${name} does not exist`);
			assert(job.query === args.query, `${name} has a job that runs ${job.query}`);
			const isDone = args.wait !== true || job.status === "COMPLETE";
			assert(
				isDone,
				`success, and the job of ${name}, which is waited for, is ${job.status}`,
			);
		}
		const running = this.declared().find(
			(job) => !ids.includes(job.id) && !this.left.has(job.id) && !isOver(job),
		);
		assert(
			running === undefined,
			`no longer declared, and still running: ${running?.id}`,
		);
	}

	private declared(): JobView[] {
		const queries: readonly string[] = Object.values(QUERIES);
		return this.team.jobs().filter(({ query }) => queries.includes(query));
	}
}
