import * as pulumi from "@pulumi/pulumi";
import type { StorageArgs, StorageParameters } from "./args";
import type { StorageConfig, StorageKind } from "./rules";

/** Apart from the builders, because programs that load the builders' types must not load those of zod. */

/** Loaded with the first storage: most programs declare none, and zod comes with it. */
export const storageRules = () => require("./rules") as typeof import("./rules");

/** Leaves out what is not set, and makes secrets of all credentials, however they were given. */
export function markCredentials(
	kind: StorageKind,
	parameters: object,
): StorageParameters {
	const secrets = storageRules().SECRET_PARAMETERS[kind];
	const entries: [string, pulumi.Input<unknown>][] = Object.entries(parameters)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [
			name,
			secrets.includes(name) ? pulumi.secret(value) : value,
		]);
	return Object.fromEntries(entries);
}

/** True of what `storage.s3(…)` and the others make. */
export const isConfig = (value: unknown): value is StorageArgs =>
	typeof value === "object" &&
	value !== null &&
	"kind" in value &&
	"parameters" in value;

/** The config itself if it breaks no rule; otherwise an error with every reason, and no value. */
export function checked(config: StorageConfig): StorageConfig {
	const { problems, warnings } = storageRules().checkStorage(
		config,
		() => false,
		"clientConfig",
	);
	for (const warning of warnings) pulumi.log.warn(warning);
	if (problems.length === 0) return config;
	const reasons = problems
		.map(({ parameter, reason }) => `${parameter} ${reason}`.trim())
		.join(" ");
	throw new TypeError(
		`The config of storage.${config.kind} cannot be used: ${reasons}`,
	);
}
