import { isFinishedJobStatus } from "../../../../src/schemas/job";
import type { Colleague, JobView } from "../../../../src/server";
import { type Book, type Change, must } from "./change";
import { type Entry, entryOf, type Resource, type State } from "./stack";

/** What the declared jobs run; those of pipelines run something else. */
export const QUERIES = {
	ends: 'print("done")',
	fails: "raise SystemExit(3)",
	holds: "# local-server: hold\nprint(1)",
};

const isJob = ({ kind }: { kind: string }): boolean => kind === "Job";
const isOver = ({ status }: JobView): boolean =>
	isFinishedJobStatus(status) || status.startsWith("CANCELING");

/** Jobs: each is in a state or was in one, and a deployment that waits for one succeeds only if the job does. */
export class JobBook implements Book {
	private readonly known = new Set<string>();

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
	) {}

	look(): void {
		for (const { id } of this.entries()) this.known.add(id);
	}

	/** What is waited for and never succeeds. */
	blockers({ after }: Change): string[] {
		return after
			.filter((resource) => isJob(resource) && resource.args.wait === true)
			.filter(({ args }) => args.query !== QUERIES.ends)
			.map(({ name }) => `the job of ${name} never succeeds`);
	}

	checkSafety(): void {
		this.look();
		const lost = this.declared().filter(({ id }) => !this.known.has(id));
		must(lost.length === 0, () => `nobody has job ${lost.map(({ id }) => id).join(", ")}`);
	}

	checkSuccess({ stack, after }: Change): void {
		this.checkSafety();
		const ids = this.entries().map(({ id }) => id);
		must(new Set(ids).size === ids.length, () => `a job is twice in the states: ${ids.join(", ")}`);
		for (const resource of after.filter(isJob)) this.checkOne(resource, entryOf(stack, resource));
		const left = this.declared().filter((job) => !ids.includes(job.id) && !isOver(job));
		must(
			left.length === 0,
			() => `no longer declared, and still running: ${left.map(({ id }) => id).join(", ")}`,
		);
	}

	private checkOne({ name, args }: Resource, entry: Entry | undefined): void {
		const job = this.team.jobs().find(({ id }) => id === entry?.id);
		must(job !== undefined, () => `the job of ${name} does not exist`);
		must(job?.query === args.query, () => `${name} has a job that runs ${job?.query}`);
		must(
			args.wait !== true || job?.status === "COMPLETE",
			() => `the deployment succeeded, and the job of ${name}, which it waits for, is ${job?.status}`,
		);
	}

	private declared(): JobView[] {
		const queries: readonly string[] = Object.values(QUERIES);
		return this.team.jobs().filter(({ query }) => queries.includes(query));
	}

	private entries(): Entry[] {
		return this.stacks.flatMap(({ entries }) => entries.filter(isJob));
	}
}
