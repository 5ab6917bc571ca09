import type * as pulumi from "@pulumi/pulumi";
import { isOutput } from "./sdk-output";

/** An output that every resource of ours has once it exists. */
const EXISTS = "serviceUrl";

/**
 * In a preview the SDK takes every output that the state does not have for one that is not known yet, and shows it
 * as changing. An absent output of a resource that exists, and an input that the program leaves out, are known: they
 * are undefined.
 */
export function showAbsentAsUndefined(
	resource: pulumi.CustomResource,
	properties: readonly string[],
	leftOut: readonly string[],
): void {
	const outputs = new Map<string, unknown>(Object.entries(resource));
	const exists = outputs.get(EXISTS);
	for (const key of properties) {
		const usual = outputs.get(key);
		if (!isOutput(usual)) continue;
		const isAbsent = async (): Promise<boolean> =>
			(await usual.promise(true)) === undefined &&
			(leftOut.includes(key) || (isOutput(exists) && (await exists.isKnown)));
		// Made on demand, because programs look at few of them; the URN is known as soon as the engine has answered.
		const get = () => resource.urn.apply(async () => ((await isAbsent()) ? undefined : usual));
		Object.defineProperty(resource, key, { get, enumerable: true, configurable: true });
	}
}
