/**
 * A resource's identity: its URN, `urn:pulumi:<stack>::<project>::<parent type>$<type>::<name>`, or the part behind
 * stack and project, which tells the resources of one deployment apart as well.
 */
interface UrnParts {
	/** Whose deployment it is; undefined where the URN does not say. */
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
	const match = /^(?:urn:pulumi:(.+?)::(.+?)::)?(.+?)::(.+)$/s.exec(urn);
	if (!match) return undefined;
	const [, stack, project, types = "", name = ""] = match;
	const parents = types.split("$");
	const type = parents.pop() ?? "";
	const program = stack !== undefined && project !== undefined ? { stack, project } : undefined;
	return { program, parents, type, name };
}

/** The resource as a message names it: its name in the program, below which component where it has a parent. */
export function resourceName(urn: string): string {
	const parts = parseUrn(urn);
	if (parts === undefined) return "a resource without a name";
	const below = parts.parents.length > 0 ? ` (in ${parts.parents.join(" > ")})` : "";
	return `"${parts.name}"${below}`;
}
