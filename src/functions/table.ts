import { getComputeCluster } from "./get-compute-cluster";
import { getComputeClusters } from "./get-compute-clusters";
import { getJobs } from "./get-jobs";
import { getPipeline } from "./get-pipeline";
import { getPipelines } from "./get-pipelines";
import { getSchedule } from "./get-schedule";
import { getSchedules } from "./get-schedules";

/** Every lookup, by its public name, for hosts that are asked for them by name. */
export const LOOKUPS = {
	getComputeCluster,
	getComputeClusters,
	getJobs,
	getPipeline,
	getPipelines,
	getSchedule,
	getSchedules,
} as const;

export type LookupName = keyof typeof LOOKUPS;

export const isLookup = (name: string): name is LookupName => Object.hasOwn(LOOKUPS, name);

/** A function of a plugin answers an object: a list stands in it under the lookup's own name, `getJobs` → `jobs`. */
export const listKey = (name: string): string => name.charAt(3).toLowerCase() + name.slice(4);

/** Ids that the service gives as a number or as a text. Languages with one type for each field have a text. */
const ID_FIELDS: Readonly<Partial<Record<LookupName, string>>> = {
	getComputeCluster: "id",
	getComputeClusters: "id",
	getJobs: "computeClusterId",
};

export function textIds(name: LookupName, found: object): object {
	const field = ID_FIELDS[name];
	const id: unknown = field === undefined ? undefined : Reflect.get(found, field);
	return field === undefined || id === undefined ? found : { ...found, [field]: String(id) };
}
