import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { Job } from "../../../src/resources/job";
import { JobFile, type JobFileArgs } from "../../../src/resources/job-file";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { PipelineSettings } from "../../../src/resources/pipeline-settings";
import { Provider } from "../../../src/resources/provider";
import * as storage from "../../../src/storage";
import { inputsOf, registered } from "./program";

/** As a program in JavaScript may write it: any arguments at all. */
const untyped = {
	schedule: (...args: unknown[]): PipelineSchedule =>
		Reflect.construct(PipelineSchedule, args),
	settings: (...args: unknown[]): PipelineSettings =>
		Reflect.construct(PipelineSettings, args),
	file: (...args: unknown[]): JobFile => Reflect.construct(JobFile, args),
	job: (...args: unknown[]): Job => Reflect.construct(Job, args),
	s3: (...args: unknown[]) => Reflect.apply(storage.s3, undefined, args),
	forUri: (...args: unknown[]) => Reflect.apply(storage.forUri, undefined, args),
};

beforeAll(async () => {
	await registered(() => []);
});

test.each([[undefined], [null]])(
	"a schedule with %s as arguments reaches the provider, which says what is missing",
	async (args) => {
		expect(await inputsOf(() => untyped.schedule("a", args, null))).toEqual({});
	},
);

const s3 = { key: "hidden", secret: "hidden" };
const script = new pulumi.asset.FileAsset("./prepare.py");

const imported = { import: "7" };
const inText = `s3://${pulumi.output("bucket")}/hidden`;
const stored = (given: unknown) => ["a", { storage: given }];

type Row = [what: string, kind: keyof typeof untyped, args: unknown[], says: RegExp];
test.each<Row>([
	[
		"no name",
		"schedule",
		[{ pipelineName: "p" }],
		/^A PipelineSchedule needs a name: new Pipe/,
	],
	[
		"an Output in the name",
		"schedule",
		[inText],
		/^The name of a PipelineSchedule: an Output was used as a string/,
	],
	[
		"an Output in the URI of a storage",
		"forUri",
		[inText],
		/^storage\.forUri: uri: an Output was used as a string/,
	],
	[
		"a text as arguments",
		"schedule",
		["a", "p"],
		/^PipelineSchedule "a": its arguments must be an object/,
	],
	[
		"a list as arguments",
		"settings",
		["a", []],
		/^PipelineSettings "a": its arguments must be an object/,
	],
	[
		"an output as arguments",
		"file",
		["a", pulumi.output({})],
		/^JobFile "a": its arguments.*values/,
	],
	[
		"one file instead of a list",
		"settings",
		["a", { files: "7" }],
		/^PipelineSettings "a": files must be a list\. Write files: \[file\]/,
	],
	[
		"an asset as file",
		"settings",
		["a", { files: [script] }],
		/files\[0\] must be a JobFile.*new JobFile/,
	],
	[
		"a parent that is none",
		"schedule",
		["a", {}, { parent: "group" }],
		/^PipelineSchedule "a": the parent option/,
	],
	[
		"an import",
		"schedule",
		["a", {}, imported],
		/^PipelineSchedule "a": the import option.*set adopt to true/,
	],
	[
		"an import",
		"settings",
		["a", {}, imported],
		/^PipelineSettings "a": .*set adopt to true/,
	],
	// Files and jobs cannot be imported with the plugin either.
	[
		"an import",
		"file",
		["a", {}, imported],
		/^JobFile "a": .*from its source or text\.$/,
	],
	[
		"an import",
		"job",
		["a", {}, imported],
		/^Job "a": .*a job that already ran needs no resource\.$/,
	],
	["a text as storage", "settings", stored("s3"), /storage must be a list/],
	[
		"a map in the list of storage",
		"settings",
		stored([{ s3 }]),
		/^PipelineSettings "a": storage\[0\] is no storage config\. Write storage\.s3\(/,
	],
	[
		"something else in the list of storage",
		"settings",
		stored([storage.file(), s3]),
		/storage\[1\] is no storage config\. Make it with/,
	],
	[
		"a config under another kind",
		"settings",
		stored({ gs: storage.s3(s3) }),
		/storage\.gs has a config made with storage\.s3/,
	],
	[
		"a text under a kind",
		"settings",
		stored({ s3: "hidden" }),
		/storage\.s3 must be an object/,
	],
	[
		"an output as parameters",
		"s3",
		[pulumi.output(s3)],
		/^storage\.s3 takes an object.*values/,
	],
	[
		"a text as parameters",
		"forUri",
		["s3://b", "hidden"],
		/^storage\.forUri takes an object/,
	],
])(
	"%s of a %s is refused with the resource, the reason and the fix, and no value is shown",
	(...row) => {
		const [, kind, args, says] = row;
		const declare = () => untyped[kind](...args);
		expect(declare).toThrow(TypeError);
		expect(declare).toThrow(says);
		expect(declare).not.toThrow(/hidden/);
	},
);

test("null stands for no parameters and no list", async () => {
	expect(untyped.s3(null)).toEqual({ kind: "s3", parameters: {} });
	expect(untyped.forUri("s3://b", null)).toEqual({ kind: "s3", parameters: {} });
	const settings = () =>
		untyped.settings("a", { pipelineName: "p", storage: null, files: null });
	expect(await inputsOf(settings)).toEqual({ pipelineName: "p" });
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

test("a provider cannot be named as the engine names its own", () => {
	const named = () => new Provider("default_1_2_3");
	expect(named).toThrow(
		'Provider "default_1_2_3": the engine names its own providers so',
	);
});
