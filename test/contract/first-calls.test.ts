import { expect, it, onTestFinished } from "vitest";
import { urnOf } from "../../bench/faults/process";
import type { Props } from "../../src/provider/handler";
import { KINDS, type Kind, providerStub } from "../../src/schemas/kinds";
import { PluginProcess } from "../helpers/plugin-process";
import { testServer } from "../helpers/server-harness";

/** Inputs of each kind that are right, and lack the team: only a configured provider can fill it in. */
const INPUTS: Readonly<Record<Kind, Props>> = {
	PipelineSchedule: { scheduleName: "first", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
	PipelineSettings: { pipelineName: "rusty-vise", workers: 3, adopt: true },
	JobFile: { name: "first.txt", text: "abc" },
	Pipeline: { datasets: ["dev.images.raw"] },
	Job: { query: "print(1)" },
};
const ALL = Object.keys(KINDS) as Kind[];
const HOST = [
	process.execPath,
	require.resolve("@pulumi/pulumi/cmd/dynamic-provider"),
	"127.0.0.1:0",
] as const;

it.each([
	["the plugin", undefined, ""],
	["Pulumi's own process for dynamic providers", HOST, "datachain:"],
])(
	"two hundred calls at once that arrive before the first configure has had a chance to finish are configured, in %s",
	async (_, command, prefix) => {
		const { url: baseUrl, token, teamName } = await testServer();
		// Nothing of the connection is in its environment: it has only what `configure` tells it.
		const running = await PluginProcess.start({}, "", command);
		onTestFinished(() => void running.end());
		const config = Object.entries({ baseUrl, token, teamName }).map(([key, value]) => [prefix + key, value]);
		await running.configure(Object.fromEntries(config));
		const answers = Array.from({ length: 200 }, async (__, index) => {
			const kind = ALL[index % ALL.length] ?? "JobFile";
			const stub = { __urn: urnOf(kind, "first"), __provider: providerStub(kind) };
			const news = { ...INPUTS[kind], ...(command && stub) };
			return (await running.check(kind, "first", news)).inputs.teamName;
		});
		expect(new Set(await Promise.all(answers))).toEqual(new Set([teamName]));
	},
);
