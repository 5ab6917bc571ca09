import assert from "node:assert/strict";
import type { Props } from "../../src/provider/model/props";
import type { Colleague, PipelineView } from "../../src/server";
import { type Book, type Change, continues, entriesOf } from "./change";
import { isTriggered } from "./pipeline-book";
import { type Entry, entryOf, type Program, type Resource, type State } from "./stack";

/** Settings of a pipeline one by one; variables begin with a dollar sign. */
type Values = Readonly<Record<string, unknown>>;

const STORAGE_VARIABLE = "$FSSPEC_S3";
const DEFAULTS: Values = { priority: 5, workers: 1 };
/** What a setting is that nobody has set, and what it becomes when its owner lets it go. */
const cleared = (key: string): unknown => DEFAULTS[key];
const keysOf = (...values: readonly Values[]): string[] => [
	...new Set(values.flatMap((each) => Object.keys(each))),
];
const show = (value: unknown): string =>
	value === undefined ? "not set" : JSON.stringify(value);

function valuesOf({ settings, paused }: PipelineView): Values {
	const { pythonVersion, requirements, repository, priority, workers, environment } =
		settings;
	// No request unsets a text: an empty one stands for it.
	const texts = Object.entries({ pythonVersion, requirements, repository }).map(
		([key, text]) => [key, text || undefined],
	);
	const variables = Object.entries(environment).map(([name, value]) => [
		`$${name}`,
		value,
	]);
	return {
		...Object.fromEntries(texts),
		priority: priority ?? DEFAULTS.priority,
		workers: workers ?? DEFAULTS.workers,
		paused,
		...Object.fromEntries(variables),
	};
}

const KEYS = [
	"pythonVersion",
	"requirements",
	"repository",
	"priority",
	"workers",
	"paused",
];

/** Each declared key and variable, of `environment` and `storage` alike: a resource owns these, and no others. */
export function declaredBy(resource: Resource | undefined): Values {
	const { environment = {}, storage, ...args } = resource?.args ?? {};
	const plain = KEYS.map((key) => [key, (args as Props)[key]]);
	const variables = Object.entries(environment as Props).map(([name, value]) => [
		`$${name}`,
		value,
	]);
	const config =
		storage === undefined
			? {}
			: { [STORAGE_VARIABLE]: JSON.stringify((storage as Props).s3) };
	const all = {
		...Object.fromEntries(plain),
		...Object.fromEntries(variables),
		...config,
	};
	return Object.fromEntries(
		Object.entries(all).filter(([, value]) => value !== undefined),
	);
}

const owns = (resource: Resource | undefined, key: string): boolean =>
	resource !== undefined && Object.hasOwn(declaredBy(resource), key);

const settingsOn = (program: Program, pipeline: string): Resource | undefined =>
	program.find(
		({ kind, args }) => kind === "PipelineSettings" && args.pipelineName === pipeline,
	);

/** What schedules declare of the pipeline's pause. */
const pausesOn = (program: Program, pipeline: string): unknown[] =>
	program
		.filter(
			({ kind, args }) => kind === "PipelineSchedule" && args.pipelineName === pipeline,
		)
		.flatMap(({ args }) => args.paused ?? []);

interface Course {
	/** The resource whose keys they were, and still are unless it goes. */
	readonly old: Resource | undefined;
	/** One that goes while another resource declares the pipeline. */
	readonly left: Resource | undefined;
	readonly next: Resource | undefined;
	readonly stays: boolean;
	readonly replaced: readonly string[];
}

/** Settings: declared keys and variables have their values, and all others are as somebody left them. */
export class SettingsBook implements Book {
	/** Pipelines that somebody deleted and made again: what a resource owned is gone. */
	readonly remade = new Set<string>();
	private was = new Map<string, Values>();
	/** What the service had before the run. */
	private standing = new Map<string, Values>();
	/** What the states had before the command. */
	private had: readonly (Entry & { readonly stack: string })[] = [];

	constructor(
		private readonly team: Colleague,
		private readonly stacks: readonly State[],
	) {}

	look(): void {
		this.was = this.now();
		this.had = this.stacks.flatMap((stack) =>
			entriesOf([stack], "PipelineSettings").map((entry) => ({
				...entry,
				stack: stack.name,
			})),
		);
	}

	lookBeforeRun(): void {
		this.standing = this.now();
	}

	blockers(change: Change): string[] {
		return change.after
			.filter(({ kind }) => kind === "PipelineSettings")
			.flatMap((resource) => [
				...this.taken(change, resource),
				...this.isAnother(resource),
			]);
	}

	checkSafety(change: Change): void {
		for (const [pipeline, now] of this.now()) {
			const was = this.was.get(pipeline) ?? {};
			const { old, left, next } = this.courseOf(change, pipeline);
			for (const key of keysOf(was, now)) {
				if (was[key] === now[key]) continue;
				const became = `became ${show(now[key])}, was ${show(was[key])}`;
				const pauses =
					key === "paused"
						? pausesOn([...change.before, ...change.after], pipeline)
						: [];
				const isOurs =
					[old, left, next].some((each) => owns(each, key)) || pauses.length > 0;
				assert(isOurs, `undeclared ${key} of ${pipeline} ${became}`);
				const allowed = [
					declaredBy(old ?? left)[key],
					declaredBy(next)[key],
					...pauses,
				];
				if (owns(old ?? left, key) && key !== "paused") allowed.push(cleared(key));
				assert(
					allowed.includes(now[key]),
					`${key} of ${pipeline} ${became}, which nobody declares`,
				);
				const isForeign = this.isForeignTo(next, old, key, pipeline);
				const isLeft =
					left !== undefined &&
					change.after.some((one) => continues(one, left)) &&
					owns(left, key);
				// The resource that goes resets its own keys, and the one that comes was left out of the run: nobody has it yet.
				const isReset =
					owns(left, key) &&
					left?.args.onDestroy === "reset" &&
					now[key] === cleared(key) &&
					next !== undefined &&
					entryOf(change.stack, next) === undefined;
				const consent =
					isLeft ||
					isReset ||
					next?.args.adopt === true ||
					(change.adoptEqual && was[key] === now[key]);
				assert(
					!isForeign || consent,
					`${key} of ${pipeline} ${became}, and is of others, without consent`,
				);
				// A resource that had nothing there may set what nobody has set; so may one that a refresh took out of the state.
				const isAnother =
					this.remade.has(pipeline) && this.isInState(change.stack, pipeline);
				const mayWrite = !isAnother || change.refreshed || change.adoptEqual;
				const isConsent = mayWrite || next?.args.adopt === true || pauses.length > 0;
				assert(isConsent, `${key} of ${pipeline}, which was made again, ${became}`);
			}
		}
	}

	checkSuccess(change: Change): void {
		for (const [pipeline, now] of this.now()) {
			const course = this.courseOf(change, pipeline);
			const { old, left, next } = course;
			const was = this.was.get(pipeline) ?? {};
			for (const key of keysOf(was, now, declaredBy(old), declaredBy(next))) {
				const allowed =
					key === "paused"
						? this.allowedPause(course, pipeline, change)
						: this.allowed(course, key, was);
				const wanted = `${show(now[key])} and must be ${allowed.map(show).join(" or ")}`;
				assert(allowed.includes(now[key]), `${key} of ${pipeline} is ${wanted}`);
				const isTaken = this.isForeignTo(next, old, key, pipeline);
				// A resource that moves to another pipeline leaves what it had there to the one that comes.
				const isLeft =
					left !== undefined &&
					change.after.some((one) => continues(one, left)) &&
					owns(left, key);
				const consent =
					isLeft ||
					next?.args.adopt === true ||
					(change.adoptEqual && was[key] === declaredBy(next)[key]);
				assert(
					!isTaken || consent,
					`${next?.name} took ${key} ${show(was[key])} of others without consent`,
				);
			}
		}
		const pipelines = change.after.map(({ args }) => String(args.pipelineName));
		for (const pipeline of this.remade) {
			if (pipelines.includes(pipeline) || settingsOn(change.before, pipeline))
				this.remade.delete(pipeline);
		}
	}

	/**
	 * Whether the resource declares a key whose value others had set. What an earlier run of the command reset is nobody's: the
	 * check after that run has judged the reset.
	 */
	private isForeignTo(
		next: Resource | undefined,
		old: Resource | undefined,
		key: string,
		pipeline: string,
	): boolean {
		const isNew = owns(next, key) && !owns(old, key) && key !== "paused";
		const wasSet = this.was.get(pipeline)?.[key] !== cleared(key);
		const isStillSet = this.standing.get(pipeline)?.[key] !== cleared(key);
		return isNew && wasSet && isStillSet;
	}

	/** The resource that owned what it declared, and the one that does now. */
	private courseOf({ before, after, replaced }: Change, pipeline: string): Course {
		const [had, next] = [settingsOn(before, pipeline), settingsOn(after, pipeline)];
		// A resource of another name, or on another host, owns nothing of what this one had.
		const stays = had !== undefined && next !== undefined && continues(next, had);
		const gone = this.remade.has(pipeline);
		const old = gone ? undefined : had;
		const isOwn = old !== undefined && (next === undefined || stays);
		return {
			old: isOwn ? old : undefined,
			left: isOwn ? undefined : old,
			next,
			stays,
			replaced,
		};
	}

	private allowed(
		{ old, left, next, stays, replaced }: Course,
		key: string,
		was: Values,
	): unknown[] {
		if (owns(next, key)) return [declaredBy(next)[key]];
		const last = old ?? left;
		if (last === undefined || !owns(last, key)) return [was[key]];
		const isReset = last.args.onDestroy === "reset";
		// Another resource took the pipeline over; whether the first one's delete still clears its keys is open.
		if (left !== undefined) return isReset ? [was[key], cleared(key)] : [was[key]];
		if (stays)
			return replaced.includes(last.name) ? [was[key], cleared(key)] : [cleared(key)];
		if (last.retainOnDelete) return [was[key]];
		if (!isReset) return [was[key]];
		return last.deletedWith === undefined ? [cleared(key)] : [was[key], cleared(key)];
	}

	private allowedPause(
		{ next }: Course,
		pipeline: string,
		{ after }: Change,
	): unknown[] {
		const declared = [
			...pausesOn(after, pipeline),
			...(owns(next, "paused") ? [next?.args.paused] : []),
		];
		return declared.length > 0 ? declared : [this.was.get(pipeline)?.paused];
	}

	/** Values of others need consent, one by one; what nobody has set needs none. */
	private taken(change: Change, resource: Resource): string[] {
		const pipeline = String(resource.args.pipelineName);
		const { old } = this.courseOf(change, pipeline);
		const [now, declared] = [this.now().get(pipeline) ?? {}, declaredBy(resource)];
		const taken = Object.keys(declared).filter(
			(key) =>
				key !== "paused" &&
				!owns(old, key) &&
				now[key] !== cleared(key) &&
				now[key] !== declared[key],
		);
		if (taken.length === 0 || resource.args.adopt === true) return [];
		return [`${taken.join(", ")} of ${pipeline} have values already`];
	}

	/** Before the command, the stack's state had settings of the pipeline. */
	private isInState({ name }: State, pipeline: string): boolean {
		return this.had.some(
			({ outs, stack }) => stack === name && outs.pipelineName === pipeline,
		);
	}

	/** The pipeline has another id than in the state. */
	private isAnother({ args }: Resource): string[] {
		const pipeline = String(args.pipelineName);
		return this.remade.has(pipeline) ? [`${pipeline} was deleted and made again`] : [];
	}

	private now(): Map<string, Values> {
		return new Map(
			this.team
				.pipelines()
				.filter((each) => !isTriggered(each))
				.map((pipeline) => [pipeline.name, valuesOf(pipeline)]),
		);
	}
}
