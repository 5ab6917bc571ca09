import type { Props } from "../../../../src/provider/handler";
import type { Colleague, PipelineView, ScheduleView } from "../../../../src/server";
import type { Program, Resource } from "./program";
import { entryOf, type Stack } from "./stack";

/** Settings of a pipeline one by one; variables begin with a dollar sign. */
type Values = Readonly<Record<string, unknown>>;

/** Broken: the service is not what programs and colleagues made it. */
export class Violation extends Error {
	override readonly name = "Violation";
}

const STORAGE_VARIABLE = "$FSSPEC_S3";
const cleared = (key: string): unknown => (key === "priority" ? 5 : undefined);
const isVariable = (key: string): boolean => key.startsWith("$");

function valuesOf({ settings, paused }: PipelineView): Values {
	const variables = Object.entries(settings.environment).map(([name, value]) => [`$${name}`, value]);
	// No request unsets these two: an empty text and the default stand for it.
	const plain = { pythonVersion: settings.pythonVersion || undefined, priority: settings.priority ?? 5 };
	return { ...plain, paused, ...Object.fromEntries(variables) };
}

function declaredBy({ args }: Resource): Values {
	const { pythonVersion, priority, paused, environment = {}, storage } = args;
	const variables = Object.entries(environment as Props).map(([name, value]) => [`$${name}`, value]);
	const config = storage === undefined ? {} : { [STORAGE_VARIABLE]: JSON.stringify((storage as Props).s3) };
	const all = { pythonVersion, priority, paused, ...Object.fromEntries(variables), ...config };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** `environment` declares all variables, also those that it leaves out. */
const manages = (resource: Resource | undefined, key: string): boolean =>
	resource !== undefined &&
	(Object.hasOwn(declaredBy(resource), key) || (isVariable(key) && resource.args.environment !== undefined));

const settingsOn = (program: Program, pipeline: string): Resource | undefined =>
	program.find(({ kind, args }) => kind === "PipelineSettings" && args.pipelineName === pipeline);

/** What schedules declare of the pipeline's pause. */
const pausesOn = (program: Program, pipeline: string): unknown[] =>
	program.flatMap(({ kind, args }) =>
		kind === "PipelineSchedule" && args.pipelineName === pipeline && args.paused !== undefined
			? [args.paused]
			: [],
	);

const continues = (after: Resource, before: Resource): boolean =>
	after.name === before.name || after.aliases?.includes(before.name) === true;

/** One step from a deployed program to the next. */
export interface Change {
	readonly stack: Stack;
	readonly before: Program;
	readonly after: Program;
	/** Names of resources that were replaced on the user's wish. */
	readonly replaced: readonly string[];
	/** Somewhere on the way `DATACHAIN_ADOPT_EQUAL` was set. */
	readonly adoptEqual: boolean;
	/** What the provider told. */
	readonly notices: readonly string[];
}

/** What others made, what they left in the settings, and what must become of both. */
export class Books {
	/** Schedules that no stack has, as their makers left them. */
	private readonly foreign = new Map<number, string>();
	/** By pipeline and setting: what was there before we managed it. More than one value where the order of events decides. */
	private readonly base = new Map<string, unknown[]>();
	private schedules: readonly ScheduleView[] = [];
	private pipelines = new Map<string, Values>();

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly Stack[],
	) {
		this.look();
		for (const [pipeline, values] of this.pipelines) {
			for (const [key, value] of Object.entries(values)) this.setBase(pipeline, key, [value]);
		}
	}

	/** The service as it was before the run that comes next. */
	look(): void {
		this.schedules = this.team.schedules();
		this.pipelines = this.values();
	}

	/** A colleague made or changed it. */
	theirSchedule(schedule: ScheduleView): void {
		this.foreign.set(schedule.id, snapshot(schedule));
	}

	theirSetting(pipeline: string, key: string): void {
		this.setBase(pipeline, key, [this.values().get(pipeline)?.[key]]);
	}

	isTheirs(id: number): boolean {
		return this.foreign.has(id);
	}

	forgetSchedule(id: number): void {
		this.foreign.delete(id);
	}

	/** Why this program cannot be deployed without the user: a name or a setting that is taken, or a protection. */
	blockers(change: Change): string[] {
		const { before, after } = change;
		return [
			...after.flatMap((resource) =>
				resource.kind === "PipelineSchedule"
					? this.takenName(change, resource)
					: this.takenSettings(before, after, resource),
			),
			...before.flatMap((old) => {
				const now = after.find((resource) => resource.kind === old.kind && continues(resource, old));
				const moved = now !== undefined && now.args.pipelineName !== old.args.pipelineName;
				return old.protect && (now === undefined || (moved && now.protect))
					? [`${old.name} is protected`]
					: [];
			}),
		];
	}

	/** Whatever happened: nothing of others has changed, and no object has two owners or lost its owner's object. */
	checkSafety(change: Change): void {
		const { stack, before, after } = change;
		const live = new Map(this.team.schedules().map((schedule) => [schedule.id, schedule]));
		this.checkTaken(change);
		const adopting = after.filter(({ args }) => args.adopt === true || change.adoptEqual);
		for (const [id, known] of this.foreign) {
			const now = live.get(id);
			const consent = adopting.some(({ args }) =>
				known.startsWith(JSON.stringify([args.scheduleName]).slice(0, -1)),
			);
			if (now === undefined) throw new Violation(`schedule ${id} of others was deleted: ${known}`);
			if (snapshot(now) !== known && !consent)
				throw new Violation(`schedule ${id} of others was changed: ${known} became ${snapshot(now)}`);
		}
		// What was taken with consent stays in the state it was taken from until that one's own turn.
		if (adopting.length === 0) this.checkOwners();
		for (const { name, entries } of this.stacks) {
			if (name === stack.name) continue;
			for (const { id } of entries.filter(({ kind }) => kind === "PipelineSchedule")) {
				const old = this.schedules.find((schedule) => String(schedule.id) === id);
				const now = live.get(Number(id));
				if (old && (!now || snapshot(now) !== snapshot(old))) {
					throw new Violation(`schedule ${id} of stack ${name} was ${now ? "changed" : "deleted"}`);
				}
			}
		}
		for (const entry of stack.entries.filter(
			({ kind, pendingDelete, pendingReplacement }) =>
				kind === "PipelineSchedule" && !pendingDelete && !pendingReplacement,
		)) {
			const declared = after.find((resource) => entryOf(stack, resource) === entry);
			const leaves =
				declared === undefined ||
				declared.args.pipelineName !== entry.outputs.pipelineName ||
				change.replaced.includes(declared.name);
			const wasThere = this.schedules.some(({ id }) => String(id) === entry.id);
			if (!live.has(Number(entry.id)) && wasThere && !leaves)
				throw new Violation(`schedule ${entry.id} (${entry.name}) is in the state and was deleted`);
		}
		for (const [pipeline, now] of this.values()) {
			const was = this.pipelines.get(pipeline) ?? {};
			for (const key of keysOf(was, now)) {
				const ours = [...before, ...after].some(
					(resource) =>
						resource.args.pipelineName === pipeline &&
						(manages(resource, key) || (key === "paused" && resource.args.paused !== undefined)),
				);
				if (!ours && was[key] !== now[key])
					throw new Violation(
						`${key} of ${pipeline} is not ours and became ${String(now[key])}, was ${String(was[key])}`,
					);
			}
		}
	}

	/** After success: the service is exactly what all stacks declare and others made. */
	checkSuccess(change: Change): void {
		this.checkSchedules(change);
		for (const [pipeline, now] of this.values()) this.checkSettings(change, pipeline, now);
	}

	/** A schedule of others that is in a state is ours from then on, and there must be consent. */
	private checkTaken({ stack, after, adoptEqual }: Change): void {
		for (const entry of stack.entries) {
			if (entry.kind !== "PipelineSchedule" || !this.foreign.has(Number(entry.id))) continue;
			const consent =
				adoptEqual || after.find((resource) => entryOf(stack, resource) === entry)?.args.adopt === true;
			if (!consent) throw new Violation(`${entry.name} took schedule ${entry.id} of others without consent`);
			this.foreign.delete(Number(entry.id));
		}
	}

	private checkOwners(): void {
		const held = this.stacks
			.flatMap(({ entries }) => entries)
			.filter(
				({ kind, pendingDelete, pendingReplacement }) =>
					kind === "PipelineSchedule" && !pendingDelete && !pendingReplacement,
			);
		for (const { id, name } of held) {
			const owners = held.filter((other) => other.id === id).length;
			if (owners > 1) throw new Violation(`schedule ${id} (${name}) is in ${owners} places of the states`);
		}
	}

	private checkSchedules({ stack, after }: Change): void {
		this.checkOwners();
		const live = this.team.schedules();
		const left = stack.entries.filter(
			(entry) => !after.some((resource) => entryOf(stack, resource) === entry),
		);
		if (left.length > 0)
			throw new Violation(`the state still has ${left.map(({ name }) => name).join(", ")}`);
		for (const resource of after) {
			const entry = entryOf(stack, resource);
			if (entry === undefined) throw new Violation(`${resource.name} is not in the state`);
			if (resource.kind !== "PipelineSchedule") continue;
			const { scheduleName, pipelineName, cronExpression, startAfter } = resource.args;
			const found = live.find(({ id }) => String(id) === entry.id);
			if (found === undefined) throw new Violation(`schedule ${entry.id} of ${resource.name} does not exist`);
			const start = typeof startAfter === "string" ? Date.parse(startAfter) : found.startAfter;
			const declared = JSON.stringify([scheduleName, pipelineName, cronExpression, start]);
			const actual = JSON.stringify([
				found.name,
				found.pipelineName,
				found.cronExpression ?? undefined,
				found.startAfter,
			]);
			if (declared !== actual)
				throw new Violation(`${resource.name} declares ${declared}, and the service has ${actual}`);
		}
		const ids = this.stacks.flatMap(({ entries }) => entries.map(({ id }) => id));
		const doubled = live.filter(({ id }) => !ids.includes(String(id)) && !this.foreign.has(id));
		if (doubled.length > 0)
			throw new Violation(
				`nobody has ${doubled.map((one) => `schedule ${one.id} ${snapshot(one)}`).join(", ")}`,
			);
	}

	private checkSettings(change: Change, pipeline: string, now: Values): void {
		const [old, next] = [settingsOn(change.before, pipeline), settingsOn(change.after, pipeline)];
		const was = this.pipelines.get(pipeline) ?? {};
		const keys = keysOf(
			was,
			now,
			old ? declaredBy(old) : {},
			next ? declaredBy(next) : {},
			this.basesOf(pipeline),
		);
		const concerned = [...change.before, ...change.after].some(
			({ kind, args }) =>
				args.pipelineName === pipeline && (kind === "PipelineSettings" || args.paused !== undefined),
		);
		for (const key of keys) {
			const allowed = this.allowed(change, pipeline, key, was);
			if (!allowed.includes(now[key])) {
				throw new Violation(
					`${key} of ${pipeline} is ${show(now[key])} and must be ${allowed.map(show).join(" or ")}`,
				);
			}
			if (next && manages(next, key) && !manages(old, key) && key !== "paused")
				this.checkConsent(change, next, key, was);
			if (concerned) this.setBase(pipeline, key, this.baseAfter(change, pipeline, key, now[key]));
		}
	}

	private checkConsent({ adoptEqual }: Change, next: Resource, key: string, was: Values): void {
		const [value, declared] = [was[key], declaredBy(next)[key]];
		if (value === cleared(key) || next.args.adopt === true || (adoptEqual && value === declared)) return;
		throw new Violation(`${next.name} took ${key} ${show(value)} of others without consent`);
	}

	/** What the setting may be after the change. */
	private allowed({ before, after }: Change, pipeline: string, key: string, was: Values): unknown[] {
		const [old, next] = [settingsOn(before, pipeline), settingsOn(after, pipeline)];
		if (key === "paused") return this.allowedPause(before, after, pipeline);
		if (next && manages(next, key)) return [declaredBy(next)[key]];
		if (!old || !manages(old, key)) return [was[key]];
		const value = declaredBy(old)[key];
		if (next && continues(next, old)) {
			const putBack = key === STORAGE_VARIABLE && old.args.storage !== undefined;
			return putBack ? this.baseOf(pipeline, key) : [value];
		}
		const released = this.released(old, pipeline, key);
		return next ? [...released, value] : released;
	}

	private released(old: Resource, pipeline: string, key: string): unknown[] {
		if (old.args.onDestroy === "restore") return this.baseOf(pipeline, key);
		if (old.args.onDestroy === "reset" && key !== "paused") return [cleared(key)];
		return [declaredBy(old)[key]];
	}

	private allowedPause(before: Program, after: Program, pipeline: string): unknown[] {
		const [old, next] = [settingsOn(before, pipeline), settingsOn(after, pipeline)];
		const now = [
			...pausesOn(after, pipeline),
			...(next?.args.paused === undefined ? [] : [next.args.paused]),
		];
		if (now.length > 0) return now;
		const earlier = pausesOn(before, pipeline);
		if (old?.args.paused === undefined)
			return earlier.length > 0 ? earlier : [this.pipelines.get(pipeline)?.paused];
		if (next && continues(next, old)) return [old.args.paused];
		const released = this.released(old, pipeline, "paused");
		return next || earlier.length > 0 ? [...released, old.args.paused] : released;
	}

	/** What a later `restore` may put back. */
	private baseAfter(
		{ before, after, replaced, notices }: Change,
		pipeline: string,
		key: string,
		now: unknown,
	): unknown[] {
		const [old, next] = [settingsOn(before, pipeline), settingsOn(after, pipeline)];
		if (!next || !manages(next, key)) return [now];
		const base = this.baseOf(pipeline, key);
		const pauses = key === "paused" ? [...pausesOn(before, pipeline), ...pausesOn(after, pipeline)] : [];
		if (!old || !manages(old, key)) return [...base, ...pauses];
		if (continues(next, old) && !replaced.includes(next.name)) return [...base, ...pauses];
		const left = old.args.onDestroy === "restore" ? [] : this.released(old, pipeline, key);
		// The one place where a memory may get lost, and then it is told.
		const forgotten = notices.some((text) => text.includes(`"${pipeline}"`) && text.includes("forgotten"));
		return [...base, ...pauses, ...left, ...(forgotten ? [declaredBy(old)[key]] : [])];
	}

	/** A new, renamed or replaced schedule needs a name that nobody else has, or consent. */
	private takenName({ stack, before, after, replaced }: Change, resource: Resource): string[] {
		const entry = entryOf(stack, resource);
		const { scheduleName, pipelineName, cronExpression, startAfter, paused, adopt } = resource.args;
		const old = before.find((each) => each.kind === resource.kind && continues(resource, each));
		const stays =
			entry !== undefined &&
			!entry.pendingReplacement &&
			entry.outputs.scheduleName === scheduleName &&
			old?.args.pipelineName === pipelineName;
		if (stays) return [];
		const isNew = entry === undefined || old?.args.pipelineName !== pipelineName;
		const keeper = (id: number) => stack.entries.find((other) => other.id === String(id) && other !== entry);
		// What `--replace` makes anew is deleted at the end, like what the program no longer has; what depends on this
		// resource is heard of only after it.
		const staying = (id: number) =>
			after.some(
				(other) =>
					entryOf(stack, other) === keeper(id) &&
					!replaced.includes(other.name) &&
					!dependsOn(after, other, resource),
			);
		const namesakes = this.team
			.schedules()
			.filter(
				({ id, name }) => name === scheduleName && String(id) !== entry?.id && !(keeper(id) && staying(id)),
			);
		const others = this.stacks
			.filter(({ name }) => name !== stack.name)
			.flatMap(({ entries }) => entries.map(({ id }) => id));
		const equal = namesakes.filter((one) => {
			if (others.includes(String(one.id))) return false;
			const start = startAfter === undefined || Date.parse(String(startAfter)) === one.startAfter;
			const pause = paused === undefined || this.values().get(String(pipelineName))?.paused === paused;
			return (
				one.pipelineName === pipelineName &&
				(adopt === true || (one.cronExpression === cronExpression && start && pause))
			);
		});
		if (namesakes.length === 0 || (isNew && namesakes.length === 1 && equal.length === 1)) return [];
		return [`the name ${String(scheduleName)} of ${resource.name} is taken`];
	}

	/** Settings that have values nobody gave up need consent. */
	private takenSettings(before: Program, after: Program, resource: Resource): string[] {
		const pipeline = String(resource.args.pipelineName);
		const old = settingsOn(before, pipeline);
		const handedOver =
			old !== undefined && after.some((each) => each.kind === old.kind && continues(each, old));
		const now = this.values().get(pipeline) ?? {};
		const declared = declaredBy(resource);
		const given = keysOf(now, declared).filter(
			(key) => key !== "paused" && manages(resource, key) && !(handedOver && manages(old, key)),
		);
		const differs = (key: string) => now[key] !== declared[key];
		const variablesDiffer = given.some((key) => isVariable(key) && differs(key));
		// The environment is taken as a whole.
		const taken = given.filter(
			(key) => now[key] !== cleared(key) && (differs(key) || (isVariable(key) && variablesDiffer)),
		);
		return taken.length === 0 || resource.args.adopt === true
			? []
			: [`${taken.join(", ")} of ${pipeline} have values already`];
	}

	private values(): Map<string, Values> {
		return new Map(this.team.pipelines().map((pipeline) => [pipeline.name, valuesOf(pipeline)]));
	}

	private baseOf(pipeline: string, key: string): unknown[] {
		return this.base.get(`${pipeline} ${key}`) ?? [undefined];
	}

	private basesOf(pipeline: string): Values {
		const keys = [...this.base.keys()].filter((key) => key.startsWith(`${pipeline} `));
		return Object.fromEntries(keys.map((key) => [key.slice(pipeline.length + 1), undefined]));
	}

	private setBase(pipeline: string, key: string, values: readonly unknown[]): void {
		this.base.set(`${pipeline} ${key}`, [...new Set(values)]);
	}
}

const dependsOn = (program: Program, resource: Resource, other: Resource): boolean =>
	resource.dependsOn?.some((name) => {
		const next = program.find((each) => each.name === name);
		return next === other || (next !== undefined && dependsOn(program, next, other));
	}) === true;

const keysOf = (...values: readonly Values[]): string[] => [
	...new Set(values.flatMap((each) => Object.keys(each))),
];
const show = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value));

/** What a schedule is to its owner; its runs and their times go on by themselves. */
const snapshot = ({
	name,
	pipelineName,
	cronExpression,
	startAfter,
	createdAt,
	createdBy,
	updatedAt,
}: ScheduleView): string =>
	JSON.stringify([name, pipelineName, cronExpression, startAfter, createdAt, createdBy, updatedAt]);
