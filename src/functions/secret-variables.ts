import type * as pulumi from "@pulumi/pulumi";
import { place } from "./place";

/** Variables as a secret, because the service does not tell which values are. One without a value is left out. */
export function secretVariables(
	variables: Readonly<Record<string, string | null>> | null | undefined,
): pulumi.Output<Record<string, string>> {
	const set = Object.entries(variables ?? {}).flatMap(([name, value]) =>
		value === null ? [] : [[name, value]],
	);
	return place().secret<Record<string, string>>(Object.fromEntries(set));
}
