import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { LocalServer } from "../../../../src/server";
import { type Running, start } from "../../../../tools/process/run";
import { repository } from "../../../../tools/repository";

export type Props = Readonly<Record<string, unknown>>;

/** Pulumi's own process for dynamic providers, called over gRPC as the engine calls it. */
export interface Host {
	configure(config: Readonly<Record<string, string>>): Promise<void>;
	/** The checked inputs; fails where the provider finds fault with them. */
	check(news: Props): Promise<Props>;
	/** The id of what was made. */
	create(inputs: Props): Promise<string>;
	close(): Promise<void>;
}

const START_MILLIS = 60_000;
const CALL_MILLIS = 60_000;

/** A host that knows the server's connection from `configure` alone. */
export async function startHost({ url, token, teamName }: LocalServer): Promise<Host> {
	const host = await connect(await startProcess());
	await host.configure({
		"datachain:baseUrl": url,
		"datachain:token": token,
		"datachain:teamName": teamName,
	});
	return host;
}

async function connect({ running, port }: { running: Running; port: number }): Promise<Host> {
	const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
	return {
		async configure(config) {
			const request = new messages.ConfigureRequest();
			request.setArgs(structOf(config));
			await call((done) => client.configure(request, new Metadata(), deadline(), done));
		},
		async check(news) {
			const request = new messages.CheckRequest();
			request.setOlds(structOf({}));
			request.setNews(structOf(news));
			const reply = await call<messages.CheckResponse>((done) =>
				client.check(request, new Metadata(), deadline(), done),
			);
			const reasons = reply.getFailuresList().map((failure) => failure.getReason());
			if (reasons.length > 0) throw new Error(reasons.join("; "));
			return reply.getInputs()?.toJavaScript() ?? {};
		},
		async create(inputs) {
			const request = new messages.CreateRequest();
			request.setProperties(structOf(inputs));
			const reply = await call<messages.CreateResponse>((done) =>
				client.create(request, new Metadata(), deadline(), done),
			);
			return reply.getId();
		},
		async close() {
			client.close();
			running.kill();
			await running.finished;
		},
	};
}

/** It says where it listens in the first line that it prints. */
async function startProcess(): Promise<{ running: Running; port: number }> {
	let printed = "";
	const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
	// Nothing of the connection is in its environment: it has only what `configure` tells it.
	const running = start(process.execPath, [script, "127.0.0.1:0"], {
		cwd: repository,
		env: { PATH: process.env.PATH },
		timeoutMs: 10 * 60_000,
		onOutput: (chunk, stream) => {
			if (stream === "stdout") printed += chunk;
		},
	});
	const end = Date.now() + START_MILLIS;
	for (;;) {
		const port = Number(/^(\d+)\n/.exec(printed)?.[1]);
		if (Number.isInteger(port)) return { running, port };
		if (Date.now() > end) break;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	running.kill();
	const { stderr } = await running.finished;
	throw new Error(`Pulumi's dynamic-provider host did not start: ${stderr.slice(-500)}`);
}

const deadline = (): { deadline: number } => ({ deadline: Date.now() + CALL_MILLIS });

const structOf = (props: Props): Struct => Struct.fromJavaScript(JSON.parse(JSON.stringify(props)));

function call<Reply>(
	send: (done: (error: ServiceError | null, reply: Reply) => void) => void,
): Promise<Reply> {
	return new Promise((resolve, reject) => {
		send((error, reply) => (error === null ? resolve(reply) : reject(new Error(error.details))));
	});
}
