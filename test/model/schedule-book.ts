import assert from "node:assert/strict";
import type { Colleague, ScheduleView } from "../../../../src/server";
import { type Book, type Change, continues, entriesOf, idsOnce } from "./change";
import { type Fold, folded, plainName } from "./spelling";
import { type Entry, entryOf, type Resource, type State } from "./stack";

/** What a schedule is to its owner; its runs and their times go on by themselves. */
const snapshot = ({ name, pipelineName, cronExpression, startAfter, updatedAt }: ScheduleView): string =>
	JSON.stringify([name, pipelineName, cronExpression, startAfter, updatedAt]);

const isSchedule = ({ kind }: { kind: string }): boolean => kind === "PipelineSchedule";
/** Neither replaced nor deleted already. */
const isPresent = ({ pendingDelete, pendingReplacement }: Entry): boolean =>
	!pendingDelete && !pendingReplacement;

/** Schedules: each declared one is there once, and those of others are as their makers left them. */
export class ScheduleBook implements Book {
	/** Made or changed by a colleague, by id. */
	readonly theirs = new Map<number, ScheduleView>();
	private was: readonly ScheduleView[] = [];

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
		/** How the service stores names. */
		private readonly fold: Fold = "none",
		/** A write of its own stack may show while the other stack is at work. */
		private readonly isLate = false,
	) {}

	/** A colleague made or changed it. */
	note(schedule: ScheduleView): void {
		this.theirs.set(schedule.id, schedule);
	}

	look(): void {
		this.was = this.team.schedules();
	}

	blockers(change: Change): string[] {
		return change.after
			.filter(isSchedule)
			.flatMap((resource) => [...this.takenName(change, resource), ...this.otherSpelling(change, resource)]);
	}

	checkSafety(change: Change): void {
		const live = new Map(this.team.schedules().map((schedule) => [schedule.id, schedule]));
		const adopting = change.after.filter(({ args }) => args.adopt === true || change.adoptEqual);
		this.checkTaken(change);
		this.checkNames(change);
		for (const [id, known] of this.theirs) {
			const now = live.get(id);
			const consent = adopting.some(({ args }) => args.scheduleName === known.name);
			assert(now, `schedule ${id} of others was deleted: ${snapshot(known)}`);
			const isKept = consent || snapshot(now) === snapshot(known);
			assert(isKept, `schedule ${id} of others was changed: ${snapshot(known)}`);
		}
		// What was taken with consent stays in the state it was taken from until that one's own turn.
		if (adopting.length === 0) idsOnce(entriesOf(this.stacks, "PipelineSchedule").filter(isPresent));
		for (const old of this.was) {
			const now = live.get(old.id);
			const isOthers = this.othersOf(change.stack).includes(String(old.id));
			const became = `${snapshot(old)} became ${now && snapshot(now)}`;
			assert(!isOthers || (now && this.isSame(old, now)), `a schedule of the other stack: ${became}`);
			assert(
				now || !this.stays(change, String(old.id)),
				`schedule ${old.id} is in the state and was deleted`,
			);
		}
	}

	private isSame(old: ScheduleView, now: ScheduleView): boolean {
		const { updatedAt } = this.isLate ? old : now;
		return snapshot({ ...now, updatedAt }) === snapshot(old);
	}

	checkSuccess({ stack, after }: Change): void {
		idsOnce(entriesOf(this.stacks, "PipelineSchedule").filter(isPresent));
		const live = this.team.schedules();
		const left = stack.entries.filter(
			(entry) => !after.some((resource) => entryOf(stack, resource) === entry),
		);
		assert(left.length === 0, `the state still has ${left.map(({ name }) => name).join(", ")}`);
		for (const resource of after) {
			const entry = entryOf(stack, resource);
			assert(entry, `${resource.name} is not in the state`);
			if (!isSchedule(resource)) continue;
			const found = live.find(({ id }) => String(id) === entry.id);
			assert(found, `schedule ${entry.id} of ${resource.name} does not exist`);
			assert(equals(resource, found), `${resource.name} is not as declared: ${snapshot(found)}`);
			if (!this.was.some(({ id }) => id === found.id)) this.checkBeside(stack, found);
		}
		const held = this.stacks.flatMap(({ entries }) => entries.map(({ id }) => id));
		const lost = live.filter(({ id }) => !held.includes(String(id)) && !this.theirs.has(id));
		assert(lost.length === 0, `nobody has schedule ${lost.map(snapshot).join(", ")}`);
	}

	/** Nothing is made beside what others had of the same name. */
	private checkBeside(stack: State, made: ScheduleView): void {
		const others = this.othersOf(stack);
		const beside = this.was.find(
			({ id, name }) => name === made.name && (this.theirs.has(id) || others.includes(String(id))),
		);
		assert(!beside, `schedule ${made.id} was made beside ${beside?.id} of others, which has its name`);
	}

	/** A name that the service stores in another form, or that differs from one that exists only in its spelling, may be refused. */
	private otherSpelling({ after }: Change, resource: Resource): string[] {
		const name = String(resource.args.scheduleName);
		const declared = after.flatMap(({ args }) => (args === resource.args ? [] : [String(args.scheduleName)]));
		const known = [...this.team.schedules().map((one) => one.name), ...declared];
		const alike = known.some((other) => other !== name && plainName(other) === plainName(name));
		return alike || folded(this.fold, name) !== name
			? [`the name of ${resource.name} has another spelling`]
			: [];
	}

	/** A schedule of others that is in a state is ours from then on, and there must be consent. */
	private checkTaken({ stack, after, adoptEqual }: Change): void {
		for (const entry of stack.entries.filter(isSchedule)) {
			if (!this.theirs.delete(Number(entry.id))) continue;
			const resource = after.find((each) => entryOf(stack, each) === entry);
			const isAsked = adoptEqual || resource?.args.adopt === true;
			assert(isAsked, `${entry.name} took schedule ${entry.id} of others without consent`);
		}
	}

	/** A run may be refused, but repeating it leaves no second schedule of a name behind. */
	private checkNames({ stack, after, replaced, repeated }: Change): void {
		// Who asks for the new one before the old one is deleted gets both until the end of a run; so does `--replace`.
		const newFirst = replaced.length > 0 || after.some((resource) => resource.deleteBeforeReplace === false);
		if (!repeated || newFirst) return;
		const others = this.othersOf(stack);
		const ours = (all: readonly ScheduleView[]) =>
			all.filter(({ id }) => !this.theirs.has(id) && !others.includes(String(id))).map(({ name }) => name);
		const count = (names: readonly string[], name: string) => names.filter((each) => each === name).length;
		const [before, now] = [ours(this.was), ours(this.team.schedules())];
		const doubled = now.filter((name) => count(now, name) > Math.max(1, count(before, name)));
		assert(doubled.length === 0, `the run left two schedules named ${doubled.join(", ")}`);
	}

	/** The state has it, and the program neither removes nor replaces it. */
	private stays({ stack, after, replaced, adoptEqual }: Change, id: string): boolean {
		const entry = stack.entries.find((each) => isSchedule(each) && isPresent(each) && each.id === id);
		const resource = entry && after.find((each) => entryOf(stack, each) === entry);
		if (resource === undefined || replaced.includes(resource.name)) return false;
		// With consent to what is equal, a rename to the name of such a schedule is a replacement by it.
		const mayMove = adoptEqual && resource.args.scheduleName !== entry?.outs.scheduleName;
		return !mayMove && resource.args.pipelineName === entry?.outs.pipelineName;
	}

	private othersOf(stack: State): string[] {
		const others = this.stacks.filter(({ name }) => name !== stack.name);
		return entriesOf(others, "PipelineSchedule").map(({ id }) => id);
	}

	/** A new, renamed or replaced schedule needs a name that nobody else has, or consent. */
	private takenName(change: Change, resource: Resource): string[] {
		const { stack, before, replaced } = change;
		const entry = entryOf(stack, resource);
		const { scheduleName, pipelineName } = resource.args;
		const moved = before.find((each) => continues(resource, each))?.args.pipelineName !== pipelineName;
		const exists = this.team.schedules().some(({ id }) => String(id) === entry?.id);
		const made = replaced.includes(resource.name) || moved;
		if (entry && isPresent(entry) && exists && entry.outs.scheduleName === scheduleName && !made) return [];
		// What this stack has itself it frees in time, or in a run that refreshes first.
		const ours = stack.entries.filter(isSchedule).map(({ id }) => id);
		const all = this.team.schedules().filter(({ name }) => name === scheduleName);
		const namesakes = all.filter(({ id }) => !ours.includes(String(id)));
		const severalToAdopt = resource.args.adopt === true && all.length > 1;
		const consented = namesakes.filter(
			(one) => !this.othersOf(stack).includes(String(one.id)) && this.mayTake(resource, one),
		);
		const isNew = !exists || made;
		if (
			namesakes.length === 0 ||
			(isNew && !severalToAdopt && namesakes.length === 1 && consented.length === 1)
		)
			return [];
		return [`the name ${String(scheduleName)} of ${resource.name} is taken`];
	}

	private mayTake(resource: Resource, one: ScheduleView): boolean {
		const { pipelineName, paused, adopt } = resource.args;
		const pipeline = this.team.pipelines().find(({ name }) => name === pipelineName);
		const equal = equals(resource, one) && (paused === undefined || pipeline?.paused === paused);
		return adopt === true ? one.pipelineName === pipelineName : equal;
	}
}

function equals({ args }: Resource, found: ScheduleView): boolean {
	const { scheduleName, pipelineName, cronExpression, startAfter } = args;
	const start = startAfter === undefined || Date.parse(String(startAfter)) === found.startAfter;
	return (
		found.name === scheduleName &&
		found.pipelineName === pipelineName &&
		found.cronExpression === cronExpression &&
		start
	);
}
