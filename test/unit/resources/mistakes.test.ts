import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { Job } from "../../../src/resources/job";
import { JobFile, type JobFileArgs } from "../../../src/resources/job-file";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { PipelineSettings } from "../../../src/resources/pipeline-settings";
import { Provider } from "../../../src/resources/provider";
import { ScheduledPipeline } from "../../../src/resources/scheduled-pipeline";
import * as storage from "../../../src/storage";
import { inputsOf, registered } from "./program";

/** As a program in JavaScript may write it: any arguments at all. */
const untyped = {
	schedule: (...args: unknown[]): PipelineSchedule => Reflect.construct(PipelineSchedule, args),
	settings: (...args: unknown[]): PipelineSettings => Reflect.construct(PipelineSettings, args),
	file: (...args: unknown[]): JobFile => Reflect.construct(JobFile, args),
	job: (...args: unknown[]): Job => Reflect.construct(Job, args),
	scheduled: (args: unknown): ScheduledPipeline => Reflect.construct(ScheduledPipeline, ["a", args]),
};

beforeAll(async () => {
	await registered(() => []);
});

describe("a schedule without arguments reaches the provider, which says what is missing", () => {
	test.each([[undefined], [null]])("%s", async (args) => {
		expect(await inputsOf(() => untyped.schedule("a", args, null))).toEqual({});
	});
});

const s3 = { key: "hidden", secret: "hidden" };

test.each<[string, () => unknown, RegExp]>([
	["no name", () => untyped.schedule({ pipelineName: "p" }), /^A PipelineSchedule needs a name: new Pipe/],
	[
		"a text as arguments",
		() => untyped.schedule("a", "p"),
		/^PipelineSchedule "a": its arguments must be an object/,
	],
	[
		"a list as arguments",
		() => untyped.settings("a", []),
		/^PipelineSettings "a": its arguments must be an object/,
	],
	[
		"an output as arguments",
		() => untyped.file("a", pulumi.output({})),
		/^JobFile "a": its arguments.*values/,
	],
	[
		"import of a schedule",
		() => untyped.schedule("a", {}, { import: "7" }),
		/^PipelineSchedule "a": the import option.*set adopt to true/,
	],
	[
		"import of settings",
		() => untyped.settings("a", {}, { import: "t/p" }),
		/^PipelineSettings "a": .*set adopt to true/,
	],
	// Neither can be imported with the plugin either.
	[
		"import of a file",
		() => untyped.file("a", {}, { import: "7" }),
		/^JobFile "a": .*from its source or text\.$/,
	],
	[
		"import of a job",
		() => untyped.job("a", {}, { import: "7" }),
		/^Job "a": .*a job that already ran needs no resource\.$/,
	],
	[
		"a parent that is no resource",
		() => untyped.schedule("a", {}, { parent: "group" }),
		/^PipelineSchedule "a": the parent option/,
	],
	["a text as storage", () => untyped.settings("a", { storage: "s3" }), /storage must be a list/],
	[
		"a map in the list",
		() => untyped.settings("a", { storage: [{ s3 }] }),
		/^PipelineSettings "a": storage\[0\] is no storage config\. Write storage\.s3\(/,
	],
	[
		"something else in the list",
		() => untyped.settings("a", { storage: [storage.file(), s3] }),
		/storage\[1\] is no storage config\. Make it with/,
	],
	[
		"a config under another kind",
		() => untyped.settings("a", { storage: { gs: storage.s3(s3) } }),
		/storage\.gs has a config made with storage\.s3/,
	],
	[
		"a text under a kind",
		() => untyped.settings("a", { storage: { s3: "hidden" } }),
		/storage\.s3 must be an object/,
	],
	[
		"one file instead of a list",
		() => untyped.settings("a", { files: "7" }),
		/^PipelineSettings "a": files must be a list\. Write files: \[file\]/,
	],
	[
		"an asset as file",
		() => untyped.settings("a", { files: [new pulumi.asset.FileAsset("./prepare.py")] }),
		/files\[0\] must be a JobFile.*new JobFile/,
	],
	[
		"an input that a component does not have",
		() => untyped.scheduled({ datasets: "a.b.c", schedul: {} }),
		/^ScheduledPipeline "a": there is no input "schedul"\. Did you mean "schedule"\? The inputs are datasets, /,
	],
	[
		"an input that a component fills in",
		() => untyped.scheduled({ datasets: "a.b.c", schedule: { paused: true } }),
		/^ScheduledPipeline "a": schedule cannot have paused, .* Set paused beside schedule\.$/,
	],
	[
		"a component without arguments",
		() => untyped.scheduled(undefined),
		/^ScheduledPipeline "a" needs datasets and a schedule/,
	],
	[
		"an output as a storage's parameters",
		() => Reflect.apply(storage.s3, undefined, [pulumi.output(s3)]),
		/^storage\.s3 takes an object.*values/,
	],
	[
		"a text as a storage's parameters",
		() => Reflect.apply(storage.forUri, undefined, ["s3://b", "hidden"]),
		/^storage\.forUri takes an object/,
	],
])("%s is refused with the resource, the reason and the fix", (_, declare, says) => {
	expect(declare).toThrow(TypeError);
	expect(declare).toThrow(says);
	expect(declare).not.toThrow(/hidden/);
});

test("null stands for no parameters and no list", async () => {
	expect(Reflect.apply(storage.s3, undefined, [null])).toEqual({ kind: "s3", parameters: {} });
	expect(Reflect.apply(storage.forUri, undefined, ["s3://b", null])).toEqual({ kind: "s3", parameters: {} });
	expect(
		await inputsOf(() => untyped.settings("a", { pipelineName: "p", storage: null, files: null })),
	).toEqual({
		pipelineName: "p",
	});
});

describe("an asset with nothing in it", () => {
	const { FileAsset, RemoteAsset, StringAsset } = pulumi.asset;
	const source = async (given: JobFileArgs["source"]) =>
		(await inputsOf(() => new JobFile("f", { name: "f", source: given }))).source;

	test.each<[string, () => JobFileArgs["source"]]>([
		["a text", () => new StringAsset("")],
		["a text that comes later", () => new StringAsset(Promise.resolve(""))],
		["a path", () => new FileAsset("")],
		["a URI", () => new RemoteAsset("")],
		["an output", () => pulumi.output(1).apply(() => new StringAsset(""))],
		["a promise", () => Promise.resolve(new StringAsset(""))],
	])("travels as an empty path, which the provider refuses: %s", async (_, given) => {
		expect(await source(given())).toBe("");
	});

	test.each<[string, () => JobFileArgs["source"]]>([
		["at once", () => new StringAsset("x")],
		["later", () => new StringAsset(Promise.resolve("x"))],
		["in an output", () => pulumi.output(1).apply(() => new StringAsset("x"))],
	])("does not count as empty with a text %s", async (_, given) => {
		expect(await source(given())).toMatchObject({ text: "x" });
	});
});

describe("replaceOnChanges", () => {
	const warnings = async (opts: () => pulumi.CustomResourceOptions, name = "a") => {
		const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
		await registered(() => [untyped.schedule(name, { pipelineName: "p" }, opts())]);
		const texts = warn.mock.calls.map(([text]) => text);
		warn.mockRestore();
		return texts;
	};
	const replaceOnChanges = ["cronExpression"];

	test("has no effect in the dynamic host, which is said", async () => {
		expect(await warnings(() => ({ replaceOnChanges }))).toEqual([
			expect.stringMatching(
				/^PipelineSchedule "a": replaceOnChanges has no effect .*"pulumi up --replace"\.$/,
			),
		]);
		expect(await warnings(() => ({}))).toEqual([]);
	});

	test("works in the plugin", async () => {
		const opts = () => ({ provider: new Provider("own"), replaceOnChanges });
		expect(await warnings(opts, "b")).toEqual([]);
	});
});

test.each(["default", "default_1_2_3", "default_0_2_0_rc_1", "default_https_/plugins.example.com"])(
	"a provider cannot be named %s, as the engine names its own",
	(name) => {
		expect(() => new Provider(name)).toThrow(`Provider "${name}": the engine names its own providers so`);
	},
);
