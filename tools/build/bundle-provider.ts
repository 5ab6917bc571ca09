import { join, sep } from "node:path";
import { repository } from "../repository";
import { licencesOf } from "./licences";

const entry = join(repository, "src", "provider", "index.ts");
const file = join(repository, "dist", "provider", "index.js");

/**
 * Makes one file of the provider's entry point, in place of the compiler's. Pulumi starts a process for each operation, and
 * most of what our part of it does at first is to find, read and evaluate files: 330 of them. Only that process loads
 * this file; everything else in the package imports the modules beside it.
 */
export async function bundleProvider(): Promise<void> {
	const { rolldown } = await import("rolldown");
	const bundle = await rolldown({
		input: entry,
		platform: "node",
		// Pulumi's host has its own, and no provider follows a log.
		external: [/^@pulumi\//, "ws"],
		experimental: { attachDebugInfo: "none" },
		resolve: { alias: { undici$: join(__dirname, "undici-pool.cjs") } },
		onLog: (_level, log) => {
			throw new Error(log.message);
		},
	});
	try {
		await bundle.write({
			file,
			format: "cjs",
			exports: "named",
			esModule: true,
			// Comments cost time to skip. Names and lines stay, so that stack traces can be read without the map.
			comments: false,
			sourcemap: true,
			sourcemapExcludeSources: true,
			sourcemapPathTransform: publicPath,
			footer: ({ moduleIds }) => licencesOf(moduleIds),
		});
	} finally {
		await bundle.close();
	}
}

/** As the compiler's maps have it; packages by their name, wherever they are installed. */
function publicPath(source: string): string {
	const [, packaged] = source.split(`${sep}node_modules${sep}`, 2);
	return packaged === undefined ? source : `../../node_modules/${packaged}`.replaceAll(sep, "/");
}
