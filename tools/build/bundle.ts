import { join, resolve } from "node:path";
import { repository } from "../repository";
import { licencesOf } from "./licences";

export const sources = join(repository, "src");

/** Libraries that are loaded when first needed: files of their own, so that nobody reads them before. */
const LATER: Readonly<Record<string, string>> = {
	undici: join(__dirname, "undici-pool.cjs"),
	cronstrue: require.resolve("cronstrue"),
	ws: require.resolve("ws"),
	"smol-toml": require.resolve("smol-toml"),
};

/** Parts of libraries that are replaced: nobody reads our messages in zod's other languages, and one HTTP parser is enough. */
const REPLACED: Readonly<Record<string, string>> = {
	"../locales/index.js": require.resolve("zod/v4/locales/en.js"),
	// The parser without SIMD runs on every machine; undici would carry both.
	"../llhttp/llhttp_simd-wasm.js": join(
		require.resolve("undici"),
		"..",
		"lib",
		"llhttp",
		"llhttp-wasm.js",
	),
};

export interface BundleOptions {
	/** Entry points, by the path of their file in the folder, without its ending. */
	readonly input: Readonly<Record<string, string>>;
	readonly folder: string;
	/** Modules of ours that stay outside, by their absolute path without ending, with the path that the bundle loads. */
	readonly outside?: ReadonlyMap<string, string>;
	/** Packages that stay outside, with the path that the bundle loads. */
	readonly packages?: Readonly<Record<string, string>>;
	/** Modules that share one file, `core.js`, and the folder in which it lies. */
	readonly shared?: { readonly folder: string; readonly has: (id: string) => boolean };
	/** Makes it a third smaller and keeps the names of functions, but not the lines: for libraries. */
	readonly minify?: boolean;
}

/** Bundles entry points into a folder. */
export async function bundle(options: BundleOptions): Promise<void> {
	const { rolldown } = await import("rolldown");
	const {
		outside = new Map<string, string>(),
		packages = {},
		shared,
		minify,
	} = options;
	const build = await rolldown({
		input: { ...options.input },
		platform: "node",
		// Faster parts of ws, for those who install them.
		external: [
			"bufferutil",
			"utf-8-validate",
			/^@pulumi\/pulumi$/,
			...Object.keys(packages),
		],
		resolve: { alias: REPLACED },
		// package.json says that no module of ours matters unless it is used; this one is for its effect.
		treeshake: {
			moduleSideEffects: [{ test: /short-lived-process/, sideEffects: true }],
		},
		plugins: [
			{
				name: "outside",
				resolveId: (request, importer) => {
					if (!request.startsWith(".") || importer === undefined) return null;
					const path = outside.get(resolve(importer, "..", request));
					return path === undefined ? null : { id: path, external: true };
				},
			},
		],
		experimental: { attachDebugInfo: "none" },
		onLog: (level, { code, message }) => {
			// That the build was slow says something about the machine only.
			if (level === "warn" && code !== "PLUGIN_TIMINGS") throw new Error(message);
		},
	});
	try {
		await build.write({
			dir: options.folder,
			format: "cjs",
			esModule: true,
			entryFileNames: "[name].js",
			chunkFileNames: join(shared?.folder ?? "", "[name].js"),
			paths: packages,
			// Comments cost time to skip. Names and lines of our own code stay, so that stack traces can be read.
			comments: false,
			minify: minify && {
				compress: { keepNames: { function: true, class: true } },
				mangle: { keepNames: true },
			},
			...(shared && {
				codeSplitting: { groups: [{ name: "core", test: shared.has }] },
			}),
			postFooter: ({ moduleIds }) => licencesOf(moduleIds),
		});
	} finally {
		await build.close();
	}
}

/** Where a bundle finds the libraries that it loads later, if they lie in that folder. */
export const laterIn = (folder: string): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.keys(LATER).map((name) => [name, `${folder}/${name}.js`]));

export async function bundleLater(folder: string): Promise<void> {
	for (const [name, input] of Object.entries(LATER))
		await bundle({ input: { [name]: input }, folder, minify: true });
}
