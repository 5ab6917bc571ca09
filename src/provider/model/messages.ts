import type { Call } from "./context";

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

/** Only a refresh shows the provider what else is in the state, beside the resource whose turn it is. */
export const ifOurs = (gives: string): string =>
	`If a resource of this stack ${gives}, run "pulumi up --refresh", which reads what this stack manages.`;

export const ifInterrupted = (made: string): string =>
	`If an interrupted deployment of yours created ${made}, run once with ${ADOPT_EQUAL}=true, which adopts equal objects.`;

/** For an object that is left alone, because it may be what an interrupted deployment left or what somebody wants. */
export const ifLeftBehind = `If an interrupted deployment left it, run with ${ADOPT_EQUAL}=true to adopt it instead.`;

/** After a create whose outcome is unknown. A command belongs to no program: the user decides by what the list shows. */
export const orAgain = ({ urn }: Call, what: string): string =>
	parseUrn(urn) === undefined
		? "If it is not there then, run the command again."
		: `Then run "pulumi up" with ${ADOPT_EQUAL}=true, within the hour: ${what}.`;

/** A delete that did nothing. A resource that is replaced need not be told of itself. */
export const leftToItsHolder = ({ stateUrn }: Call, what: string, holder: string): string | undefined =>
	holder === stateUrn
		? undefined
		: `${what}: resource ${resourceName(holder)} of this program manages it now.`;

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
