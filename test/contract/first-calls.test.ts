import { expect, it, onTestFinished } from "vitest";
import { providerStub } from "../../src/schemas/kinds";
import { PluginProcess } from "../helpers/plugin-process";
import { providerWorld, TEAM } from "../helpers/provider-harness";
import { KINDS_UNDER_TEST } from "../helpers/provider-kinds";
import { urnOf } from "../model/process";

const ALL = Object.values(KINDS_UNDER_TEST);
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
		const { url: baseUrl, token } = (await providerWorld()).server;
		// Nothing of the connection is in its environment: it has only what `configure` tells it.
		const running = await PluginProcess.start({}, "", command);
		onTestFinished(() => void running.end());
		const settings = { baseUrl, token, teamName: TEAM };
		const config = Object.entries(settings).map(([key, value]) => [
			prefix + key,
			value,
		]);
		await running.configure(Object.fromEntries(config));
		const calls = Array.from({ length: 40 }, () => ALL).flat();
		const answers = calls.map(async ({ kind, inputs }) => {
			const stub = { __urn: urnOf(kind, "first"), __provider: providerStub(kind) };
			// The inputs lack the team: only a configured provider can fill it in.
			return (await running.check(kind, "first", { ...inputs, ...(command && stub) }))
				.inputs.teamName;
		});
		expect(new Set(await Promise.all(answers))).toEqual(new Set([TEAM]));
	},
);
