import { exitWith } from "../process/exit-with";
import { packPlugin } from "./archive";
import { buildExecutable, pluginTarget } from "./executable";

/** `npm run plugin`: the plugin for this machine as one executable, and as the archive that Pulumi downloads. */
async function main(): Promise<void> {
	const built = await buildExecutable();
	console.log(`${built.program}\n${await packPlugin(built, pluginTarget)}`);
}

exitWith(main());
