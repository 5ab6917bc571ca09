import { join } from "node:path";
import { attach } from "../test/attach";
import { bundlePlugin } from "./bundle-plugin";
import { bundleProvider } from "./bundle-provider";

const tsc = join(__dirname, "..", "..", "node_modules", "typescript", "bin", "tsc");

/** `npm run build`: the compiler writes every module and its types; then the provider becomes one file, and the plugin a folder. */
async function main(): Promise<number> {
	const code = await attach([tsc, "-p", "tsconfig.json"], 10 * 60_000);
	await bundleProvider();
	await bundlePlugin();
	return code;
}

main().then(
	(code) => {
		process.exitCode = code;
	},
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
