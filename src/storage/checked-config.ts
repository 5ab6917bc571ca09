import * as pulumi from "@pulumi/pulumi";
import type { StorageConfig } from "../schemas/storage";
import { storageSchemas } from "./schemas";

/** The config itself where it breaks no rule; otherwise an error with every reason, and no value. */
export function checked(config: StorageConfig): StorageConfig {
	const { problems, warnings } = storageSchemas().checkStorage(config, () => false, "clientConfig");
	for (const warning of warnings) pulumi.log.warn(warning);
	if (problems.length === 0) return config;
	const reasons = problems.map(({ parameter, reason }) => `${parameter} ${reason}`.trim()).join(" ");
	throw new TypeError(`The config of storage.${config.kind} cannot be used: ${reasons}`);
}
