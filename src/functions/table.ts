import * as clusters from "./clusters";
import * as jobs from "./jobs";
import * as pipelines from "./pipelines";
import * as schedules from "./schedules";

const FUNCTIONS: Readonly<Record<string, unknown>> = { ...clusters, ...jobs, ...pipelines, ...schedules };

type Lookup = (args: object, options: object) => Promise<object>;

/** A lookup by its public name, for hosts that are asked by name. The `…Output` forms are for programs only. */
export function lookupNamed(name: string): Lookup | undefined {
	const found = Object.hasOwn(FUNCTIONS, name) && !name.endsWith("Output") ? FUNCTIONS[name] : undefined;
	return typeof found === "function" ? (found as Lookup) : undefined;
}

/** A function of a plugin answers an object: a list stands in it under the lookup's own name, `getJobs` → `jobs`. */
export const listKey = (name: string): string => name.charAt(3).toLowerCase() + name.slice(4);

/** Ids that the service gives as a number or as a string. Languages with one type for each field have a string. */
const ID_FIELDS: Readonly<Record<string, string>> = {
	getComputeCluster: "id",
	getComputeClusters: "id",
	getJobs: "computeClusterId",
};

export function textIds(name: string, found: object): object {
	const field = ID_FIELDS[name];
	const id: unknown = field === undefined ? undefined : Reflect.get(found, field);
	return field === undefined || id === undefined ? found : { ...found, [field]: String(id) };
}
