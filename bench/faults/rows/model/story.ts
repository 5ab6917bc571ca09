import type { Colleague, FaultRule } from "../../../../src/server";
import { Random } from "../../random";
import { Books, type Change, Violation } from "./books";
import type { Place, Ran } from "./place";
import { type Program, render } from "./program";
import { type RunOptions, StackModel } from "./stack";

export type StackName = "one" | "two";
export const PIPELINES = ["p1", "p2", "p3"] as const;

export interface Setting {
	/** Decides how long each request takes, and so which of the possible orders of events comes about. */
	readonly seed: string;
	/** How far reads lag behind, and how late writes show, in milliseconds. */
	readonly staleMillis?: number;
	readonly lateMillis?: number;
}

export interface Command {
	readonly stack?: StackName;
	readonly program: Program;
	readonly run?: "up" | "preview" | "refresh" | "destroy";
	readonly parallel?: number;
	readonly refresh?: boolean;
	readonly adoptEqual?: boolean;
	readonly replace?: readonly string[];
	readonly faults?: readonly FaultRule[];
}

/** Longer than any lag: afterwards everything that was accepted is there. */
const SETTLED_MILLIS = 20_000;
/** What a user does after a failure: the same again, and then once more with the documented consent. */
const REPEATS = [false, false, true, true];

let teams = 0;

/** One sequence of commands of two stacks and a colleague in one team, with everything checked after each. */
export class Story {
	/** What happened so far, for a person to read. */
	readonly journal: string[] = [];
	readonly team: Colleague;
	readonly books: Books;
	private readonly teamName = `team-${(teams += 1)}`;
	private readonly random: Random;
	private readonly stacks = { one: new StackModel("one"), two: new StackModel("two") };
	private readonly deployed: Record<StackName, Program> = { one: [], two: [] };
	private readonly untold: (() => void)[] = [];

	constructor(
		private readonly place: Place,
		{ seed, staleMillis = 0, lateMillis = 0 }: Setting,
	) {
		this.random = new Random(seed);
		this.team = place.server.addTeam(this.teamName, { pipelines: PIPELINES });
		this.books = new Books(this.team, Object.values(this.stacks));
		const lag: FaultRule[] = [];
		if (staleMillis > 0) lag.push({ kind: "stale-read", ms: staleMillis });
		if (lateMillis > 0) lag.push({ kind: "late-effect", ms: lateMillis });
		for (const rule of lag) this.untold.push(this.addFault(rule));
		if (lag.length > 0) this.journal.push(`reads lag ${staleMillis} ms behind, writes show ${lateMillis} ms late`);
	}

	/** Runs the command and, after a failure, what a user does then. False where only the user can go on. */
	async command({ stack: name = "one", program, run = "up", ...given }: Command): Promise<boolean> {
		const stack = this.stacks[name];
		const { parallel = 4, refresh = false, replace = [], adoptEqual = false, faults = [] } = given;
		const after = run === "destroy" ? [] : program;
		const change: Change = { stack, before: this.deployed[name], after, replaced: replace, adoptEqual };
		this.note(`stack ${name}: ${describe(run, { parallel, refresh, replace }, adoptEqual, faults)}`, run === "up" || run === "preview" ? render(program) : "");
		if (run === "destroy") for (const entry of stack.entries) entry.protect = false;
		this.books.look();
		const blockers = run === "destroy" ? [] : this.books.blockers(change);
		const remove = faults.map((rule) => this.addFault(rule));
		const options = { parallel, refresh, replace };
		const first = await this.run(adoptEqual, (providers) => {
			if (run === "preview") return stack.up(program, providers, { ...options, preview: true });
			if (run === "refresh") return stack.refresh(providers, options);
			return run === "up" ? stack.up(program, providers, options) : stack.destroy(providers, options);
		});
		for (const each of remove) each();
		if (run === "preview" || run === "refresh") {
			if (first.writes > 0) throw new Violation(`a ${run} sent ${first.writes} writes`);
			return true;
		}
		return this.finish(name, change, first, { parallel, refresh }, blockers);
	}

	/** Lets the service catch up with everything it has accepted. */
	settle(): void {
		this.place.server.clock.advance(SETTLED_MILLIS);
	}

	close(): void {
		for (const each of this.untold) each();
		this.place.server.removeTeam(this.teamName);
	}

	note(text: string, details = ""): void {
		this.journal.push(details === "" ? text : `${text}\n${details.replace(/^/gm, "    ")}`);
	}

	/** What the state of a stack holds, by the resource's name. */
	idOf(name: StackName, resource: string): string | undefined {
		return this.stacks[name].entries.find((entry) => entry.name === resource && !entry.pendingDelete)?.id;
	}

	private async finish(
		name: StackName,
		change: Change,
		first: Ran,
		options: RunOptions,
		blockers: readonly string[],
	): Promise<boolean> {
		let last = first;
		let consent = change.adoptEqual;
		for (const adoptEqual of [...REPEATS, undefined]) {
			if (last.failures.length === 0) {
				await this.succeeded(name, { ...change, adoptEqual: consent }, options);
				return true;
			}
			this.settle();
			this.books.checkSafety({ ...change, adoptEqual: consent });
			if (adoptEqual === undefined || (adoptEqual && blockers.length > 0)) break;
			this.note(`again${adoptEqual ? " with DATACHAIN_ADOPT_EQUAL=true" : ""}`);
			consent ||= adoptEqual;
			// A create that waits for a resource whose turn never comes with few workers gets it with the usual number.
			const usual = { ...options, parallel: 8 };
			last = await this.run(adoptEqual, (providers) => change.stack.up(change.after, providers, usual));
		}
		if (blockers.length === 0) throw new Violation(`repeating does not help: ${last.failures.join("\n")}`);
		this.note(`only the user can go on: ${blockers.join("; ")}`);
		return false;
	}

	private async succeeded(name: StackName, change: Change, { parallel }: RunOptions): Promise<void> {
		const { stack, after } = change;
		this.books.checkSafety(change);
		this.books.checkSuccess(change);
		this.deployed[name] = after;
		const again = await this.run(false, (providers) => stack.up(after, providers, { parallel }));
		if (again.failures.length + again.changes.length + again.writes > 0) {
			throw new Violation(`a second up is not idle: ${[...again.failures, ...again.changes, `${again.writes} writes`].join(", ")}`);
		}
		const copy = new StackModel(stack.name);
		copy.entries = stack.entries.map((entry) => ({ ...entry }));
		const drift = await this.run(false, (providers) => copy.refresh(providers, { parallel }));
		if (drift.failures.length + drift.changes.length + drift.writes > 0) {
			throw new Violation(`a refresh finds ${[...drift.failures, ...drift.changes, `${drift.writes} writes`].join(", ")}`);
		}
	}

	private async run(adoptEqual: boolean, command: Parameters<Place["run"]>[1]): Promise<Ran> {
		const ran = await this.place.run({ team: this.teamName, random: this.random, adoptEqual }, command);
		const told = [...ran.changes, ...ran.failures.map((text) => `FAILED ${text}`), ...ran.notices.map((text) => `said: ${text}`)];
		if (told.length > 0) this.note("  did", told.join("\n"));
		return ran;
	}

	private addFault(rule: FaultRule): () => void {
		return this.place.server.faults.add({ ...rule, team: this.teamName });
	}
}

function describe(run: string, { parallel, refresh, replace = [] }: RunOptions, adoptEqual: boolean, faults: readonly FaultRule[]): string {
	return [
		run,
		`--parallel ${parallel}`,
		...(refresh ? ["--refresh"] : []),
		...replace.map((name) => `--replace ${name}`),
		...(adoptEqual ? ["DATACHAIN_ADOPT_EQUAL=true"] : []),
		...faults.map((rule) => JSON.stringify(rule)),
	].join(" ");
}
