import { z } from "zod";
import type { TeamModel } from "./export/model";
import { progress } from "./terminal";

interface CallOptions {
	readonly input?: string;
	readonly env?: NodeJS.ProcessEnv;
}

/** Runs the Pulumi CLI in the project. `problem` says what could not be done if it fails. */
export type RunPulumi = (
	args: readonly string[],
	problem: string,
	options?: CallOptions,
) => Promise<string>;

interface StoreConfig {
	readonly secrets: TeamModel["secrets"];
	readonly stack: string;
	readonly run: RunPulumi;
}

/** Windows takes 32,767 characters for all variables together. */
const MOST_CHARACTERS = 20_000;

/**
 * Stores the secrets in the stack's configuration, many with one call. Arguments can be read by every user of the
 * machine, so the values are in a variable that stands for the option `--json`, which only their owner can read. A CLI
 * before that variable ignores it: what is not there afterwards is stored one by one.
 */
export async function storeConfig({ secrets, stack, run }: StoreConfig): Promise<void> {
	const on = ["--stack", stack];
	let done = 0;
	for (const batch of batchesOf(secrets)) {
		progress.count("Storing secrets", done, secrets.length);
		const values = Object.fromEntries(
			batch.map(({ key, value }) => [key, { value, secret: true }]),
		);
		const env = { PULUMI_OPTION_JSON: JSON.stringify(values) };
		// Whatever went wrong, the next calls meet it too, and can say it without repeating a value.
		await run(["config", "set-all", ...on], "the secrets could not be stored", {
			env,
		}).catch(() => {});
		done += batch.length;
	}
	const stored = keysOf(
		await run(["config", "--json", ...on], "the configuration could not be read"),
	);
	const missing = secrets.filter(({ key }) => !stored.has(key));
	for (const [index, { key, value }] of missing.entries()) {
		progress.count("Storing secrets one by one", index, missing.length);
		const args = ["config", "set", "--secret", ...on, key];
		await run(args, `the value of ${key} could not be stored`, { input: value });
	}
	progress.clear();
}

function batchesOf(secrets: TeamModel["secrets"]): TeamModel["secrets"][number][][] {
	const batches: TeamModel["secrets"][number][][] = [];
	let room = 0;
	for (const secret of secrets) {
		const size = JSON.stringify([secret.key, secret.value]).length + 30;
		// It is stored by itself, through standard input.
		if (size > MOST_CHARACTERS) continue;
		room -= size;
		if (room < 0) {
			batches.push([]);
			room = MOST_CHARACTERS - size;
		}
		batches.at(-1)?.push(secret);
	}
	return batches;
}

const configSchema = z.record(z.string(), z.unknown());

/** The keys of a configuration as the CLI prints it, without the project's name that stands before each. */
function keysOf(text: string): Set<string> {
	try {
		const config = configSchema.parse(JSON.parse(text));
		return new Set(Object.keys(config).map((key) => key.slice(key.indexOf(":") + 1)));
	} catch {
		// Each is then stored by itself, which does no harm to those that are there.
		return new Set();
	}
}
