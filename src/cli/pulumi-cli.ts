import { z } from "zod";
import type { ConnectionSources } from "../api";
import { CONNECTION_VARIABLES } from "../api/connection";
import { runPulumi } from "./run-pulumi";

export interface PulumiOptions {
	readonly stack?: string | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** Asks the Pulumi CLI about the project in the current folder, and answers what it prints. */
export async function askPulumi(
	args: readonly string[],
	{ stack, signal }: PulumiOptions = {},
): Promise<string> {
	const where = stack === undefined ? [] : ["--stack", stack];
	return runPulumi([...args, ...where], { signal }).catch((error: Error) => {
		const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
		throw new Error(`\`${command}\` failed: ${error.message}`);
	});
}

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/**
 * Where the connection comes from: the environment, then the stack's config, as for the provider itself. The CLI is
 * asked only for what the environment leaves open.
 */
export async function connectionSources(options: PulumiOptions): Promise<ConnectionSources> {
	if (Object.values(CONNECTION_VARIABLES).every((name) => process.env[name]?.trim())) return {};
	const text = await askPulumi(["config", "--json", "--show-secrets"], options);
	const config = configSchema.safeParse(jsonOf(text));
	if (!config.success) {
		throw new Error(
			"The Pulumi CLI did not print a config that can be read. Run `pulumi config` to see why.",
		);
	}
	return { config: (key) => config.data[`datachain:${key}`]?.value };
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
