import * as pulumi from "@pulumi/pulumi";
import type { StorageKind } from "../schemas/storage";
import type { StorageArgs, StorageParameters } from "./args";
import { storageSchemas } from "./schemas";

/** Leaves out what is not set, and makes secrets of all credentials, however they were given. */
export function markCredentials(kind: StorageKind, parameters: object): StorageParameters {
	const secrets = storageSchemas().SECRET_PARAMETERS[kind];
	const entries: [string, pulumi.Input<unknown>][] = Object.entries(parameters)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, secrets.includes(name) ? pulumi.secret(value) : value]);
	return Object.fromEntries(entries);
}

/** True of what `storage.s3(…)` and the others make. */
export const isConfig = (value: unknown): value is StorageArgs =>
	typeof value === "object" && value !== null && "kind" in value && "parameters" in value;
