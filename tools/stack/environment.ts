import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Engine } from "../engine";

export const backendOf = (folder: string): string => join(folder, "backend");

/**
 * The environment of a throw-away stack: a home, a backend and a temporary folder of its own, and nothing
 * of the user's Pulumi or Studio settings, so that no run can reach a real backend or a real team.
 */
export function stackEnvironment(
	folder: string,
	engine: Engine,
	extra: NodeJS.ProcessEnv,
): { env: NodeJS.ProcessEnv; own: Record<string, string> } {
	const backend = backendOf(folder);
	const own = {
		PULUMI_HOME: join(folder, "home"),
		// The backend writes a checkpoint in one step, but the file of attributes beside it in two: a SIGKILL in between
		// leaves it empty, and the stack unreadable ("failed to load checkpoint: EOF"). Pulumi does not use it.
		PULUMI_BACKEND_URL: `${pathToFileURL(backend).href}?metadata=skip`,
		PULUMI_CONFIG_PASSPHRASE: randomBytes(16).toString("hex"),
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
	};
	const temporary = join(folder, "tmp");
	for (const path of [own.PULUMI_HOME, backend, temporary])
		mkdirSync(path, { recursive: true });
	const base = Object.entries(process.env).filter(
		([name]) => !/^(PULUMI|DATACHAIN)_/.test(name),
	);
	const env = engine.env({
		...Object.fromEntries(base),
		NO_COLOR: "1",
		TMPDIR: temporary,
		DATACHAIN_SYSTEM_CONFIG_DIR: own.PULUMI_HOME,
		DATACHAIN_GLOBAL_CONFIG_DIR: own.PULUMI_HOME,
		...own,
		...extra,
	});
	return { env, own };
}
