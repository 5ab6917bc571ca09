import type { Program, Resource, State } from "./stack";

/** Broken: the service is not what programs and colleagues made it. */
export class Violation extends Error {
	override readonly name = "Violation";
}

export function must(ok: boolean, otherwise: () => string): void {
	if (!ok) throw new Violation(otherwise());
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
	/**
	 * A plain run was tried twice: what the first left half-way, such as a name on two schedules, is mended or refused for
	 * good. (A run that refreshes first may double a name until its old schedule is deleted, at the end.)
	 */
	readonly repeated?: boolean;
	/** What the provider told. */
	readonly notices: readonly string[];
}

/** One kind of thing on the service: what others made of it, and what must become of it. */
export interface Book {
	/** The service as it was before the run that comes next. */
	look(): void;
	/** Why this program cannot be deployed without the user. */
	blockers?(change: Change): string[];
	/** Whatever happened: nothing of others has changed. */
	checkSafety(change: Change): void;
	/** After success: the service is exactly what all stacks declare and others made. */
	checkSuccess(change: Change): void;
}

/** True where the resource is the earlier one, by its name or an alias. */
export const continues = (after: Resource, before: Resource): boolean =>
	after.kind === before.kind &&
	after.host === before.host &&
	(after.name === before.name || after.aliases?.includes(before.name) === true);

/** What no request changes on an object: another value means another object. */
const identityOf = ({ args }: Resource): string =>
	JSON.stringify([args.pipelineName, args.datasets, args.triggers, args.query]);

/** What `protect` forbids. */
export const forbidden = ({ before, after }: Change): string[] =>
	before.flatMap((old) => {
		const now = after.find((resource) => continues(resource, old));
		const moved = now !== undefined && identityOf(now) !== identityOf(old);
		const ends = now === undefined || (moved && now.protect === true);
		return old.protect && ends ? [`${old.name} is protected`] : [];
	});
