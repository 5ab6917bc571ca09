import { credentials, Metadata } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { providerStub } from "../../../src/boundary/stub";
import { KINDS, type Kind } from "../../../src/schemas/kinds";
import { type LocalServer, startServer } from "../../../src/server";
import { PluginProcess } from "../../../test/helpers/plugin-process";
import { start } from "../../../tools/process/run";
import { repository } from "../../../tools/repository";
import { messageOf, type Props, urnOf } from "../process";
import { none, type Row } from "../row";

const CALLS = 200;
const MILLIS = 60_000;

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
		const host = await startHost(server);
		try {
			const kinds = (Object.keys(KINDS) as Kind[]).map((kind) => ({
				inputs: { ...INPUTS[kind], __urn: urnOf(kind, "first") },
				stub: providerStub(KINDS[kind].entry),
			}));
			const overGrpc = await Promise.all(
				Array.from({ length: CALLS }, (_, index) => {
					const { inputs, stub } = kinds[index % kinds.length] ?? { inputs: {}, stub: "" };
					return host
						.check({ ...inputs, __provider: stub })
						.then(({ teamName }) => String(teamName), messageOf);
				}),
			);
			const inOneTick = await Promise.all(
				kinds.map(({ inputs, stub }) => host.answersInOneTick(stub, Array(CALLS / 2).fill(inputs))),
			);
			const inPlugin = await throughPlugin(server);
			const unconfigured = [...overGrpc, ...inOneTick.flat(), ...inPlugin].filter(
				(answer) => answer !== server.teamName,
			);
			return {
				load: `${CALLS} concurrent first calls over gRPC, and ${CALLS / 2} of each kind within one tick, in Pulumi's own provider process; ${CALLS} first calls of the plugin`,
				figures: [none("unconfigured calls", unconfigured)],
			};
		} finally {
			await host.close();
			await server.close();
		}
	},
};

/** The first calls of the plugin, all at once: the engine asks for nothing before it has configured it. */
async function throughPlugin({ url, token, teamName }: LocalServer): Promise<string[]> {
	const plugin = await PluginProcess.start();
	try {
		await plugin.configure({ baseUrl: url, token, teamName });
		const kinds = Object.keys(KINDS) as Kind[];
		return await Promise.all(
			Array.from({ length: CALLS }, (_, index) => {
				const kind = kinds[index % kinds.length] ?? "JobFile";
				return plugin
					.check(kind, "first", { ...INPUTS[kind] })
					.then(({ inputs }) => String(inputs.teamName), messageOf);
			}),
		);
	} finally {
		await plugin.end();
	}
}

/** Pulumi's own process for dynamic providers, called over gRPC as the engine calls it. */
async function startHost({ url, token, teamName }: LocalServer) {
	let printed = "";
	const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
	// Nothing of the connection is in its environment: it has only what `configure` tells it.
	const running = start(process.execPath, [script, "127.0.0.1:0"], {
		cwd: repository,
		env: { PATH: process.env.PATH },
		timeoutMs: 10 * MILLIS,
		onOutput: (chunk, stream) => {
			if (stream === "stdout") printed += chunk;
		},
	});
	// It says where it listens in the first line that it prints.
	for (const end = Date.now() + MILLIS; !/^\d+\n/.test(printed) && Date.now() < end; )
		await new Promise((resolve) => setTimeout(resolve, 20));
	const client = new ResourceProviderClient(
		`127.0.0.1:${Number.parseInt(printed, 10)}`,
		credentials.createInsecure(),
	);
	const struct = (props: Props): Struct => Struct.fromJavaScript(JSON.parse(JSON.stringify(props)));
	const deadline = () => ({ deadline: Date.now() + MILLIS });
	const configure = new messages.ConfigureRequest();
	configure.setArgs(
		struct({ "datachain:baseUrl": url, "datachain:token": token, "datachain:teamName": teamName }),
	);
	await new Promise<void>((resolve, reject) => {
		client.configure(configure, new Metadata(), deadline(), (error) => (error ? reject(error) : resolve()));
	});
	/** The checked inputs; fails where the provider finds fault with them. */
	const check = (news: Props) =>
		new Promise<Props>((resolve, reject) => {
			const request = new messages.CheckRequest();
			request.setOlds(struct({}));
			request.setNews(struct(news));
			client.check(request, new Metadata(), deadline(), (error, reply) => {
				const reasons = reply?.getFailuresList().map((failure) => failure.getReason()) ?? [];
				if (error || reasons.length > 0) reject(new Error(error?.details ?? reasons.join("; ")));
				else resolve(reply.getInputs()?.toJavaScript() ?? {});
			});
		});
	return {
		check,
		/**
		 * The hardest case, which requests over a socket meet only by chance: the host has called `configure`, has not yet
		 * waited for it, and hands the provider to all the others. The wrapper plays the host, within the host's process.
		 */
		async answersInOneTick(provider: string, news: readonly Props[]): Promise<string[]> {
			const wrapper =
				`const inner={};((exports)=>{${provider}})(inner);let request;exports.handler=()=>({configure(r){request=r},` +
				"async check(olds,{news}){const provider=inner.handler();const configured=provider.configure(request);" +
				"const calls=await Promise.allSettled(news.map((one)=>provider.check({},one)));" +
				"await configured;return{inputs:{answers:calls.map((c)=>" +
				"c.status==='fulfilled'?String(c.value.inputs.teamName):String(c.reason.message))}}}})";
			const { answers } = await check({ news, __provider: wrapper });
			if (!Array.isArray(answers)) throw new Error("The provider host gave no answers.");
			return answers.map(String);
		},
		async close() {
			client.close();
			running.kill();
			await running.finished;
		},
	};
}
