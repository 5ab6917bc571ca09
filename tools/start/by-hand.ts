import { pageUrl } from "pulumi-datachain/server";
import { exportLines } from "../../src/commands/terminal";
import { shellWord } from "../../src/report/report";
import type { Engine } from "../engine";
import type { Stack } from "../stack";
import type { TeamServer } from "./local-server";

export interface Kept {
	readonly stack: Stack;
	readonly engine: Engine;
	readonly server: TeamServer;
	/** Everything that is left on disk. */
	readonly folders: readonly string[];
}

/** The lines to paste into a shell to go on where the tour ended. */
export function instructions({ stack, engine, server, folders }: Kept): string {
	const { environment } = server;
	const variables = { ...environment, ...stack.ownEnv };
	const exports = [exportLines(variables).trimEnd()];
	if (engine.source !== "PATH") exports.push(`export PATH=${shellWord(engine.binDir)}:"$PATH"`);
	const flags = `--stack ${stack.name} --config-file ${shellWord(stack.configFile)}`;
	return [
		"The server and the stack are still there. To go on by hand, paste this into a shell:",
		"",
		`cd ${shellWord(stack.projectDir)}`,
		...exports,
		"",
		"Then, for example (the program is examples/quickstart/index.ts):",
		"",
		`pulumi preview --diff ${flags}`,
		`pulumi up ${flags}`,
		`pulumi refresh ${flags}`,
		`pulumi destroy ${flags}`,
		"",
		"To see the team in a browser, open:",
		"",
		pageUrl(environment.DATACHAIN_STUDIO_URL ?? "", environment.DATACHAIN_STUDIO_TOKEN ?? ""),
		"",
		"To stop the server and remove everything:",
		"",
		`kill ${server.pid}; rm -rf ${folders.map(shellWord).join(" ")}`,
	].join("\n");
}
