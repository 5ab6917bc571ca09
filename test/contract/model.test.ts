import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openPlace, type Place } from "../../bench/faults/rows/model/place";
import { play } from "../../bench/faults/rows/model/play";
import { scenarios, stormy } from "../../bench/faults/rows/model/scenario";

let place: Place;
beforeAll(async () => {
	place = await openPlace();
});
afterAll(() => place.close());

/** A mutation run repeats everything for every mutant, so that it draws less, and wants no smallest example. */
const drawsLess = "MODEL_SEQUENCES" in process.env;

describe("random programs, orders, lags and failures", () => {
	it("leave the service as declared, and what is not ours as it was", { timeout: 900_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(scenarios, (scenario) => play(place, scenario)),
			// Always the same ones: a gate must answer alike. Row 2 of the fault bench draws new ones.
			{ seed: 1, numRuns: Number(process.env.MODEL_SEQUENCES ?? 40), endOnFailure: drawsLess },
		);
	});

	it("also where the first writes of each command fail", { timeout: 900_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(scenarios, (scenario) => play(place, stormy(scenario))),
			{ seed: 1, numRuns: drawsLess ? 5 : 30, endOnFailure: drawsLess },
		);
	});
});
