import type * as pulumi from "@pulumi/pulumi";

/** Connection settings given in the program. Each wins over the environment variable and the Pulumi config value. */
export interface Connection {
	/** Base URL of the service, with or without `/api`. */
	baseUrl?: string;
	/** Access token; take it from `config.requireSecret(…)`. */
	token?: string;
	/** Team to look in. */
	teamName?: string;
}

export interface LookupOptions {
	connection?: Connection;
}

export interface LookupOutputOptions {
	connection?: { [Key in keyof Connection]: pulumi.Input<Connection[Key]> };
}

/** How the arguments of a lookup look in its `…Output` form. */
export type InputsOf<Args> = { [Key in keyof Args]: pulumi.Input<pulumi.Unwrap<Args[Key]> | Args[Key]> };
