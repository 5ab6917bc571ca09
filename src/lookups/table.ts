import * as clusters from "./clusters";
import * as jobs from "./jobs";
import * as pipelines from "./pipelines";
import * as schedules from "./schedules";

const FUNCTIONS: Readonly<Record<string, unknown>> = {
	...clusters,
	...jobs,
	...pipelines,
	...schedules,
};

type Lookup = (args: object, options: object) => Promise<object>;

/** A lookup by its public name, for hosts that are asked by name. The `…Output` forms are for programs only. */
export function lookupNamed(name: string): Lookup | undefined {
	const lookupFunction =
		Object.hasOwn(FUNCTIONS, name) && !name.endsWith("Output")
			? FUNCTIONS[name]
			: undefined;
	return typeof lookupFunction === "function" ? (lookupFunction as Lookup) : undefined;
}
