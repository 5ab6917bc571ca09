import { join } from "node:path";
import { exitWith } from "../process/exit-with";
import { attach } from "../test/attach";
import { bundlePackage } from "./bundle-package";
import { bundlePage } from "./bundle-page";
import { bundlePlugin } from "./bundle-plugin";
import { compiled } from "./modules";
import { writeWireTypes } from "./wire-types";

const tsc = join(__dirname, "..", "..", "node_modules", "typescript", "bin", "tsc");

const aside = [
	"--outDir",
	compiled,
	"--tsBuildInfoFile",
	join(compiled, ".tsbuildinfo"),
];

/** `npm run build`: the compiler writes every module and its types aside; the package, the plugin and the board's page are made of them. */
async function main(): Promise<number> {
	writeWireTypes();
	const code = await attach([tsc, "-p", "tsconfig.json", ...aside], 10 * 60_000);
	if (code !== 0) return code;
	await bundlePackage();
	await bundlePlugin();
	await bundlePage();
	return code;
}

exitWith(main());
