import * as pulumi from "@pulumi/pulumi";
import { SECRET_PARAMETERS, type StorageKind } from "../schemas/storage";
import type { StorageArgs, StorageParameters } from "./args";

/** Leaves out what is not set, and makes secrets of all credentials, however they were given. */
export function markCredentials(kind: StorageKind, parameters: object): StorageParameters {
	const entries: [string, pulumi.Input<unknown>][] = Object.entries(parameters)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, SECRET_PARAMETERS[kind].includes(name) ? pulumi.secret(value) : value]);
	return Object.fromEntries(entries);
}

/** True of what `storage.s3(…)` and the others make. */
export const isConfig = (value: unknown): value is StorageArgs =>
	typeof value === "object" && value !== null && "kind" in value && "parameters" in value;
