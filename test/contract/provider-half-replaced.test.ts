import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext, type ProviderContext } from "../../src/provider/context";
import type { Props, ResourceHandler } from "../../src/provider/handler";
import { pipelineSchedule } from "../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../src/provider/pipeline-settings/handler";
import { type LocalServer, startServer } from "../../src/server";

describe("a replacement that failed half-way and was put back", () => {
	let server: LocalServer;
	const contexts: ProviderContext[] = [];
	beforeAll(async () => {
		server = await startServer();
	});
	afterAll(async () => {
		for (const { client } of contexts) await client.close();
		await server?.close();
	});

	/** What one deployment knows: a provider process of its own. */
	const deployment = (): ProviderContext => {
		const context = createContext({ env: server.environment }, () => {});
		contexts.push(context);
		return context;
	};

	it.each<[string, ResourceHandler, Props]>([
		[
			"schedule",
			pipelineSchedule,
			{ scheduleName: "half", pipelineName: "rusty-vise", cronExpression: "0 3 1 * *" },
		],
		["settings", pipelineSettings, { pipelineName: "rusty-vise", pythonVersion: "3.12" }],
	])("of a %s is refused with the way out, which works", async (_, handler, declared) => {
		const first = deployment();
		const { inputs } = await handler.check(first, {}, declared);
		const { id, outs } = await handler.create(first, inputs);
		// The engine finds no change, and creates all the same: the entry is marked as being replaced.
		const again = deployment();
		await handler.check(again, inputs, declared);
		await handler.diff(again, id, outs, inputs);
		await expect(handler.create(again, inputs)).rejects.toThrow(/pulumi state delete <urn>/);
		// Without the entry in the state the next deployment neither checks nor compares it first.
		expect((await handler.create(deployment(), inputs)).id).toBe(id);
	});
});
