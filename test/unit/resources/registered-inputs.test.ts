import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { secretValue as secret } from "../../../src/provider/model/props";
import { JobFile } from "../../../src/resources/job-file";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { PipelineSettings } from "../../../src/resources/pipeline-settings";
import * as storage from "../../../src/storage";
import { inputsOf, registered, TYPE } from "./program";

describe("a resource registers", () => {
	test("its inputs as given, its URN and its provider's name, and fills in nothing", async () => {
		const schedule = { pipelineName: "etl", cronExpression: "0 3 * * *" };
		const settings = { pipelineName: "etl", workers: 2 };
		const file = { source: "./prepare.py" };
		const found = await registered(() => [
			new PipelineSchedule("nightly", schedule),
			new PipelineSettings("etl", settings),
			new JobFile("prepare", file),
		]);
		const expected = (kind: string, handler: string, name: string, inputs: object) => ({
			type: `${TYPE}:${kind}`,
			name,
			inputs: {
				...inputs,
				__urn: `urn:pulumi:prod::shop::${TYPE}:${kind}::${name}`,
				__provider: `exports.handler=require("pulumi-datachain/provider").${handler}`,
			},
		});
		expect(found).toEqual([
			expected("PipelineSchedule", "schedule", "nightly", schedule),
			expected("PipelineSettings", "settings", "etl", settings),
			expected("JobFile", "file", "prepare", file),
		]);
	});

	test("the URN below its component, and siblings do not wait for each other", async () => {
		const found = await registered(() => {
			const parent = new pulumi.ComponentResource("shop:index:Group", "team");
			return ["a", "b"].map(
				(name) => new PipelineSchedule(name, { pipelineName: "etl" }, { parent }),
			);
		});
		expect(found.map(({ inputs }) => inputs.__urn)).toEqual(
			["a", "b"].map(
				(name) =>
					`urn:pulumi:prod::shop::shop:index:Group$${TYPE}:PipelineSchedule::${name}`,
			),
		);
	});
});

test("files are the ids of JobFiles, now and later, beside ids", async () => {
	const [, settings] = await registered(() => {
		const file = new JobFile("script", { source: "./prepare.py" });
		const files = [file, "42", pulumi.output("43"), pulumi.output(file)];
		return [file, new PipelineSettings("etl", { pipelineName: "etl", files })];
	});
	expect(settings?.inputs.files).toEqual(["script-id", "42", "43", "script-id"]);
});

/** What settings register, without the name of their pipeline. */
async function settingsInputs(args: object, options?: { preview: boolean }) {
	const declared = () => new PipelineSettings("etl", { pipelineName: "etl", ...args });
	const { pipelineName, ...inputs } = await inputsOf(declared, options);
	return inputs;
}

describe("storage", () => {
	const inputs = (given: unknown) => settingsInputs({ storage: given });
	const registeredForm = {
		storage: { s3: { key: secret("k"), secret: secret("s"), anon: false }, file: {} },
		__secret: ["storage.s3.key", "storage.s3.secret"],
	};
	const parameters = { key: "k", secret: "s", anon: false };

	test.each([
		["a list of configs", () => [storage.s3(parameters), storage.file()]],
		["parameters by kind", () => ({ s3: parameters, file: {}, gs: undefined })],
		["configs by kind", () => ({ s3: storage.s3(parameters), file: storage.file() })],
	])(
		"given as %s travels by kind, each credential a secret of its own",
		async (_, given) => {
			expect(await inputs(given())).toEqual(registeredForm);
		},
	);

	test("that comes later is secret as a whole, also where nobody marked its credentials", async () => {
		const whole = { s3: parameters, file: {} };
		const configs = pulumi.output([storage.s3(parameters), storage.file()]);
		for (const later of [pulumi.output(whole), Promise.resolve(whole), configs])
			expect(await inputs(later)).toEqual({
				storage: secret(whole),
				__secret: ["storage"],
			});
		expect(await inputs({ s3: pulumi.output(parameters) })).toEqual({
			storage: { s3: secret(parameters) },
			__secret: ["storage.s3"],
		});
	});

	test("of a kind that does not exist travels without its values", async () => {
		expect(await inputs({ ftp: { password: "hidden" } })).toMatchObject({
			storage: { ftp: {} },
		});
		expect(
			await inputs([{ kind: "ftp", parameters: { password: "hidden" } }]),
		).toMatchObject({
			storage: { ftp: {} },
		});
	});
});

describe("credentials in a URL", () => {
	const repository = "https://user:word@host/repo";
	const clear = "https://host/repo@main";

	test("make the repository a secret, and without them it stays in clear", async () => {
		const hidden = { repository: secret(repository), __secret: ["repository"] };
		for (const later of [
			(value: string) => value,
			(value: string) => pulumi.output(value),
		]) {
			expect(await settingsInputs({ repository: later(repository) })).toEqual(hidden);
			expect(await settingsInputs({ repository: later(clear) })).toEqual({
				repository: clear,
			});
		}
	});

	test("make the requirements a secret as a whole", async () => {
		const requirements = ["pillow", `git+${repository}`];
		const hidden = { requirements: secret(requirements), __secret: ["requirements"] };
		for (const given of [
			requirements,
			[requirements[0], pulumi.output(requirements[1])],
		])
			expect(await settingsInputs({ requirements: given })).toEqual(hidden);
		expect(await settingsInputs({ requirements: ["pillow"] })).toEqual({
			requirements: ["pillow"],
		});
	});
});
