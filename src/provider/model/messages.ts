import { ApiError } from "../../client";
import { messageOf } from "../../text/wording";

/**
 * A resource's identity: its URN, `urn:pulumi:<stack>::<project>::<parent type>$<type>::<name>`, or the part behind
 * stack and project, which tells the resources of one deployment apart as well.
 */
interface UrnParts {
	/** Whose deployment it is; undefined if the URN does not say. */
	readonly program: Program | undefined;
	/** Types of the parents, outermost first. */
	readonly parents: readonly string[];
	readonly type: string;
	readonly name: string;
}

export interface Program {
	readonly stack: string;
	readonly project: string;
}

export function parseUrn(urn: string): UrnParts | undefined {
	const match = /(?:urn:pulumi:(.+?)::(.+?)::)?(.+?)::(.+)/s.exec(urn);
	if (!match) return undefined;
	const [, stack, project = "", types = "", name = ""] = match;
	const parents = types.split("$");
	const type = parents.pop() ?? "";
	const program = stack === undefined ? undefined : { stack, project };
	return { program, parents, type, name };
}

/** The resource as a message names it: its name in the program, below which component if it has a parent. */
export function resourceName(urn: string): string {
	const parts = parseUrn(urn);
	if (parts === undefined) return "a resource without a name";
	const below = parts.parents.length > 0 ? ` (in ${parts.parents.join(" > ")})` : "";
	return `"${parts.name}"${below}`;
}

/** Parts of messages that several kinds share: what a user can do next, and how long ago something was. */

/** The environment variable by which the user consents to adopt equal objects. */
export const ADOPT_EQUAL = "DATACHAIN_ADOPT_EQUAL";

/** The one procedure for a create whose outcome is unknown, whichever message names it. */
export const adoptEqualOnce = `run "${ADOPT_EQUAL}=true pulumi up" once. It adopts an equal object, or creates one if there is none.`;

/** The engine tells the provider nothing of a resource that the program no longer has. */
export const ifRenamedResource =
	"If a resource of this stack that you renamed or moved manages it, declare its earlier name in aliases.";

/** The engine then tells the provider nothing of the object that the resource has. */
export const ifForcedReplacement =
	"If you asked for a replacement (--replace, or a tainted resource), set the resource option deleteBeforeReplace to true.";

export const ifInterrupted = (made: string): string =>
	`If an interrupted deployment created ${made}, ${adoptEqualOnce}`;

/** For an object that is left alone, because it may be what an interrupted deployment left or what somebody wants. */
export const ifLeftBehind = ifInterrupted("it");

/** What to do when nobody can tell whether a create request took effect, and the list was looked at. */
export const adoptIfCreated = (candidates: number): string =>
	`${candidates > 1 ? "Keep one, and delete or pause the others. " : ""}Then ${adoptEqualOnce}`;

export function agoText(millis: number): string {
	const steps = [
		[86_400_000, "day"],
		[3_600_000, "hour"],
		[60_000, "minute"],
	] as const;
	for (const [length, unit] of steps) {
		const count = Math.floor(millis / length);
		if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
	}
	return "less than a minute ago";
}

/** The state keeps the message of a partial failure in plain text, so it must not quote the service. */
export function messageForState(error: unknown): string {
	const failure =
		error instanceof Error && error.cause instanceof ApiError ? error.cause : error;
	return failure instanceof ApiError ? failure.messageWithoutQuote : messageOf(error);
}
