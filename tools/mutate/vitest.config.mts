import { configDefaults, defineConfig } from "vitest/config";
import { lazyModules } from "../test/lazy-modules.mjs";

/** What the mutation run tests with: everything that needs neither the engine, nor Python, nor the build. */
export default defineConfig({
	plugins: [lazyModules],
	test: {
		include: ["test/{unit,contract}/**/*.test.ts"],
		exclude: [
			...configDefaults.exclude,
			// They test the tools and the benches, which are not mutated.
			"test/unit/{tools,bench}/**",
			"test/unit/import-flow.test.ts",
			// They need Python.
			"test/contract/*{python,croniter}*",
			// They run the compiled package, which holds no mutants.
			"test/contract/server-{cli,persistence}.test.ts",
		],
		setupFiles: ["tools/mutate/setup.ts"],
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
});
