import { defineConfig } from "vitest/config";
import { env, lazyModules } from "./tools/test/vitest.mjs";

/** One project per suite; `npx vitest run --project unit` runs one of them. */
const suite = (
	name: string,
	timeout: number,
	options: { fileParallelism?: boolean } = {},
) => ({
	plugins: [lazyModules],
	test: {
		name,
		include: [`test/${name}/**/*.test.ts`],
		testTimeout: timeout,
		hookTimeout: timeout,
		// Files share what they load: loading it anew for each takes two thirds of the unit tests' time.
		isolate: false,
		...options,
		env,
	},
});

export default defineConfig({
	test: {
		projects: [
			suite("unit", 60_000),
			suite("contract", 240_000),
			suite("model", 900_000),
			suite("package", 300_000),
			suite("e2e", 600_000),
			// Too long for every change: npm run test:nightly.
			suite("nightly", 1_200_000, { fileParallelism: false }),
		],
	},
});
