import { describe, expect, test } from "vitest";
import { isDefaultProviderName, isKind, isTypeOf } from "../../../src/schemas/kinds";

describe("a provider that the engine made itself", () => {
	test.each([
		"default",
		"default_1_2_3",
		"default_0_2_0_rc_1",
		"default_10_20_30_https_/get.example.com/plugins",
		"default_https_/get.example.com/plugins",
		"default_github_/",
	])("is known by the name %s", (name) => {
		expect(isDefaultProviderName(name)).toBe(true);
	});

	test.each([
		"",
		"my-default",
		"default_",
		"default_1_2",
		"default_a_2_3",
		"default_1_2_3x",
		"default_eu_west",
		"default_a-b_/x",
	])("is not one that a program names %j", (name) => {
		expect(isDefaultProviderName(name)).toBe(false);
	});
});

test("a resource's type is its kind's in the dynamic host and in the plugin, and no other kind's", () => {
	expect(isTypeOf("Job", "pulumi-nodejs:dynamic/datachain:Job")).toBe(true);
	expect(isTypeOf("Job", "datachain:index:Job")).toBe(true);
	expect(isTypeOf("Job", "datachain:index:JobFile")).toBe(false);
	expect(isTypeOf("Job", "other:index:Job")).toBe(false);
});

test("a kind is a name of the list, and no property that every object has", () => {
	expect(["Job", "PipelineSchedule", "job", "toString", ""].filter(isKind)).toEqual([
		"Job",
		"PipelineSchedule",
	]);
});
