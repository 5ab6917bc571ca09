import { join } from "node:path";
import { repository } from "../repository";
import { licencesOf } from "./licences";

const folder = join(repository, "dist", "provider");

export interface BundleOptions {
	readonly external?: readonly (string | RegExp)[];
	/** Where a module that is loaded later is found. */
	readonly paths?: Readonly<Record<string, string>>;
	/** Whether a map leads back to our sources, which it then holds: the package does not ship them. */
	readonly map?: boolean;
}

/** Packages that are loaded when first needed: files of their own, so that nobody reads them before. */
const later = {
	undici: join(__dirname, "undici-pool.cjs"),
	cronstrue: require.resolve("cronstrue"),
	ws: require.resolve("ws"),
	"smol-toml": require.resolve("smol-toml"),
};
const paths = Object.fromEntries(Object.keys(later).map((name) => [name, `./${name}.js`]));

/**
 * Makes one file of the provider's entry point, in place of the compiler's. Pulumi starts a process for each operation, and
 * most of what our part of it does at first is to find, read and evaluate files: 330 of them. Only that process loads
 * this file; everything else in the package imports the modules beside it.
 */
export async function bundleProvider(): Promise<void> {
	// Pulumi's host has its own SDK.
	await bundle(join(repository, "src", "provider", "index.ts"), join(folder, "index.js"), {
		external: [/^@pulumi\//],
		map: true,
	});
	await bundleLater(folder);
}

export async function bundleLater(target: string): Promise<void> {
	for (const [name, input] of Object.entries(later)) await bundle(input, join(target, `${name}.js`));
}

export async function bundle(input: string, file: string, options: BundleOptions = {}): Promise<void> {
	const { rolldown } = await import("rolldown");
	const build = await rolldown({
		input,
		platform: "node",
		// Faster parts of ws, for those who install them.
		external: ["bufferutil", "utf-8-validate", ...Object.keys(later), ...(options.external ?? [])],
		// package.json says that no module of ours matters unless it is used; this one is for its effect.
		treeshake: { moduleSideEffects: [{ test: /short-lived-process/, sideEffects: true }] },
		plugins: [withoutMap],
		experimental: { attachDebugInfo: "none" },
		onLog: (level, { code, message }) => {
			// That the build was slow says something about the machine only.
			if (level === "warn" && code !== "PLUGIN_TIMINGS") throw new Error(message);
		},
	});
	try {
		await build.write({
			file,
			format: "cjs",
			esModule: true,
			paths: { ...paths, ...options.paths },
			// Comments cost time to skip. Names and lines stay, so that stack traces can be read without the map.
			comments: false,
			sourcemap: options.map ?? false,
			footer: ({ moduleIds }) => licencesOf(moduleIds),
		});
	} finally {
		await build.close();
	}
}

/** Sources of other packages are in those packages: our map would only carry them about. */
const withoutMap = {
	name: "without-map",
	transform: {
		filter: { id: /[\\/]node_modules[\\/]/ },
		handler: (code: string) => ({ code, map: { mappings: "" } }),
	},
};
