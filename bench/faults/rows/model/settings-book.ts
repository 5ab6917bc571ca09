import assert from "node:assert/strict";
import type { Props } from "../../../../src/provider/handler";
import type { Colleague, PipelineView } from "../../../../src/server";
import { type Book, type Change, continues } from "./change";
import { isTriggered } from "./pipeline-book";
import type { Program, Resource } from "./stack";

/** Settings of a pipeline one by one; variables begin with a dollar sign. */
type Values = Readonly<Record<string, unknown>>;

const STORAGE_VARIABLE = "$FSSPEC_S3";
const cleared = (key: string): unknown => (key === "priority" ? 5 : undefined);
const isVariable = (key: string): boolean => key.startsWith("$");
const keysOf = (...values: readonly Values[]): string[] => [
	...new Set(values.flatMap((each) => Object.keys(each))),
];
const show = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value));

function valuesOf({ settings, paused }: PipelineView): Values {
	const variables = Object.entries(settings.environment).map(([name, value]) => [`$${name}`, value]);
	// No request unsets these two: an empty text and the default stand for it.
	const plain = { pythonVersion: settings.pythonVersion || undefined, priority: settings.priority ?? 5 };
	return { ...plain, paused, ...Object.fromEntries(variables) };
}

function declaredBy(resource: Resource | undefined): Values {
	const { pythonVersion, priority, paused, environment = {}, storage } = resource?.args ?? {};
	const variables = Object.entries(environment as Props).map(([name, value]) => [`$${name}`, value]);
	const config = storage === undefined ? {} : { [STORAGE_VARIABLE]: JSON.stringify((storage as Props).s3) };
	const all = { pythonVersion, priority, paused, ...Object.fromEntries(variables), ...config };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** `environment` declares all variables, also those that it leaves out. */
const manages = (resource: Resource | undefined, key: string): boolean =>
	resource?.kind === "PipelineSettings" &&
	(Object.hasOwn(declaredBy(resource), key) || (isVariable(key) && resource.args.environment !== undefined));

const settingsOn = (program: Program, pipeline: string): Resource | undefined =>
	program.find(({ kind, args }) => kind === "PipelineSettings" && args.pipelineName === pipeline);

/** What schedules declare of the pipeline's pause. */
const pausesOn = (program: Program, pipeline: string): unknown[] =>
	program
		.filter(({ kind, args }) => kind === "PipelineSchedule" && args.pipelineName === pipeline)
		.flatMap(({ args }) => args.paused ?? []);

/** What becomes of one pipeline: the resource that had its settings, the one that has them, and the pauses beside them. */
function courseOf({ before, after, replaced }: Change, pipeline: string) {
	const [old, next] = [settingsOn(before, pipeline), settingsOn(after, pipeline)];
	const pauses = { before: pausesOn(before, pipeline), after: pausesOn(after, pipeline) };
	/** The resource goes on as it is, without being let go in between. */
	const stays = old && next && continues(next, old) && !replaced.includes(next.name);
	return { pipeline, old, next, pauses, stays: stays === true };
}
type Course = ReturnType<typeof courseOf>;

/** A notice that the previous values of settings are not put back by a later destroy. */
export const saysLost = (notice: string): boolean => /\b(is|are) lost\b/.test(notice);

/** Settings: declared ones have their values, and all others are as somebody left them. */
export class SettingsBook implements Book {
	/** By pipeline and setting: what was there before we managed it. More than one value where the order of events decides. */
	private readonly base = new Map<string, Map<string, unknown[]>>();
	private was = new Map<string, Values>();

	constructor(private readonly team: Colleague) {
		for (const [pipeline, values] of this.now()) {
			this.base.set(pipeline, new Map(Object.entries(values).map(([key, value]) => [key, [value]])));
		}
	}

	/** A colleague set it. */
	note(pipeline: string, key: string): void {
		this.base.get(pipeline)?.set(key, [this.now().get(pipeline)?.[key]]);
	}

	look(): void {
		this.was = this.now();
	}

	blockers({ before, after }: Change): string[] {
		return after
			.filter(({ kind }) => kind === "PipelineSettings")
			.flatMap((resource) => [...this.taken(before, resource), ...this.unsendable(resource)]);
	}

	checkSafety({ before, after }: Change): void {
		for (const [pipeline, now] of this.now()) {
			const was = this.was.get(pipeline) ?? {};
			const ours = [...before, ...after].filter(({ args }) => args.pipelineName === pipeline);
			for (const key of keysOf(was, now)) {
				const isOurs = ours.some(
					(resource) => manages(resource, key) || (key === "paused" && resource.args.paused !== undefined),
				);
				const became = `became ${show(now[key])}, was ${show(was[key])}`;
				assert(isOurs || was[key] === now[key], `${key} of ${pipeline} is not ours and ${became}`);
			}
		}
	}

	checkSuccess(change: Change): void {
		for (const [pipeline, now] of this.now()) this.checkPipeline(change, pipeline, now);
	}

	private checkPipeline(change: Change, pipeline: string, now: Values): void {
		const course = courseOf(change, pipeline);
		const { old, next, pauses } = course;
		const was = this.was.get(pipeline) ?? {};
		const bases = this.base.get(pipeline) ?? new Map();
		const concerned = old ?? next ?? [...pauses.before, ...pauses.after].length > 0;
		for (const key of keysOf(was, now, declaredBy(old), declaredBy(next), Object.fromEntries(bases))) {
			const allowed = key === "paused" ? this.allowedPause(course) : this.allowed(course, key);
			const wanted = `${show(now[key])} and must be ${allowed.map(show).join(" or ")}`;
			assert(allowed.includes(now[key]), `${key} of ${pipeline} is ${wanted}`);
			const [value, declared] = [was[key], declaredBy(next)[key]];
			const consent = next?.args.adopt === true || (change.adoptEqual && value === declared);
			const isTaken = manages(next, key) && !manages(old, key) && key !== "paused" && value !== cleared(key);
			assert(!isTaken || consent, `${next?.name} took ${key} ${show(value)} of others without consent`);
			if (concerned) bases.set(key, [...new Set(this.baseAfter(course, key, now[key], change.notices))]);
		}
	}

	/** What the setting may be after the change. */
	private allowed({ pipeline, old, next, stays }: Course, key: string): unknown[] {
		if (manages(next, key)) return [declaredBy(next)[key]];
		if (!old || !manages(old, key)) return [this.was.get(pipeline)?.[key]];
		const value = declaredBy(old)[key];
		if (stays) {
			const putBack = key === STORAGE_VARIABLE && old.args.storage !== undefined;
			return putBack ? this.baseOf(pipeline, key) : [value];
		}
		const released = this.released(old, pipeline, key);
		return next ? [...released, value] : released;
	}

	private released(old: Resource, pipeline: string, key: string): unknown[] {
		const late =
			isVariable(key) && !Object.hasOwn(declaredBy(old), key) ? this.was.get(pipeline)?.[key] : undefined;
		// Somebody added it meanwhile; what a restore remembers under the same name may win.
		if (late !== undefined)
			return old.args.onDestroy === "restore" ? [late, ...this.baseOf(pipeline, key)] : [late];
		if (old.args.onDestroy === "restore") return this.baseOf(pipeline, key);
		return [old.args.onDestroy === "reset" && key !== "paused" ? cleared(key) : declaredBy(old)[key]];
	}

	private allowedPause({ pipeline, old, next, pauses, stays }: Course): unknown[] {
		const now = [...pauses.after, ...(manages(next, "paused") ? [next?.args.paused] : [])];
		if (now.length > 0) return now;
		const earlier = pauses.before;
		if (old?.args.paused === undefined)
			return earlier.length > 0 ? earlier : [this.was.get(pipeline)?.paused];
		if (stays) return [old.args.paused];
		const released = this.released(old, pipeline, "paused");
		return next || earlier.length > 0 ? [...released, old.args.paused] : released;
	}

	/** What a later `restore` may put back. */
	private baseAfter(course: Course, key: string, now: unknown, notices: readonly string[]): unknown[] {
		const { pipeline, old, next, pauses, stays } = course;
		if (!manages(next, key)) return [now];
		const declared = key === "paused" ? [...pauses.before, ...pauses.after] : [];
		const base = [...this.baseOf(pipeline, key), ...declared];
		if (!old || !manages(old, key) || stays) return base;
		const left = old.args.onDestroy === "restore" ? [] : this.released(old, pipeline, key);
		// The one place where a memory may get lost, and then it is told.
		const isLost = notices.some((text) => text.includes(`"${pipeline}"`) && saysLost(text));
		return [...base, ...left, ...(isLost ? [declaredBy(old)[key]] : [])];
	}

	/** Settings that have values of others need consent, what this stack set needs a refresh at most; the environment is taken as a whole. */
	private taken(before: Program, resource: Resource): string[] {
		const pipeline = String(resource.args.pipelineName);
		const earlier = settingsOn(before, pipeline);
		// The values that a resource of the other host has set may be secret, so that host alone knows them: they need consent.
		const old = earlier?.host === resource.host ? earlier : undefined;
		const [now, declared] = [this.now().get(pipeline) ?? {}, declaredBy(resource)];
		const given = keysOf(now, declared).filter(
			(key) => key !== "paused" && manages(resource, key) && !manages(old, key),
		);
		const differ = given.filter((key) => now[key] !== declared[key]);
		const taken = given.filter(
			(key) =>
				now[key] !== cleared(key) && (differ.includes(key) || (isVariable(key) && differ.some(isVariable))),
		);
		if (taken.length === 0 || resource.args.adopt === true) return [];
		return [`${taken.join(", ")} of ${pipeline} have values already`];
	}

	/** No request can put back a priority above 5, so `restore` is refused. */
	private unsendable(resource: Resource): string[] {
		const pipeline = String(resource.args.pipelineName);
		const isSaved = resource.args.onDestroy === "restore" && manages(resource, "priority");
		const unsendable = this.baseOf(pipeline, "priority").filter((value) => Number(value) > 5);
		return isSaved && unsendable.length > 0
			? [`priority ${unsendable.join()} of ${pipeline} cannot be put back`]
			: [];
	}

	private now(): Map<string, Values> {
		return new Map(
			this.team
				.pipelines()
				.filter((each) => !isTriggered(each))
				.map((pipeline) => [pipeline.name, valuesOf(pipeline)]),
		);
	}

	private baseOf(pipeline: string, key: string): unknown[] {
		return this.base.get(pipeline)?.get(key) ?? [undefined];
	}
}
