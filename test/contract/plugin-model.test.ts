import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "../../bench/faults/rows/model/place";
import { play } from "../../bench/faults/rows/model/play";
import { scenarios } from "../../bench/faults/rows/model/scenario";

let place: Place;
beforeAll(async () => {
	place = await openPlace("plugin");
});
afterAll(() => place.close());

it("random programs of two stacks and a colleague lose, double and overwrite nothing through the plugin's host", {
	timeout: 900_000,
}, async () => {
	const sequences = fc.asyncProperty(scenarios, (scenario) => play(place, scenario));
	const result = await fc.check(sequences, { seed: 16, numRuns: 30, interruptAfterTimeLimit: 150_000 });
	expect(result.failed ? String(result.errorInstance) : "none broken").toBe("none broken");
	expect(result.interrupted).toBe(false);
});
