import { managedResources, resourceName } from "../../tools/stack";
import type { TestDeployment } from "./e2e-deployment";

const WRITES = [
	"createSchedule",
	"updateSchedule",
	"deleteSchedule",
	"updateSettings",
	"uploadFile",
] as const;

/** How many requests were sent that write. */
export const writes = ({ server }: TestDeployment): number =>
	WRITES.map((endpoint) => server.requests.count({ endpoint })).reduce((sum, count) => sum + count, 0);

/** Ids in the state, by name. */
export const ids = ({ stack }: TestDeployment): Record<string, string | undefined> =>
	Object.fromEntries(managedResources(stack.checkpoint()).map((found) => [resourceName(found), found.id]));

/** Which hosts the resources of the state belong to. */
export const types = ({ stack }: TestDeployment): string[] => [
	...new Set(managedResources(stack.checkpoint()).map(({ type }) => type.replace(/:\w+$/, ""))),
];
