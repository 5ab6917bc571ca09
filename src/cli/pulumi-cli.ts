import { z } from "zod";
import type { ConnectionSources, SettingName } from "../api";
import { CONNECTION_VARIABLES, SETTING_NAMES } from "../api/connection";
import { findAbove } from "../doctor/find-above";
import { runPulumi } from "./run-pulumi";

export interface PulumiOptions {
	readonly stack?: string | undefined;
	readonly signal: AbortSignal;
}

/** Asks the Pulumi CLI about the project in the current folder, and answers what it prints. */
export async function askPulumi(args: readonly string[], { stack, signal }: PulumiOptions): Promise<string> {
	const where = stack === undefined ? [] : ["--stack", stack];
	return runPulumi([...args, ...where], { signal }).catch((error: Error) => {
		const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
		throw new Error(`\`${command}\` failed: ${error.message}`);
	});
}

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/**
 * Where the connection comes from, as for the provider itself: what the command line says (`explicit`), the environment,
 * then the stack's config, then the files of the service's own client. The CLI is asked only where a project is that can
 * have a config, and only for what the first two leave open.
 */
export async function connectionSources({
	explicit,
	...options
}: PulumiOptions & Pick<ConnectionSources, "explicit">): Promise<ConnectionSources> {
	const isSet = (name: SettingName) => explicit?.[name] ?? process.env[CONNECTION_VARIABLES[name]]?.trim();
	if (SETTING_NAMES.every(isSet) || findAbove(process.cwd(), PROJECT_FILES) === undefined)
		return { explicit };
	const text = await askPulumi(["config", "--json", "--show-secrets"], options);
	const config = readConfig(text);
	return { explicit, config: (key) => config[`datachain:${key}`]?.value };
}

function readConfig(text: string): z.infer<typeof configSchema> {
	try {
		return configSchema.parse(JSON.parse(text));
	} catch {
		throw new Error(
			"The Pulumi CLI did not print a config that can be read. Run `pulumi config` to see why.",
		);
	}
}

/** The CLI looks for a project in this folder and all above it. */
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];
