import type * as pulumi from "@pulumi/pulumi";
import type { Connection, InputsOf, LookupOptions, LookupOutputOptions } from "./connection";
import { checkOptions, type KeysOf, knownArgs } from "./keys";
import { sdk } from "./place";

/** The Output form of a lookup: waits for its arguments, and is skipped while they are not known. */
export function asOutput<Args extends object, Result>(
	lookup: (args: Args, options?: LookupOptions) => Promise<Result>,
	keys: KeysOf<Args>,
): (args?: InputsOf<Args>, options?: LookupOutputOptions) => pulumi.Output<pulumi.Unwrap<Result>> {
	const name = `${lookup.name}Output`;
	return (args, options) => {
		// The names are known at once, also where the values come later.
		const given = knownArgs<InputsOf<Args>>(name, keys, args);
		checkOptions(name, options);
		const pulumi = sdk();
		return pulumi
			.all([pulumi.output(given), pulumi.output(options?.connection)])
			.apply(([known, connection]) =>
				lookup(known as unknown as Args, { connection: connection as Connection | undefined }),
			) as pulumi.Output<pulumi.Unwrap<Result>>;
	};
}
