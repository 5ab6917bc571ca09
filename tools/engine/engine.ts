import { dirname } from "node:path";
import { run } from "../process/run";
import { withPath } from "./environment";
import { parseVersion } from "./versions";

export type EngineSource = "PATH" | "installed" | "built";

/** A Pulumi CLI that has answered, with its language host beside it or on PATH. */
export interface Engine {
	/** Path of the `pulumi` program. */
	readonly command: string;
	readonly binDir: string;
	readonly version: string;
	readonly source: EngineSource;
	/** The environment with the engine's folder first on PATH. */
	env(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
}

export function engineAt(command: string, version: string, source: EngineSource): Engine {
	const binDir = dirname(command);
	return { command, binDir, version, source, env: (base) => withPath(base, binDir) };
}

/** Asks a CLI for its version: the one proof that it runs on this machine. */
export async function askVersion(
	command: string,
	env: NodeJS.ProcessEnv,
	signal?: AbortSignal,
): Promise<{ version: string } | { problem: string }> {
	const result = await run(command, ["version"], {
		env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
		timeoutMs: 20_000,
		signal,
	});
	const version = parseVersion(result.stdout);
	if (result.code === 0 && version !== undefined) return { version };
	if (result.timedOut) return { problem: "`pulumi version` did not answer within 20 s" };
	return { problem: `\`pulumi version\` failed with exit code ${result.code}` };
}
