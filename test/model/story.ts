import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Colleague, FaultRule } from "../../src/server";
import { type Book, type Change, forbidden } from "./change";
import { JobBook } from "./job-book";
import { DATASETS, PipelineBook } from "./pipeline-book";
import type { Place } from "./place";
import { Random } from "./random";
import { ScheduleBook } from "./schedule-book";
import { SettingsBook } from "./settings-book";
import type { Fold } from "./spelling";
import {
	type Done,
	type Entry,
	entryOf,
	identityOf,
	type Program,
	type RunOptions,
	type Stack,
	type What,
} from "./stack";

export type StackName = "one" | "two";
export const PIPELINES = ["p1", "p2", "p3"] as const;

export interface Setting {
	/** Decides how long each request takes, and so which of the possible orders of events comes about. */
	readonly seed: number;
	/** How far reads lag behind, and how late writes show. */
	readonly staleMillis: number;
	readonly lateMillis: number;
	readonly fold: Fold;
	/** The lists show times rounded to the second. */
	readonly rounded: boolean;
	/** The service lets no two schedules share a name. */
	readonly unique: boolean;
	/** How far the service's clock is ahead of the provider's. */
	readonly clockAhead: number;
}

export interface Command extends RunOptions {
	readonly stack: StackName;
	readonly program: Program;
	readonly run: Exclude<What, "drift">;
	readonly faults: readonly FaultRule[];
	/** A run with `--exclude` or `--target` comes first. */
	readonly partial?: Pick<RunOptions, "exclude" | "target"> | undefined;
}

/** Longer than a usual lag: afterwards everything that was accepted is there. */
const SETTLED_MILLIS = 20_000;
/** Where nothing goes wrong, a second run settles a stack; with consent where objects are equal. */
const MOST_UPS = 2;
/** What a user does after a failure: the same again, with a refresh, and at last with the documented consent. */
type Repeat = Partial<Pick<RunOptions, "parallel" | "refresh" | "adoptEqual">>;
const REPEATS: readonly Repeat[] = [
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
const isRefused = ({ failures }: Done, name: string): boolean =>
	failures.some((text) => text.startsWith(`${name}: `));

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
	/** How many times each program was deployed until that succeeded, where nothing went wrong. */
	readonly ups: number[] = [];
	/** Objects with two resources that could not be prevented, until a whole run succeeds. */
	private readonly twins = new Set<string>();
	/** What cannot be prevented, and was mended by a later run. */
	readonly tolerated: string[] = [];

	constructor(
		private readonly place: Place,
		setting: Setting,
	) {
		const { seed, staleMillis, lateMillis, fold, rounded, unique, clockAhead } =
			setting;
		const random = new Random(String(seed));
		teams += 1;
		this.teamName = `team-${teams}`;
		this.team = place.server.addTeam(this.teamName, {
			pipelines: PIPELINES,
			datasets: DATASETS,
		});
		const stack = (name: StackName) => place.stack(name, this.teamName, random, fold);
		this.stacks = { one: stack("one"), two: stack("two") };
		const all = Object.values(this.stacks);
		this.schedules = new ScheduleBook(this.team, all, fold, unique, lateMillis > 0);
		this.settings = new SettingsBook(this.team, all);
		this.pipelines = new PipelineBook(this.team, Object.values(this.stacks));
		const jobs = new JobBook(this.team, Object.values(this.stacks));
		this.books = [this.schedules, this.settings, this.pipelines, jobs];
		const rules: FaultRule[] = [];
		if (staleMillis > 0) rules.push({ kind: "stale-read", ms: staleMillis });
		if (lateMillis > 0) rules.push({ kind: "late-effect", ms: lateMillis });
		if (rounded) rules.push({ kind: "rewrite", fraction: { "*.created_at": 0 } });
		if (unique) rules.push({ kind: "unique-names" });
		place.setClockAhead(clockAhead);
		this.lagMillis = staleMillis + lateMillis;
		this.lag = rules.map((rule) => this.addFault(rule));
		this.journal.push(
			JSON.stringify({ staleMillis, lateMillis, fold, rounded, unique, clockAhead }),
		);
	}

	/** Runs the command and, after a failure, what a user does then. False where only the user can go on. */
	async command({
		stack: name,
		program,
		run,
		faults,
		partial,
		...options
	}: Command): Promise<boolean> {
		const stack = this.stacks[name];
		const change: Change = {
			stack,
			before: this.deployed[name],
			after: run === "destroy" ? [] : program,
			replaced: options.replace ?? [],
			adoptEqual: options.adoptEqual === true,
			refreshed: options.refresh === true,
		};
		if (run === "destroy") await stack.unprotect();
		for (const book of this.books) book.look();
		const blockers =
			run === "destroy"
				? []
				: [
						forbidden(change),
						...this.books.map((book) => book.blockers?.(change) ?? []),
					].flat();
		if (partial !== undefined && run === "up") {
			const { replace: _, ...others } = options;
			const only: Change = { ...change, partial: true };
			await this.try(only, run, { ...others, ...partial });
			await this.settle();
			for (const book of this.books) book.checkSafety(only);
		}
		const first = await this.try(change, run, options, faults);
		if (run === "up" || run === "destroy")
			return this.finish(name, change, first, options, blockers, faults.length === 0);
		assert(first.writes === 0, `a ${run} sent ${first.writes} writes`);
		return true;
	}

	/** One command, whatever comes of it. */
	private async try(
		change: Change,
		what: What,
		options: RunOptions,
		faults: readonly FaultRule[] = [],
	): Promise<Done & { readonly writes: number }> {
		const { stack, after: program } = change;
		const stackOf: Stack = this.stacks[stack.name as StackName];
		this.journal.push(
			`stack ${stack.name}: ${what} ${JSON.stringify({ ...options, faults })}`,
		);
		this.journal.push(...program.map((resource) => `    ${JSON.stringify(resource)}`));
		const { requests } = this.place.server;
		const remove = faults.map((rule) => this.addFault(rule));
		const before = stack.entries.map((entry) => ({ ...entry }));
		for (const book of this.books) book.lookBeforeRun?.();
		requests.clear();
		const ran = await stackOf.run(what, program, options);
		for (const each of remove) each();
		this.journal.push(inspect(ran));
		const writes = requests.count({ method: "POST" });
		this.leaveBehind(before);
		if (what === "up" || what === "destroy") this.checkIds(change, options, ran);
		return { ...ran, writes };
	}

	/** What a state has dropped without deleting it belongs to nobody. */
	private leaveBehind(before: readonly Entry[]): void {
		const all = Object.values(this.stacks).flatMap(({ entries }) => entries);
		for (const entry of before) {
			const isHeld = all.some(({ kind, id }) => kind === entry.kind && id === entry.id);
			const isLeft = entry.retainOnDelete || entry.deletedWith !== undefined;
			if (isHeld || !isLeft) continue;
			for (const book of this.books) book.leave?.(entry);
		}
	}

	/**
	 * No object has two resources, also after a run that failed. It cannot be prevented where a resource adopts with consent what
	 * another one has whose turn never comes: because it is left out of the run, or because the run fails before.
	 */
	private checkIds(
		{ after, stack }: Change,
		{ exclude, target, adoptEqual }: RunOptions,
		ran: Done,
	): void {
		const isWhole =
			exclude === undefined && target === undefined && ran.failures.length === 0;
		const all = Object.values(this.stacks).flatMap(({ name, entries }) =>
			entries
				.filter(
					({ pendingDelete, pendingReplacement }) =>
						!pendingDelete && !pendingReplacement,
				)
				.map((entry) => ({ entry, owner: name, object: `${entry.kind} ${entry.id}` })),
		);
		for (const { entry, owner, object } of all) {
			const twin = all.find((one) => one.object === object && one.entry !== entry);
			if (twin === undefined) continue;
			const both = [entry, twin.entry];
			const isConsented = both.some(
				(one) =>
					adoptEqual === true ||
					one.kind === "PipelineSettings" ||
					after.find((resource) => entryOf(stack, resource) === one)?.args.adopt ===
						true,
			);
			// A turn that is refused leaves the state as it is.
			const hadNoTurn =
				ran.reached === undefined ||
				both.some(
					(one) => !ran.reached?.includes(identityOf(one)) || isRefused(ran, one.name),
				);
			const mayBe =
				!isWhole &&
				(isConsented || this.twins.has(object)) &&
				hadNoTurn &&
				owner === twin.owner;
			assert(
				mayBe,
				`two resources have ${object}: ${both.map(({ name }) => name).join(" and ")}`,
			);
			if (this.twins.has(object)) continue;
			this.twins.add(object);
			const why = (exclude ?? target) ? "a part of the program" : "a run that failed";
			this.tolerated.push(`two resources with one ${entry.kind} after ${why}`);
		}
	}

	/** Lets the service catch up with everything it has accepted. */
	async settle(): Promise<void> {
		await this.place.wait(
			this.lagMillis > 0 ? Math.max(SETTLED_MILLIS, this.lagMillis) : 0,
		);
	}

	close(): void {
		for (const each of this.lag) each();
		this.place.server.removeTeam(this.teamName);
	}

	private async finish(
		name: StackName,
		change: Change,
		first: Done,
		{ refresh = false, parallel }: RunOptions,
		blockers: readonly string[],
		isCalm: boolean,
	): Promise<boolean> {
		let last = first;
		let { adoptEqual, refreshed = false } = change;
		let ups = 1;
		const isInTime = isCalm && this.lagMillis <= SETTLED_MILLIS;
		// With few workers the turn of who has a name may come too late in every run.
		const withMore: readonly Repeat[] =
			parallel < USUAL_PARALLEL ? [{ parallel: USUAL_PARALLEL, adoptEqual: true }] : [];
		const calm: readonly Repeat[] =
			blockers.length > 0
				? [{ parallel }]
				: [{ parallel, adoptEqual: true }, ...withMore];
		const repeats = isInTime ? calm : this.repeats(change);
		for (const repeat of [...repeats, undefined]) {
			if (last.failures.length === 0) {
				if (isInTime) this.ups.push(ups);
				if (isInTime && ups > MOST_UPS)
					this.tolerated.push(
						`a stack that settles only without --parallel ${parallel}`,
					);
				await this.succeeded(name, { ...change, adoptEqual, refreshed }, parallel);
				return true;
			}
			await this.settle();
			for (const book of this.books)
				book.checkSafety({ ...change, adoptEqual, refreshed });
			if (isInTime) this.checkOrphans(change);
			if (repeat === undefined || (repeat.adoptEqual && blockers.length > 0)) break;
			adoptEqual ||= repeat.adoptEqual === true;
			refreshed ||= refresh || repeat.refresh === true;
			ups += 1;
			last = await this.try(change, "up", {
				parallel: USUAL_PARALLEL,
				refresh,
				...repeat,
			});
		}
		const told = last.failures.join("\n");
		assert(
			blockers.length > 0,
			`${isInTime ? `not settled after ${ups} ups` : "repeating does not help"}: ${told}`,
		);
		this.journal.push(`only the user can go on: ${blockers.join("; ")}`);
		return false;
	}

	/** Where nothing goes wrong, a run that fails leaves no schedule that no state has. */
	private checkOrphans(change: Change): void {
		for (const book of this.books) book.checkHeld?.(change);
	}

	/** Where a write never shows in the command that sent it, each write may cost a command of its own. */
	private repeats({ before, after }: Change): readonly Repeat[] {
		if (this.lagMillis <= SETTLED_MILLIS) return REPEATS;
		return [
			...REPEATS,
			...[...before, ...after].map(() => ({ adoptEqual: true, refresh: true })),
		];
	}

	private async succeeded(
		name: StackName,
		change: Change,
		parallel: number,
	): Promise<void> {
		const { after } = change;
		for (const book of this.books) book.checkSafety(change);
		await this.exactly(change);
		this.deployed[name] = after;
		for (const what of ["up", "drift"] as const) {
			const { failures, steps, writes } = await this.try(change, what, { parallel });
			// A step that finds nothing to do is none.
			const changes = steps.filter((step) => !/^(same|read) /.test(step));
			const found = [
				...failures,
				...changes,
				...(writes > 0 ? [`${writes} writes`] : []),
			];
			assert(
				found.length === 0,
				`${what} right after is not idle: ${found.join(", ")}`,
			);
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
