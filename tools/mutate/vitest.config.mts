import { configDefaults, defineConfig } from "vitest/config";
import { env, lazyModules } from "../test/vitest.mjs";

/** What the mutation run tests with: everything that needs neither the engine, nor Python, nor the build. */
export default defineConfig({
	plugins: [lazyModules],
	test: {
		include: ["test/{unit,contract,model}/**/*.test.ts"],
		exclude: [
			...configDefaults.exclude,
			// They test the tools, the local server and the board, which are not mutated.
			"test/unit/{tools,board}/**",
			"test/contract/{serve,board}*.test.ts",
			// The list of required cases once more, through the other host.
			"test/contract/plugin-cases.test.ts",
			// They need Python.
			"test/contract/*{python,croniter}*",
			"test/contract/cron-time-zones.test.ts",
			// It measures time.
			"test/contract/long-lists.test.ts",
			// They run the compiled package, which holds no mutants and is not in the sandbox.
			"test/contract/{cli-reading,client-proxy,command-line,first-calls,large-team-commands,plugin}.test.ts",
			"test/contract/{runs-commands,team-commands,verify-*}.test.ts",
		],
		// Hundreds of random sequences and inputs reach everything, and would be run again for nearly every mutant.
		env: { ...env, MODEL_SEQUENCES: "20", PROPERTIES_CASES: "10" },
		// Files share what they load: that takes a quarter of the time, and every mutant pays it.
		isolate: false,
		setupFiles: ["tools/mutate/setup.ts"],
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
});
