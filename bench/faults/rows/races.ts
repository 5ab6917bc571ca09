import { providerStub } from "../../../src/boundary/stub";
import type { Props } from "../../../src/provider/handler";
import { KINDS, type Kind } from "../../../src/schemas/kinds";
import { startServer } from "../../../src/server";
import { PluginProcess } from "../../../test/helpers/plugin-process";
import { messageOf, urnOf } from "../process";
import { none, type Row } from "../row";

const CALLS = 200;

/** Inputs of each kind that are right, and lack the team: only a configured provider can fill it in. */
const INPUTS: Readonly<Record<Kind, Props>> = {
	PipelineSchedule: { scheduleName: "first", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
	PipelineSettings: { pipelineName: "rusty-vise", workers: 3, adopt: true },
	JobFile: { name: "first.txt", text: "abc" },
	Pipeline: { datasets: ["dev.images.raw"] },
	Job: { query: "print(1)" },
};

/** Calls that arrive before the provider's first `configure` has had a chance to finish. */
export const races: Row = {
	number: 7,
	name: "races",
	async run() {
		const server = await startServer();
		const { url: baseUrl, token, teamName } = server;
		const inPlugin = async (plugin: PluginProcess): Promise<string[]> => {
			await plugin.configure({ baseUrl, token, teamName });
			return firstCalls(plugin, (kind) => INPUTS[kind]);
		};
		const inHost = async (host: PluginProcess): Promise<string[]> => {
			await host.configure({
				"datachain:baseUrl": baseUrl,
				"datachain:token": token,
				"datachain:teamName": teamName,
			});
			const overGrpc = await firstCalls(host, (kind) => ({ ...inputsOf(kind), __provider: stubOf(kind) }));
			return [...overGrpc, ...(await Promise.all(ALL.map((kind) => answersInOneTick(host, kind)))).flat()];
		};
		try {
			const answers = [...(await within(HOST, inHost)), ...(await within(undefined, inPlugin))];
			return {
				load: `${CALLS} concurrent first calls over gRPC, and ${CALLS / 2} of each kind within one tick, in Pulumi's own provider process; ${CALLS} first calls of the plugin`,
				figures: [
					none(
						"unconfigured calls",
						answers.filter((answer) => answer !== teamName),
					),
				],
			};
		} finally {
			await server.close();
		}
	},
};

const ALL = Object.keys(KINDS) as Kind[];
/** Pulumi's own process for dynamic providers, called over gRPC as the engine calls it. */
const HOST = [
	process.execPath,
	require.resolve("@pulumi/pulumi/cmd/dynamic-provider"),
	"127.0.0.1:0",
] as const;
const inputsOf = (kind: Kind): Props => ({ ...INPUTS[kind], __urn: urnOf(kind, "first") });
const stubOf = (kind: Kind): string => providerStub(KINDS[kind].entry);

/** Nothing of the connection is in its environment: it has only what `configure` tells it. */
async function within<T>(
	command: typeof HOST | undefined,
	work: (running: PluginProcess) => Promise<T>,
): Promise<T> {
	const running = await PluginProcess.start({}, "", command);
	try {
		return await work(running);
	} finally {
		await running.end();
	}
}

/** All at once: the team that each call was answered with, or its error. */
const firstCalls = (running: PluginProcess, news: (kind: Kind) => Props): Promise<string[]> =>
	Promise.all(
		Array.from({ length: CALLS }, (_, index) => {
			const kind = ALL[index % ALL.length] ?? "JobFile";
			return running
				.check(kind, "first", { ...news(kind) })
				.then(({ inputs }) => String(inputs.teamName), messageOf);
		}),
	);

/**
 * The hardest case, which requests over a socket meet only by chance: the host has called `configure`, has not yet
 * waited for it, and hands the provider to all the others. The wrapper plays the host, within the host's process.
 */
async function answersInOneTick(host: PluginProcess, kind: Kind): Promise<string[]> {
	const wrapper =
		`const inner={};((exports)=>{${stubOf(kind)}})(inner);let request;exports.handler=()=>({configure(r){request=r},` +
		"async check(olds,{news}){const provider=inner.handler();const configured=provider.configure(request);" +
		"const calls=await Promise.allSettled(news.map((one)=>provider.check({},one)));" +
		"await configured;return{inputs:{answers:calls.map((c)=>" +
		"c.status==='fulfilled'?String(c.value.inputs.teamName):String(c.reason.message))}}}})";
	const news = Array(CALLS / 2).fill(inputsOf(kind));
	const { inputs } = await host.check(kind, "first", { news, __provider: wrapper });
	if (!Array.isArray(inputs.answers)) throw new Error("The provider host gave no answers.");
	return inputs.answers.map(String);
}
