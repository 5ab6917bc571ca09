import { defineConfig } from "vitest/config";
import { env } from "./tools/test/environment.mjs";
import { lazyModules } from "./tools/test/lazy-modules.mjs";

/** One project per suite; `npx vitest run --project unit` runs one of them. */
const suite = (name: string, timeout: number, parallel = true) => ({
	plugins: [lazyModules],
	test: {
		name,
		include: [`test/${name}/**/*.test.ts`],
		testTimeout: timeout,
		hookTimeout: timeout,
		fileParallelism: parallel,
		env,
	},
});

export default defineConfig({
	test: {
		projects: [
			suite("unit", 20_000),
			suite("contract", 60_000),
			suite("package", 300_000, false),
			suite("e2e", 600_000),
		],
	},
});
