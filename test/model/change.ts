import assert from "node:assert/strict";
import type { Kind } from "../../src/schemas/kinds";
import type { Entry, Program, Resource, State } from "./stack";

/** Of all stacks. */
export const entriesOf = (stacks: readonly State[], kind: Kind): Entry[] =>
	stacks.flatMap(({ entries }) => entries.filter((entry) => entry.kind === kind));

/** Each object has one owner; answers with their ids. */
export function idsOnce(entries: readonly Entry[]): string[] {
	const ids = entries.map(({ id }) => id);
	assert(
		new Set(ids).size === ids.length,
		`something is twice in the states: ${ids.join(", ")}`,
	);
	return ids;
}

/** The way from a deployed program to the next. */
export interface Change {
	readonly stack: State;
	readonly before: Program;
	readonly after: Program;
	/** Names of resources that were replaced on the user's wish. */
	readonly replaced: readonly string[];
	/** Somewhere on the way `DATACHAIN_ADOPT_EQUAL` was set. */
	readonly adoptEqual: boolean;
	/** What the state has was read before. */
	readonly refreshed?: boolean;
	/** Only a part of the program was deployed, by `--exclude` or `--target`. */
	readonly partial?: boolean;
}

/** One kind of thing on the service: what others made of it, and what must become of it. */
export interface Book {
	/** The service as it was before the command that comes next, with all its repetitions. */
	look(): void;
	/** The same before one run of the command. */
	lookBeforeRun?(): void;
	/** Why this program cannot be deployed without the user. */
	blockers?(change: Change): string[];
	/** Whatever happened: nothing of others has changed. */
	checkSafety(change: Change): void;
	/** After success: the service is exactly what all stacks declare and others made. */
	checkSuccess(change: Change): void;
	/** Each object of ours is in a state, although the run failed. */
	checkHeld?(change: Change): void;
	/** The state has dropped it without deleting its object, which belongs to nobody from then on. */
	leave?(entry: Entry): void;
}

/** True where the resource is the earlier one, by its name or an alias. */
export const continues = (after: Resource, before: Resource): boolean =>
	after.kind === before.kind &&
	after.host === before.host &&
	(after.name === before.name || after.aliases?.includes(before.name) === true);

/** What no request changes on an object: another value means another object. */
const fixedOf = ({ args }: Resource): string =>
	JSON.stringify([args.pipelineName, args.datasets, args.triggers, args.query]);

/** What `protect` forbids. */
export const forbidden = ({ before, after }: Change): string[] =>
	before.flatMap((old) => {
		const now = after.find((resource) => continues(resource, old));
		const moved = now !== undefined && fixedOf(now) !== fixedOf(old);
		const onChange = now?.replaceOnChanges?.some(
			(key) => JSON.stringify(now.args[key]) !== JSON.stringify(old.args[key]),
		);
		const ends =
			now === undefined || ((moved || onChange === true) && now.protect === true);
		return old.protect && ends ? [`${old.name} is protected`] : [];
	});
