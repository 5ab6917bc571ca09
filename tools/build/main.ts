import { cpSync } from "node:fs";
import { join } from "node:path";
import { exitWith } from "../process/exit-with";
import { repository } from "../repository";
import { attach } from "../test/attach";
import { bundlePlugin } from "./bundle-plugin";
import { bundleProvider } from "./bundle-provider";

const tsc = join(__dirname, "..", "..", "node_modules", "typescript", "bin", "tsc");

/** `npm run build`: the compiler writes every module and its types; then the provider becomes one file and the plugin a folder, and the page is copied. */
async function main(): Promise<number> {
	const code = await attach([tsc, "-p", "tsconfig.json"], 10 * 60_000);
	await bundleProvider();
	await bundlePlugin();
	// The local server's page is files, which the compiler leaves alone.
	cpSync(join(repository, "src", "server", "page"), join(repository, "dist", "server", "page"), {
		recursive: true,
	});
	return code;
}

exitWith(main());
