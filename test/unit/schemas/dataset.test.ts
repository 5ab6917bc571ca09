import { describe, expect, test } from "vitest";
import {
	datasetProblem,
	isTriggeredFrom,
	isTriggeredFromAll,
	parseDataset,
} from "../../../src/schemas/dataset";

describe("a dataset's reference", () => {
	test.each([
		["dev.images.raw", "dev.images.raw", undefined],
		["dev.images.raw@1.0.2", "dev.images.raw", "1.0.2"],
		["@ada.default.final_result", "@ada.default.final_result", undefined],
		["@ada.default.final_result@1.0.9", "@ada.default.final_result", "1.0.9"],
	])("%s is read", (text, fullName, version) => {
		expect(parseDataset(text)).toEqual({ fullName, version });
		expect(datasetProblem(text)).toBeUndefined();
	});

	test.each([
		"",
		"raw",
		"images.raw",
		"a.b.c.d",
		"dev images.x.raw",
		"dev.images.raw@",
		"dev.images.raw@latest",
		"a.b.c@1",
	])("%j is refused with the form that is meant", (text) => {
		expect(parseDataset(text)).toBeUndefined();
		expect(datasetProblem(text)).toMatch(/write (namespace\.project\.name|three numbers)/);
	});
});

describe("what a pipeline was triggered from", () => {
	test.each([
		["dev.images.raw@1.0.2", ["dev.images.raw"]],
		["dev.images.raw", ["dev.images.raw@1.0.2"]],
		["@ada.default.x@1.0.0", ["@ada.default.x"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.y", "dev.a.x"]],
		// The documents show one dataset only; a part of several may be all that is shown.
		["dev.a.x@1.0.0", ["dev.a.y", "dev.a.x"]],
	])("%s is from %j", (shown, datasets) => expect(isTriggeredFrom(shown, datasets)).toBe(true));

	test.each([
		["dev.images.raw@1.0.2", ["dev.images.clean"]],
		["dev.images.raw@1.0.2", ["dev.images.raw@1.0.3"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.x"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.x", "dev.a.y", "dev.a.z"]],
		["", ["dev.a.x"]],
		[undefined, ["dev.a.x"]],
		["something else", ["dev.a.x"]],
	])("%s is not from %j", (shown, datasets) => expect(isTriggeredFrom(shown, datasets)).toBe(false));

	test("is from all of them only where each is shown", () => {
		expect(isTriggeredFromAll("dev.a.x@1.0.0", ["dev.a.x"])).toBe(true);
		expect(isTriggeredFromAll("dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.y", "dev.a.x"])).toBe(true);
		expect(isTriggeredFromAll("dev.a.x@1.0.0", ["dev.a.y", "dev.a.x"])).toBe(false);
		expect(isTriggeredFromAll("dev.a.z@1.0.0", ["dev.a.x"])).toBe(false);
	});
});
