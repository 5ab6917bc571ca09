import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { succeeded } from "../../tools/process/must";
import { managedResources } from "../../tools/stack";
import { EXAMPLE_CONFIG, stackOf } from "../helpers/e2e-stack";
import { repository } from "../helpers/engine";

/** The types of the examples are checked once for all, by the suite `types`. */
const QUICK = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

const folder = join(repository, "examples");
const examples = readdirSync(folder, { withFileTypes: true })
	.filter(
		(entry) =>
			entry.isDirectory() && readdirSync(join(folder, entry.name)).includes("index.ts"),
	)
	// A policy pack is no program; it has a test of its own.
	.filter(
		(entry) => !readdirSync(join(folder, entry.name)).includes("PulumiPolicy.yaml"),
	)
	.map((entry) => entry.name);

/** The quickstart is the program of `npm start`, whose whole tour is a test of its own. */
it.each(examples.filter((name) => name !== "quickstart"))(
	"examples/%s deploys",
	async (name) => {
		const { stack } = await stackOf(join(folder, name), QUICK);
		const program = readFileSync(join(folder, name, "index.ts"), "utf8");
		for (const [key, value] of Object.entries(EXAMPLE_CONFIG))
			if (program.includes(`"${key}"`))
				await stack.setConfig(key, value, { secret: true });
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		expect(managedResources(stack.checkpoint()).length).toBeGreaterThan(0);
	},
);
