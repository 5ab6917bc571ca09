import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Colleague, FaultRule } from "../../../../src/server";
import { Random } from "../../random";
import { type Book, type Change, forbidden } from "./change";
import { JobBook } from "./job-book";
import { DATASETS, PipelineBook } from "./pipeline-book";
import type { Place } from "./place";
import { ScheduleBook } from "./schedule-book";
import { SettingsBook } from "./settings-book";
import type { Fold } from "./spelling";
import type { Done, Program, RunOptions, Stack, What } from "./stack";

export type StackName = "one" | "two";
export const PIPELINES = ["p1", "p2", "p3"] as const;

export interface Setting {
	/** Decides how long each request takes, and so which of the possible orders of events comes about. */
	readonly seed: number;
	/** How far reads lag behind, and how late writes show. */
	readonly staleMillis: number;
	readonly lateMillis: number;
	readonly fold: Fold;
}

export interface Command extends RunOptions {
	readonly stack: StackName;
	readonly program: Program;
	readonly run: Exclude<What, "drift">;
	readonly faults: readonly FaultRule[];
}

/** Longer than a usual lag: afterwards everything that was accepted is there. */
const SETTLED_MILLIS = 20_000;
/** What a user does after a failure: the same again, with a refresh, and at last with the documented consent. */
const REPEATS: readonly Pick<RunOptions, "refresh" | "adoptEqual">[] = [
	{},
	{ refresh: true },
	{ refresh: true },
	{ adoptEqual: true },
	{ adoptEqual: true, refresh: true },
];
/** Enough workers for all resources: with fewer, one that waits may keep the one it waits for from its turn. */
const USUAL_PARALLEL = 8;

let teams = 0;

/** One sequence of commands of two stacks and a colleague in one team, with everything checked after each. */
export class Story {
	/** What happened so far, for a person to read. */
	readonly journal: string[] = [];
	readonly team: Colleague;
	readonly schedules: ScheduleBook;
	readonly settings: SettingsBook;
	readonly pipelines: PipelineBook;
	readonly stacks: Readonly<Record<StackName, Stack>>;
	private readonly books: readonly Book[];
	private readonly teamName: string;
	/** The programs of the last deployments that succeeded. */
	readonly deployed: Record<StackName, Program> = { one: [], two: [] };
	private readonly lag: readonly (() => void)[];
	private readonly lagMillis: number;

	constructor(
		private readonly place: Place,
		setting: Setting,
	) {
		const { seed, staleMillis, lateMillis, fold } = setting;
		const random = new Random(String(seed));
		teams += 1;
		this.teamName = `team-${teams}`;
		this.team = place.server.addTeam(this.teamName, { pipelines: PIPELINES, datasets: DATASETS });
		const stack = (name: StackName) => place.stack(name, this.teamName, random, fold);
		this.stacks = { one: stack("one"), two: stack("two") };
		this.schedules = new ScheduleBook(this.team, Object.values(this.stacks), fold, lateMillis > 0);
		this.settings = new SettingsBook(this.team);
		this.pipelines = new PipelineBook(this.team, Object.values(this.stacks));
		const jobs = new JobBook(this.team, Object.values(this.stacks));
		this.books = [this.schedules, this.settings, this.pipelines, jobs];
		const rules: FaultRule[] = [];
		if (staleMillis > 0) rules.push({ kind: "stale-read", ms: staleMillis });
		if (lateMillis > 0) rules.push({ kind: "late-effect", ms: lateMillis });
		this.lagMillis = staleMillis + lateMillis;
		this.lag = rules.map((rule) => this.addFault(rule));
		this.journal.push(JSON.stringify({ staleMillis, lateMillis, fold }));
	}

	/** Runs the command and, after a failure, what a user does then. False where only the user can go on. */
	async command({ stack: name, program, run, faults, ...options }: Command): Promise<boolean> {
		const stack = this.stacks[name];
		const change: Change = {
			stack,
			before: this.deployed[name],
			after: run === "destroy" ? [] : program,
			replaced: options.replace ?? [],
			adoptEqual: options.adoptEqual === true,
			notices: [],
		};
		if (run === "destroy") await stack.unprotect();
		for (const book of this.books) book.look();
		const blockers =
			run === "destroy"
				? []
				: [forbidden(change), ...this.books.map((book) => book.blockers?.(change) ?? [])].flat();
		const first = await this.try(stack, run, program, options, faults);
		if (run === "up" || run === "destroy") return this.finish(name, change, first, options, blockers);
		assert(first.writes === 0, `a ${run} sent ${first.writes} writes`);
		return true;
	}

	/** One command, whatever comes of it. */
	private async try(
		stack: Stack,
		what: What,
		program: Program,
		options: RunOptions,
		faults: readonly FaultRule[] = [],
	) {
		this.journal.push(`stack ${stack.name}: ${what} ${JSON.stringify({ ...options, faults })}`);
		this.journal.push(...program.map((resource) => `    ${JSON.stringify(resource)}`));
		const { requests } = this.place.server;
		const remove = faults.map((rule) => this.addFault(rule));
		requests.clear();
		const ran = await stack.run(what, program, options);
		for (const each of remove) each();
		this.journal.push(inspect(ran));
		return { ...ran, writes: requests.count({ method: "POST" }) };
	}

	/** Lets the service catch up with everything it has accepted. */
	async settle(): Promise<void> {
		await this.place.wait(this.lagMillis > 0 ? Math.max(SETTLED_MILLIS, this.lagMillis) : 0);
	}

	close(): void {
		for (const each of this.lag) each();
		this.place.server.removeTeam(this.teamName);
	}

	private async finish(
		name: StackName,
		change: Change,
		first: Done,
		{ refresh = false, ...given }: RunOptions,
		blockers: readonly string[],
	): Promise<boolean> {
		let last = first;
		let { adoptEqual } = change;
		let repeated = false;
		const notices = [...first.notices];
		for (const repeat of [...this.repeats(change), undefined]) {
			if (last.failures.length === 0) {
				await this.succeeded(name, { ...change, adoptEqual, notices }, given.parallel);
				return true;
			}
			await this.settle();
			for (const book of this.books) book.checkSafety({ ...change, adoptEqual, repeated });
			if (repeat === undefined || (repeat.adoptEqual && blockers.length > 0)) break;
			adoptEqual ||= repeat.adoptEqual === true;
			repeated = !refresh && Object.keys(repeat).length === 0;
			last = await this.try(this.stacks[name], "up", change.after, {
				parallel: USUAL_PARALLEL,
				refresh,
				...repeat,
			});
			notices.push(...last.notices);
		}
		assert(blockers.length > 0, `repeating does not help: ${last.failures.join("\n")}`);
		this.journal.push(`only the user can go on: ${blockers.join("; ")}`);
		return false;
	}

	/** Where a write never shows in the command that sent it, each write may cost a command of its own. */
	private repeats({ before, after }: Change): typeof REPEATS {
		if (this.lagMillis <= SETTLED_MILLIS) return REPEATS;
		return [...REPEATS, ...[...before, ...after].map(() => ({ adoptEqual: true, refresh: true }))];
	}

	private async succeeded(name: StackName, change: Change, parallel: number): Promise<void> {
		const { after } = change;
		for (const book of this.books) book.checkSafety(change);
		await this.exactly(change);
		this.deployed[name] = after;
		for (const what of ["up", "drift"] as const) {
			const { failures, steps, writes } = await this.try(this.stacks[name], what, after, { parallel });
			// A step that finds nothing to do is none.
			const changes = steps.filter((step) => !/^(same|read) /.test(step));
			const found = [...failures, ...changes, ...(writes > 0 ? [`${writes} writes`] : [])];
			assert(found.length === 0, `${what} right after is not idle: ${found.join(", ")}`);
		}
	}

	/** A deletion that was accepted, and whose reply was lost, may still show for as long as the service lags. */
	private async exactly(change: Change): Promise<void> {
		try {
			for (const book of this.books) book.checkSuccess(change);
		} catch {
			await this.settle();
			for (const book of this.books) book.checkSuccess(change);
		}
	}

	private addFault(rule: FaultRule): () => void {
		return this.place.server.faults.add({ ...rule, team: this.teamName });
	}
}
