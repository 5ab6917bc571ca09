import * as pulumi from "@pulumi/pulumi";
import type { StorageConfig } from "../schemas/storage";
import type { StorageInput } from "./args";
import { checked } from "./checked-config";
import { storageSchemas } from "./schemas";

/**
 * The exact dictionary for `client_config` in a script, for those who prefer to pass it in code. Always a secret.
 * Fails where the config breaks a rule of its storage.
 */
export const clientConfig = (config: StorageInput): pulumi.Output<Record<string, unknown>> =>
	pulumi.secret<unknown>(
		resolve(config).apply((resolved) => storageSchemas().clientConfig(checked(resolved))),
	) as pulumi.Output<Record<string, unknown>>;

/**
 * The arguments of a JobFile that holds the dictionary for `client_config` as JSON:
 *
 * ```ts
 * const file = new datachain.JobFile("s3", storage.toJobFile(storage.s3({ … })));
 * ```
 *
 * A script that it is attached to reads it with `json.load(open("s3-client-config.json"))`.
 */
export function toJobFile(config: StorageInput): {
	name: pulumi.Output<string>;
	text: pulumi.Output<string>;
} {
	return {
		// The kind is no secret, but it comes out of an object that holds some.
		name: pulumi.unsecret(kindOf(config).apply((kind) => `${kind}-client-config.json`)),
		text: clientConfig(config).apply((dictionary) => `${storageSchemas().compactJson(dictionary)}\n`),
	};
}

/** Unwraps every parameter, however deep; secrets and unknowns carry over to the whole. */
const resolve = (config: StorageInput): pulumi.Output<StorageConfig> =>
	pulumi.output<unknown>(config) as pulumi.Output<StorageConfig>;

/** Of a config that is already there the kind is known, also while its parameters are not. */
const kindOf = (config: StorageInput): pulumi.Output<string> =>
	"kind" in config ? pulumi.output<string>(config.kind) : resolve(config).apply(({ kind }) => kind);
