import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** A browser on this machine: the one CHROMIUM_PATH names, or the first on the PATH. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
	const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
	const candidates = [
		...(env.CHROMIUM_PATH ? [env.CHROMIUM_PATH] : []),
		...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
	];
	return candidates.find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

export const CHROMIUM_FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];
