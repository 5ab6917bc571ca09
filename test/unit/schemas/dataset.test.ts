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
		["@ada.default.final_result@10.20.30", "@ada.default.final_result", "10.20.30"],
	])("%s is read", (text, fullName, version) => {
		expect(parseDataset(text)).toEqual({ fullName, version });
		expect(datasetProblem(text)).toBeUndefined();
	});

	const NAME =
		"is no dataset: write namespace.project.name, with an optional @version, as in dev.images.final_result@1.0.2";
	const VERSION =
		"has no version that can be read: write three numbers, as in @1.0.2, or leave it out for the latest";

	test.each([
		["images.raw", NAME],
		["a.b.c.d", NAME],
		["a@b.c.d", NAME],
		["dev.images,raw.x", NAME],
		["x dev.images.raw", NAME],
		["dev.images.raw@", VERSION],
		["a.b.c@1.0", VERSION],
		["a.b.c@v1.0.2", VERSION],
		["a.b.c@1.0.2-rc", VERSION],
		["a.b.c@1x0.2", VERSION],
		["a.b.c@1.0.2\n", VERSION],
	])("%j is refused with the right form", (text, reason) => {
		expect(parseDataset(text)).toBeUndefined();
		expect(datasetProblem(text)).toBe(`${JSON.stringify(text)} ${reason}`);
	});

	test("is shown by its beginning if it is refused", () => {
		expect(datasetProblem("x".repeat(300))).toBe(`"${"x".repeat(200)}" ${NAME}`);
	});
});

describe("what a pipeline was triggered from", () => {
	test.each([
		["dev.images.raw@1.0.2", ["dev.images.raw"]],
		["dev.images.raw", ["dev.images.raw@1.0.2"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.y", "dev.a.x"]],
		// The documents show one dataset only; a part of several may be all that is shown.
		["dev.a.x@1.0.0", ["dev.a.y", "dev.a.x"]],
		[" dev.a.x,\tdev.a.y ", ["dev.a.x", "dev.a.y", "dev.a.y"]],
		["dev.a.x@1.0.0", ["dev.a.x@1.0.0", "dev.a.y@2.0.0"]],
	])("%s is from %j", (shown, datasets) =>
		expect(isTriggeredFrom(shown, datasets)).toBe(true),
	);

	test.each([
		["dev.images.raw@1.0.2", ["dev.images.clean"]],
		["dev.images.raw@1.0.2", ["dev.images.raw@1.0.3"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.x"]],
		["dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.x", "dev.a.y", "dev.a.z"]],
		["", ["dev.a.x"]],
		[undefined, ["dev.a.x"]],
		["dev.a.x", ["something"]],
		["dev.a.x nonsense", ["dev.a.x", "nonsense"]],
		["dev.a.x, dev.a.y", ["dev.a.x", "dev.a.x"]],
	])("%s is not from %j", (shown, datasets) =>
		expect(isTriggeredFrom(shown, datasets)).toBe(false),
	);

	test("is from all datasets only if each is shown", () => {
		expect(isTriggeredFromAll("dev.a.x@1.0.0", ["dev.a.x"])).toBe(true);
		expect(
			isTriggeredFromAll("dev.a.x@1.0.0, dev.a.y@1.0.0", ["dev.a.y", "dev.a.x"]),
		).toBe(true);
		expect(isTriggeredFromAll("dev.a.x@1.0.0", ["dev.a.y", "dev.a.x"])).toBe(false);
		expect(isTriggeredFromAll("dev.a.z@1.0.0", ["dev.a.x"])).toBe(false);
	});
});
