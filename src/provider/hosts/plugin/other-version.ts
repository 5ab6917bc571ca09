import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { PLUGIN_SERVER } from "../../../schemas/kinds";

/** Where this plugin runs from: the executable itself, or the folder of its scripts. */
function ownPlace(): string {
	const { isSea } = require("node:sea") as typeof import("node:sea");
	return isSea() ? process.execPath : __dirname;
}

/**
 * What to say if the program was written for another version of the plugin than the one that runs: both versions, and
 * the command that brings the program's, by the way in which this one was installed.
 */
export function otherVersion(
	wanted: unknown,
	own: string,
	place = ownPlace(),
): string | undefined {
	if (typeof wanted !== "string" || wanted === own) return undefined;
	return `The program uses version ${wanted} of pulumi-datachain, and the plugin at ${place} has version ${own}. ${fix(wanted, place)}`;
}

function fix(wanted: string, place: string): string {
	if (place.includes(`${sep}node_modules${sep}`))
		return `Run "npm install pulumi-datachain@${wanted}".`;
	const isInEnvironment =
		place.includes(`${sep}site-packages${sep}`) ||
		existsSync(join(dirname(place), "..", "pyvenv.cfg"));
	if (isInEnvironment)
		return `Run "pip install pulumi-datachain==${wanted}" in that environment.`;
	const install = `Run "pulumi plugin install resource datachain ${wanted} --server ${PLUGIN_SERVER}".`;
	// The engine prefers a plugin on the PATH to all that it has installed.
	const isInstalled = place.includes(`${sep}plugins${sep}resource-datachain-v`);
	return isInstalled ? install : `${install} Then remove the other one from the PATH.`;
}
