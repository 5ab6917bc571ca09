import assert from "node:assert/strict";
import type { Colleague, ScheduleView } from "../../src/server";
import { type Book, type Change, continues, entriesOf, idsOnce } from "./change";
import { type Fold, folded, plainName } from "./spelling";
import { type Entry, entryOf, type Program, type Resource, type State } from "./stack";

/** What a schedule is to its owner; its runs and their times go on by themselves. */
const snapshot = ({
	name,
	pipelineName,
	cronExpression,
	startAfter,
	updatedAt,
}: ScheduleView): string =>
	JSON.stringify([name, pipelineName, cronExpression, startAfter, updatedAt]);

const isSchedule = ({ kind }: { kind: string }): boolean => kind === "PipelineSchedule";
/** Neither replaced nor deleted already. */
const isPresent = ({
	pendingDelete,
	pendingReplacement,
}: Pick<Entry, "pendingDelete" | "pendingReplacement">): boolean =>
	!pendingDelete && !pendingReplacement;

/** Schedules: each declared one is there once, and those of others are as their makers left them. */
export class ScheduleBook implements Book {
	/** Made or changed by a colleague, by id. */
	readonly theirs = new Map<number, ScheduleView>();
	private was: readonly ScheduleView[] = [];
	/** What the states had before the command. */
	private had: readonly Entry[] = [];
	/** Ids that the service had before the run. */
	private standing: ReadonlySet<string> = new Set();

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
		/** How the service stores names. */
		private readonly fold: Fold = "none",
		/** The service lets no two schedules share a name. */
		private readonly unique = false,
		/** A write of its own stack may show while the other stack is at work. */
		private readonly isLate = false,
	) {}

	/** A colleague made or changed it. */
	note(schedule: ScheduleView): void {
		this.theirs.set(schedule.id, schedule);
	}

	leave({ kind, id }: Entry): void {
		const left = this.team.schedules().find((each) => String(each.id) === id);
		if (kind === "PipelineSchedule" && left !== undefined) this.note(left);
	}

	look(): void {
		this.was = this.team.schedules();
		this.had = entriesOf(this.stacks, "PipelineSchedule").map((entry) => ({
			...entry,
		}));
	}

	lookBeforeRun(): void {
		this.standing = new Set(this.team.schedules().map(({ id }) => String(id)));
	}

	blockers(change: Change): string[] {
		return change.after
			.filter(isSchedule)
			.flatMap((resource) => [
				...this.takenName(change, resource),
				...this.otherSpelling(change, resource),
			]);
	}

	checkSafety(change: Change): void {
		const live = new Map(
			this.team.schedules().map((schedule) => [schedule.id, schedule]),
		);
		const adopting = change.after.filter(
			({ args }) => args.adopt === true || change.adoptEqual,
		);
		this.checkTaken(change);
		this.checkMade(change);
		for (const [id, known] of this.theirs) {
			const now = live.get(id);
			const consent = adopting.some(({ args }) => args.scheduleName === known.name);
			assert(now, `schedule ${id} of others was deleted: ${snapshot(known)}`);
			const isKept = consent || snapshot(now) === snapshot(known);
			assert(isKept, `schedule ${id} of others was changed: ${snapshot(known)}`);
		}
		for (const old of this.was) {
			const now = live.get(old.id);
			const isOthers = this.othersOf(change.stack).includes(String(old.id));
			const became = `${snapshot(old)} became ${now && snapshot(now)}`;
			assert(
				!isOthers || (now && this.isSame(old, now)),
				`a schedule of the other stack: ${became}`,
			);
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
		assert(
			left.length === 0,
			`the state still has ${left.map(({ name }) => name).join(", ")}`,
		);
		for (const resource of after) {
			const entry = entryOf(stack, resource);
			assert(entry, `${resource.name} is not in the state`);
			if (!isSchedule(resource)) continue;
			const found = live.find(({ id }) => String(id) === entry.id);
			assert(found, `schedule ${entry.id} of ${resource.name} does not exist`);
			assert(
				equals(resource, found),
				`${resource.name} is not as declared: ${snapshot(found)}`,
			);
		}
		this.checkHeld();
	}

	/** Nothing is made that no state has. */
	checkHeld(): void {
		const held = this.stacks.flatMap(({ entries }) => entries.map(({ id }) => id));
		const lost = this.team
			.schedules()
			.filter(({ id }) => !held.includes(String(id)) && !this.theirs.has(id));
		assert(lost.length === 0, `nobody has schedule ${lost.map(snapshot).join(", ")}`);
	}

	/**
	 * `retainOnDelete` keeps the old schedule of a replacement, of which the provider is not told: for it the resource, which
	 * the program still declares, gives the name up, so that this resource or another one may make a schedule of that name.
	 * Where the program drops the resource, nobody gives the name up, and a second schedule is harm.
	 */
	private isKeptByReplacement({ stack, after }: Change, id: number): boolean {
		const entry = this.had.find((each) => each.id === String(id));
		return (
			entry?.retainOnDelete === true &&
			after.some(
				(resource) =>
					resource.host === entry.host &&
					[resource.name, ...(resource.aliases ?? [])].includes(entry.name) &&
					entryOf(stack, resource)?.id !== entry.id,
			)
		);
	}

	/**
	 * Nothing is made beside what others had of the same name; so does what no resource of the program has in the state: its
	 * delete may fail or be left out.
	 */
	private checkMade(change: Change): void {
		const { stack, after, partial } = change;
		const others = this.othersOf(stack);
		const owned = stack.entries.filter(
			(entry) =>
				entry.pendingDelete ||
				after.some((resource) => entryOf(stack, resource) === entry),
		);
		const made = this.team
			.schedules()
			.filter(
				({ id }) => !this.was.some((one) => one.id === id) && !this.theirs.has(id),
			)
			.filter(({ id }) => !others.includes(String(id)));
		for (const { id, name } of made) {
			const beside = this.was.find(
				(one) =>
					one.name === name &&
					(this.theirs.has(one.id) || others.includes(String(one.id))),
			);
			assert(
				!beside || this.isKeptByReplacement(change, beside.id),
				`schedule ${id} was made beside ${beside?.id} of others, which has its name`,
			);
			const left = stack.entries.find(
				(entry) =>
					isSchedule(entry) &&
					!owned.includes(entry) &&
					entry.outs.scheduleName === name &&
					// A delete of an earlier run may be done, and the state not know it.
					this.standing.has(entry.id),
			);
			assert(
				!left || partial,
				`schedule ${id} was made beside ${left?.id} of ${left?.name}, which the program no longer has`,
			);
		}
	}

	/** A name that the service stores in another form, or that differs from one that exists only in its spelling, may be refused. */
	private otherSpelling({ after }: Change, resource: Resource): string[] {
		const name = String(resource.args.scheduleName);
		const declared = after.flatMap(({ args }) =>
			args === resource.args ? [] : [String(args.scheduleName)],
		);
		const known = [...this.team.schedules().map((one) => one.name), ...declared];
		const alike = known.some(
			(other) => other !== name && plainName(other) === plainName(name),
		);
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
			assert(
				isAsked,
				`${entry.name} took schedule ${entry.id} of others without consent`,
			);
		}
	}

	/** The state has it, and the program neither removes nor replaces it. */
	private stays({ stack, after, replaced, adoptEqual }: Change, id: string): boolean {
		const entry = stack.entries.find(
			(each) => isSchedule(each) && isPresent(each) && each.id === id,
		);
		const resource = entry && after.find((each) => entryOf(stack, each) === entry);
		if (resource === undefined || replaced.includes(resource.name)) return false;
		// With consent to what is equal, a rename to the name of such a schedule is a replacement by it.
		const mayMove =
			adoptEqual && resource.args.scheduleName !== entry?.outs.scheduleName;
		return !mayMove && resource.args.pipelineName === entry?.outs.pipelineName;
	}

	private othersOf(stack: State): string[] {
		const others = this.stacks.filter(({ name }) => name !== stack.name);
		return entriesOf(others, "PipelineSchedule").map(({ id }) => id);
	}

	/** A new, renamed or replaced schedule needs a name that nobody else has, or consent. */
	private takenName(change: Change, resource: Resource): string[] {
		const { stack, before, after, replaced } = change;
		const entry = entryOf(stack, resource);
		const { scheduleName, pipelineName, adopt } = resource.args;
		const earlier = before.find((each) => continues(resource, each));
		const onChange = resource.replaceOnChanges?.some(
			(key) =>
				JSON.stringify(earlier?.args[key]) !== JSON.stringify(resource.args[key]),
		);
		const moved = earlier?.args.pipelineName !== pipelineName;
		const exists = this.team.schedules().some(({ id }) => String(id) === entry?.id);
		const made = replaced.includes(resource.name) || moved || onChange === true;
		if (
			entry &&
			isPresent(entry) &&
			exists &&
			entry.outs.scheduleName === scheduleName &&
			!made
		)
			return [];
		const taken = `the name ${String(scheduleName)} of ${resource.name} is taken`;
		const all = this.team.schedules().filter(({ name }) => name === scheduleName);
		if (this.unique && all.length > 0) return [`${taken}, and names are unique`];
		// What another resource of the program has it gives up, unless its turn comes only after this one's.
		const isGivenUp = (id: string) =>
			after.some(
				(other) =>
					isPresent(entryOf(stack, other) ?? { pendingDelete: true }) &&
					entryOf(stack, other)?.id === id &&
					!comesAfter(after, other, resource),
			);
		const inTheWay = all.filter(
			({ id }) => String(id) !== entry?.id && !isGivenUp(String(id)),
		);
		const consented = inTheWay.filter(
			(one) =>
				!this.othersOf(stack).includes(String(one.id)) && this.mayTake(resource, one),
		);
		const isAdopted =
			inTheWay.length === 1 &&
			consented.length === 1 &&
			(adopt !== true || all.length === 1);
		return inTheWay.length === 0 || ((!exists || made) && isAdopted) ? [] : [taken];
	}

	private mayTake(resource: Resource, one: ScheduleView): boolean {
		const { pipelineName, paused, adopt } = resource.args;
		const pipeline = this.team.pipelines().find(({ name }) => name === pipelineName);
		const equal =
			equals(resource, one) && (paused === undefined || pipeline?.paused === paused);
		return adopt === true ? one.pipelineName === pipelineName : equal;
	}
}

/** Whether the one depends on the other, directly or over others. */
function comesAfter(program: Program, one: Resource, other: Resource): boolean {
	const needed = [...(one.dependsOn ?? []), one.deletedWith];
	const before = program.filter(({ name }) => needed.includes(name));
	return before.some((each) => each === other || comesAfter(program, each, other));
}

function equals({ args }: Resource, found: ScheduleView): boolean {
	const { scheduleName, pipelineName, cronExpression, startAfter } = args;
	const start =
		startAfter === undefined || Date.parse(String(startAfter)) === found.startAfter;
	return (
		found.name === scheduleName &&
		found.pipelineName === pipelineName &&
		found.cronExpression === cronExpression &&
		start
	);
}
