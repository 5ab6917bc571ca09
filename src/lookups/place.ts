import type * as pulumi from "@pulumi/pulumi";
import type { ClientOptions } from "../client";

/** Connection settings of the program. Each overrides the environment variable and the Pulumi config value. */
export interface Connection {
	/** Base URL of the service, with or without `/api`. */
	baseUrl?: string;
	/** Access token; take it from `config.requireSecret(…)`. */
	token?: string;
	/** Team to look in. */
	teamName?: string;
}

export interface LookupOptions {
	/** Connection settings of this lookup. */
	connection?: Connection;
}

export interface LookupOutputOptions {
	/** Connection settings of this lookup; they may be outputs. */
	connection?: { [Key in keyof Connection]: pulumi.Input<Connection[Key]> };
	/** A `Provider` of the program, whose connection the lookup uses. */
	provider?: pulumi.ProviderResource;
}

/** Where lookups run: in a program, or in the plugin, which has no SDK. */
export interface LookupHost {
	/** Reads one key of the `datachain` config namespace. */
	config(key: string): string | undefined;
	secret<T>(value: T): pulumi.Output<T>;
	/** What is told of each request, if someone asked for it. */
	log(): ClientOptions["log"];
	/** Tells people something that they should know. */
	warn(text: string): void;
}

/** Loaded with the first lookup of a program; the plugin has a place of its own and never loads it. */
export const sdk = () => require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");

/** Loaded with the first lookup, too: it is most of what the package would load. */
export const clientModule = () => require("../client") as typeof import("../client");

const program: LookupHost = {
	config: (key) => new (sdk().Config)("datachain").get(key),
	secret: <T>(value: T) => sdk().secret(value) as pulumi.Output<T>,
	log: () => clientModule().resolveRequestLog({ config: program.config }),
	warn: (text) => void sdk().log.warn(text),
};

let current = program;

export const lookupHost = (): LookupHost => current;

/** For the plugin, which calls it once, before the first lookup. */
export function setLookupHost(other: LookupHost): void {
	current = other;
}
