import { expect, test } from "vitest";
import { closest, didYouMean } from "../../../src/schemas/suggest";

const INPUTS = ["pipelineName", "cronExpression", "startAfter", "paused", "scheduleName", "adopt"];
const STATUSES = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "PAUSED", "CANCELED"];

test.each([
	["a letter too few", "cronExpresion", INPUTS, "cronExpression"],
	["two letters swapped", "piplineNaem", INPUTS, "pipelineName"],
	["the spelling of another language", "cron_expression", INPUTS, "cronExpression"],
	["another case", "Complete", STATUSES, "COMPLETED"],
	["the nearest of several", "scheduleNames", ["scheduleNaming", ...INPUTS], "scheduleName"],
	["nothing like it", "NOPE", STATUSES, undefined],
	["a short word of other letters", "id", ["no", "at"], undefined],
	["an empty text", "", INPUTS, undefined],
])("%s", (_, given, known, meant) => {
	expect(closest(given, known)).toBe(meant);
});

test("a message ends with the name that was meant, or says nothing", () => {
	expect(didYouMean("adpot", INPUTS)).toBe(' Did you mean "adopt"?');
	expect(didYouMean("somethingElse", INPUTS)).toBe("");
});
