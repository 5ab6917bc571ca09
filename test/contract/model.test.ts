import fc from "fast-check";
import { it, onTestFinished } from "vitest";
import { openPlace } from "../../bench/faults/rows/model/place";
import { play } from "../../bench/faults/rows/model/play";
import { type Scenario, scenarios, stormy } from "../../bench/faults/rows/model/scenario";
import type { Host } from "../../bench/faults/rows/model/stack";

/** A mutation run repeats everything for every mutant, so that it draws less, and wants no smallest example. */
const drawsLess = "MODEL_SEQUENCES" in process.env;
const asDrawn = (scenario: Scenario): Scenario => scenario;

// Always the same ones: a gate must answer alike. Row 2 of the fault bench draws new ones.
it.each<[string, Host, typeof stormy, number]>([
	["leave the service as declared, and what is not ours as it was", "dynamic", asDrawn, 40],
	["also where the first writes of each command fail", "dynamic", stormy, 30],
	["also through the plugin's host", "plugin", asDrawn, 30],
])(
	"random programs of two stacks and a colleague, orders, lags and failures %s",
	{ timeout: 900_000 },
	async (_, host, change, count) => {
		const place = await openPlace(host);
		onTestFinished(() => place.close());
		const sequences = fc.asyncProperty(scenarios, (scenario) => play(place, change(scenario)));
		const few = change === stormy ? 5 : Number(process.env.MODEL_SEQUENCES);
		await fc.assert(sequences, { seed: 1, numRuns: drawsLess ? few : count, endOnFailure: drawsLess });
	},
);
