import type { LocalServer } from "../../src/server";
import { managedResources, resourceName } from "../../tools/stack";
import type { TestDeployment } from "./e2e-deployment";

/** How many requests were sent that write: this API reads with GET and writes with POST. */
export const writes = ({ requests }: LocalServer): number =>
	requests.entries.filter(({ method }) => method !== "GET").length;

/** Ids in the state, by name. */
export const ids = ({ stack }: TestDeployment): Record<string, string | undefined> =>
	Object.fromEntries(managedResources(stack.checkpoint()).map((found) => [resourceName(found), found.id]));

/** Which hosts the resources of the state belong to. */
export const types = ({ stack }: TestDeployment): string[] => [
	...new Set(managedResources(stack.checkpoint()).map(({ type }) => type.replace(/:\w+$/, ""))),
];
