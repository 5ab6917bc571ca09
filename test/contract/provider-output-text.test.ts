import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { handlerOf } from "../../src/provider/hosts/hosting";
import {
	checkProviderArgs,
	PROVIDER_FIELDS,
} from "../../src/provider/hosts/plugin/provider";
import type { Kind } from "../../src/schemas/kinds";
import { asset, KINDS_UNDER_TEST } from "../helpers/provider-kinds";
import { freshStack, named, stack, world } from "../helpers/provider-scene";
import { urnOf } from "../model/process";
import type { Host } from "../model/stack";

/** As the SDK for Node writes it, with the program's own text around. */
const TEXT = `id-${pulumi.output("7")}!`;
const PYTHON = `id-Calling __str__ on an Output[T] is not supported.

To get the value of an Output[T] as an Output[str] consider:
1. o.apply(lambda v: f"prefix{v}suffix")`;
const says = (path: string) =>
	`${path}: an Output was used as a string, so Pulumi put an error text in place of its value. Build the string with ` +
	`pulumi.interpolate\`id-\${output}\` or output.apply((value) => \`id-\${value}\`).`;

const HOSTS: readonly Host[] = ["dynamic", "plugin"];
const NESTED: Readonly<
	Partial<Record<Kind, readonly (readonly [path: string, inputs: object])[]>>
> = {
	PipelineSchedule: [],
	PipelineSettings: [
		["requirements.1", { requirements: ["numpy", TEXT] }],
		["files.0", { files: [TEXT] }],
		["credentialsNames.0", { credentialsNames: [TEXT] }],
		["environment.URL", { environment: { OK: "1", URL: TEXT } }],
		["environment", { environment: { [TEXT]: "1" } }],
		["storage.s3.endpointUrl", { storage: { s3: { endpointUrl: TEXT } } }],
		[
			"storage.s3.clientKwargs.region_name",
			{ storage: { s3: { clientKwargs: { region_name: TEXT } } } },
		],
	],
	JobFile: [["source.text", { text: undefined, source: asset({ text: TEXT }) }]],
	Job: [
		["environment.URL", { environment: { URL: TEXT } }],
		["triggers.0", { triggers: [TEXT] }],
		["storage.az.accountName", { storage: { az: { accountName: TEXT } } }],
		["file.path", { query: undefined, file: asset({ path: TEXT }) }],
	],
	Pipeline: [
		["datasets.0", { datasets: [TEXT] }],
		["removeJobs.1", { removeJobs: ["a", TEXT] }],
	],
};

freshStack();

describe.each(HOSTS)("an Output in a string, %s host", (host) => {
	const reasons = async (kind: Kind, inputs: object) => {
		const news = {
			...KINDS_UNDER_TEST[kind].inputs,
			...inputs,
			__urn: urnOf(kind, "it", "dev", host),
		};
		const { failures } = await world.process({ host }).serve(kind).check({}, news);
		return failures.map(({ reason }) => reason);
	};

	it.each(Object.values(KINDS_UNDER_TEST))(
		"is the only reason given, in every input of a $kind",
		async ({ kind }) => {
			const { fields } = handlerOf(kind);
			const inputs = Object.entries(fields).flatMap(([name, { filledIn }]) =>
				filledIn ? [] : [name],
			);
			// The kind's usual inputs give a file's or a query's content in another input.
			const instead = { source: { text: undefined }, file: { query: undefined } };
			for (const name of inputs) {
				const given = { ...Reflect.get(instead, name), [name]: TEXT };
				expect(await reasons(kind, given), name).toEqual([says(name)]);
			}
			for (const [path, given] of NESTED[kind] ?? [])
				expect(await reasons(kind, given), path).toEqual([says(path)]);
			expect(world.writes()).toEqual([]);
		},
	);

	it("leaves the other inputs to their own checks", async () => {
		const found = await reasons("PipelineSchedule", {
			scheduleName: TEXT,
			timeZone: "Berlin",
			adopt: "yes",
		});
		expect(found).toEqual([
			says("scheduleName"),
			expect.stringMatching(/^timeZone: there is no time zone/),
			expect.stringMatching(/^adopt: must be true or false/),
		]);
	});

	it.each([
		[
			PYTHON,
			'pulumi.Output.format("id-{0}", output) or output.apply(lambda value: f"id-{value}").',
		],
		[
			"Calling [ToString] on an [Output<T>] is not supported.",
			'Output.Format($"id-{output}") or output.Apply(value => $"id-{value}").',
		],
		[
			JSON.stringify({ id: pulumi.output("7") }),
			"pulumi.jsonStringify({ id: output }) or output.apply((value) => JSON.stringify({ id: value })).",
		],
	])("is answered in the program's language: %s", async (text, instead) => {
		expect(await reasons("PipelineSchedule", { scheduleName: text })).toEqual([
			expect.stringMatching(/^scheduleName: an Output was used as a string/),
		]);
		expect(
			(await reasons("PipelineSchedule", { scheduleName: text })).join(),
		).toContain(instead);
	});

	it.each([
		[
			"nightly-[object Object]",
			/^scheduleName: an object, such as a resource, was used as a string\. .*resource\.name/,
		],
		[
			"[object Promise]",
			/^scheduleName: a promise was used as a string\. Wait for its value with await/,
		],
	])("says so of another object as well: %s", async (text, says) => {
		expect(await reasons("PipelineSchedule", { scheduleName: text })).toEqual([
			expect.stringMatching(says),
		]);
		const query = `# ${"x".repeat(500)}\nprint("${text}")`;
		expect(await reasons("Job", { query })).toEqual([]);
	});

	it("names no variable of an environment that is a secret", async () => {
		const given = { environment: { SECRET_NAME: TEXT }, __secret: ["environment"] };
		expect((await reasons("PipelineSettings", given)).join()).not.toContain(
			"SECRET_NAME",
		);
	});
});

it("what the state has already, as with ignoreChanges, is not looked at", async () => {
	await stack.up([named("a", "a")]);
	stack.alter("a", { scheduleName: TEXT }, { scheduleName: TEXT });
	const old = stack.entry("a");
	const who = { kind: "PipelineSchedule", name: "a" } as const;
	const refusals = (inputs: object) =>
		world.process().refusals(who, { ...named("a", TEXT).args, ...inputs }, old);
	expect(await refusals({})).toEqual([]);
	expect(await refusals({ pipelineName: TEXT })).toEqual([says("pipelineName")]);
});

it("an Output in the id of a lookup of a resource is refused", async () => {
	const read = () => world.process().serve("PipelineSchedule").read(TEXT, {});
	await expect(read()).rejects.toThrow(says("id"));
});

it("an Output in an argument of a provider is the only reason given", () => {
	const known = PROVIDER_FIELDS.map((field) => checkProviderArgs({ [field]: TEXT }));
	expect(known).toEqual(PROVIDER_FIELDS.map((field) => [says(field)]));
});
