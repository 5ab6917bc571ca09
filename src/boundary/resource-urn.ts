import * as pulumi from "@pulumi/pulumi";
import { isOutput } from "./sdk-output";

/**
 * The URN that the engine will give to a resource. A promise under a parent, not an Output: an Output would make the
 * resource depend on its parent, and the children of one component would wait for each other for ever.
 */
export function resourceUrn(
	name: string,
	type: string,
	parent: pulumi.Resource | undefined,
): string | Promise<unknown> {
	if (!parent) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
	const urn: unknown = pulumi.createUrn(name, type, parent);
	const later = isOutput(urn) ? urn.promise() : Promise.resolve(urn);
	// A parent that fails is reported by itself, also where nothing waits for this promise any more.
	later.catch(() => undefined);
	return later;
}
