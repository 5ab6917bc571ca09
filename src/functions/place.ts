import type * as pulumi from "@pulumi/pulumi";

/** Where lookups run: in a program, or in the plugin, which has no SDK. */
export interface LookupPlace {
	/** Reads one key of the `datachain` config namespace. */
	config(key: string): string | undefined;
	secret<T>(value: T): pulumi.Output<T>;
}

/** Loaded with the first lookup of a program; the plugin has a place of its own and never loads it. */
export const sdk = () => require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");

const program: LookupPlace = {
	config: (key) => new (sdk().Config)("datachain").get(key),
	secret: <T>(value: T) => sdk().secret(value) as pulumi.Output<T>,
};

let current = program;

export const place = (): LookupPlace => current;

/** For a process that is no program; said once, before the first lookup. */
export function lookUpFrom(other: LookupPlace): void {
	current = other;
}
