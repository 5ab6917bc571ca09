import { findIn, isExecutable, pathFolders } from "../engine/environment";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** A browser on this machine: the one CHROMIUM_PATH names, or the first on the PATH. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
	if (env.CHROMIUM_PATH && isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
	return NAMES.map((name) => findIn(pathFolders(env), name)).find(
		(path) => path !== undefined,
	);
}

export const CHROMIUM_FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];
