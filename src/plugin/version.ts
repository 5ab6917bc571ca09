import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The plugin's folder has a manifest of its own, with the package's version. */
export const PLUGIN_VERSION: string = JSON.parse(
	readFileSync(join(__dirname, "package.json"), "utf8"),
).version;
