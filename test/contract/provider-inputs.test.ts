import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext, type ProviderContext } from "../../src/provider/context";
import { jobFile } from "../../src/provider/job-file/handler";
import { pipelineSettings } from "../../src/provider/pipeline-settings/handler";
import { UNKNOWN } from "../../src/provider/shared/unknown";
import { type LocalServer, startServer } from "../../src/server";

describe("what the provider makes of changed inputs", () => {
	let server: LocalServer;
	let context: ProviderContext;
	beforeAll(async () => {
		server = await startServer();
		context = createContext({ env: server.environment }, () => {});
	});
	afterAll(async () => {
		await context?.client.close();
		await server?.close();
	});

	const settings = async (more: object) =>
		(await pipelineSettings.check(context, {}, { pipelineName: "rusty-vise", ...more })).inputs;

	it.each([
		["storage to environment", { storage: { s3: { anon: true } } }, { environment: { MODE: "fast" } }],
		["environment to storage", { environment: { FSSPEC_HF: "{}" } }, { storage: { hf: { token: "t" } } }],
	])("a variable of ours that moves from %s is not taken for someone else's", async (_, first, second) => {
		const declared = await settings({ ...first, onDestroy: "reset" });
		const { id, outs } = await pipelineSettings.create(context, declared);
		const news = { pipelineName: "rusty-vise", ...second, onDestroy: "reset" };
		const { inputs, problems } = await pipelineSettings.check(context, declared, news);
		expect(problems).toEqual([]);
		const updated = await pipelineSettings.update(context, id, outs, inputs);
		expect(updated.outs).toMatchObject(second);
		context.ownership.release(server.teamName, id);
		await pipelineSettings.delete(context, id, updated.outs);
	});

	it("variables that others added beside a storage of ours are still refused", async () => {
		const declared = await settings({ storage: { s3: { anon: true } }, onDestroy: "reset" });
		const { id, outs } = await pipelineSettings.create(context, declared);
		await context.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: 'FSSPEC_S3={"anon":true}\nTHEIRS=1',
		});
		const { storage: _, ...others } = declared;
		const news = { ...others, environment: { MODE: "fast" } };
		await expect(pipelineSettings.update(context, id, outs, news)).rejects.toThrow(
			/other settings for environment \(MODE, THEIRS\)/,
		);
		context.ownership.release(server.teamName, id);
		await pipelineSettings.delete(context, id, outs);
	});

	it("a file whose source is not known yet is not replaced because its name comes from the source", async () => {
		const { inputs } = await jobFile.check(context, {}, { source: __filename });
		const { id, outs } = await jobFile.create(context, inputs);
		const next = await jobFile.check(context, inputs, { source: UNKNOWN });
		expect(next.problems).toEqual([]);
		expect((await jobFile.diff(context, id, outs, next.inputs)).replaces).toEqual([]);
	});
});
