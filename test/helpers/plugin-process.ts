import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Kind } from "../../src/schemas/kinds";
import { repository } from "../../tools/repository";
import { urnOf } from "../model/process";

export type Values = Record<string, unknown>;

const pluginUrn = (kind: Kind, name: string): string =>
	urnOf(kind, name, "dev", "plugin");

const struct = (values: Values): Struct =>
	Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));

type Callback = (error: grpc.ServiceError | null, answer: unknown) => void;

const IS_WINDOWS = process.platform === "win32";
const EXECUTABLE = `pulumi-resource-datachain${IS_WINDOWS ? ".cmd" : ""}`;
export const PLUGIN = join(repository, "dist", "plugin", EXECUTABLE);

/** What the engine knows of a resource. */
interface State {
	readonly olds: Values;
	readonly oldInputs: Values;
}

/** The real plugin, started as the engine starts it, and spoken to in the engine's words. */
export class PluginProcess {
	private constructor(
		private readonly child: ChildProcess,
		private readonly client: ResourceProviderClient,
	) {}

	/** Another command is another provider that says where it listens, as every one does. */
	static async start(
		env: NodeJS.ProcessEnv = {},
		nodeOptions = "",
		[command, ...args]: readonly [string, ...string[]] = [PLUGIN],
	): Promise<PluginProcess> {
		const clean = Object.entries(process.env).filter(
			([name]) => !/^(PULUMI|NODE)_|^DATACHAIN_(?!\w+_CONFIG_DIR)/.test(name),
		);
		const child = spawn(command, args, {
			shell: command === PLUGIN && IS_WINDOWS,
			env: { ...Object.fromEntries(clean), ...env, NODE_OPTIONS: nodeOptions },
			stdio: "pipe",
		});
		let said = "";
		child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			said += chunk;
		});
		const [line] = await Promise.race([
			once(child.stdout, "data"),
			once(child, "close").then(([code]) => {
				throw new Error(`The plugin ended with ${code} before it was ready:\n${said}`);
			}),
		]);
		const port = Number(String(line).trim());
		const client = new ResourceProviderClient(
			`127.0.0.1:${port}`,
			grpc.credentials.createInsecure(),
		);
		return new PluginProcess(child, client);
	}

	/** Sends a request; each field is for its setter of that name, an object as a struct. */
	private send<Answer>(
		method: string,
		request: object,
		fields: Values = {},
	): Promise<Answer> {
		for (const [name, value] of Object.entries(fields))
			Reflect.get(request, `set${name}`).call(
				request,
				typeof value === "object" ? struct(value as Values) : value,
			);
		return new Promise((resolve, reject) => {
			const done: Callback = (error, answer) =>
				error ? reject(error) : resolve(answer as Answer);
			Reflect.get(this.client, method).call(this.client, request, done);
		});
	}

	/** Tells it where the engine is, as the engine does with a plugin that was running before. */
	async attach(address: string): Promise<void> {
		await this.send("attach", new PluginAttach(), { Address: address });
	}

	async schema(): Promise<string> {
		return (
			await this.send<rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest())
		).getSchema();
	}

	async cancel(): Promise<void> {
		await this.send("cancel", new Empty());
	}

	async configure(args: Values = {}, name = "default"): Promise<void> {
		await this.send("configure", new rpc.ConfigureRequest(), {
			Args: args,
			Name: name,
		});
	}

	async checkConfig(news: Values) {
		return checked(
			await this.send("checkConfig", new rpc.CheckRequest(), { News: news }),
		);
	}

	async diffConfig(olds: Values, news: Values) {
		const fields = { Olds: olds, News: news };
		return (
			await this.send<rpc.DiffResponse>("diffConfig", new rpc.DiffRequest(), fields)
		).toObject();
	}

	async check(kind: Kind, name: string, news: Values, olds: Values = {}) {
		const fields = { Urn: pluginUrn(kind, name), Olds: olds, News: news };
		return checked(await this.send("check", new rpc.CheckRequest(), fields));
	}

	async diff(kind: Kind, name: string, id: string, state: State, news: Values) {
		const fields = {
			Urn: pluginUrn(kind, name),
			Id: id,
			Olds: state.olds,
			OldInputs: state.oldInputs,
			News: news,
		};
		const answer = await this.send<rpc.DiffResponse>(
			"diff",
			new rpc.DiffRequest(),
			fields,
		);
		const kinds = Object.entries(rpc.PropertyDiff.Kind);
		const detailed = answer
			.getDetaileddiffMap()
			.toObject(
				false,
				(_, diff) => kinds.find(([, value]) => value === diff?.getKind())?.[0],
			);
		return {
			changes: answer.getChanges() === rpc.DiffResponse.DiffChanges.DIFF_SOME,
			replaces: answer.getReplacesList(),
			detailed: Object.fromEntries(detailed as unknown as [string, string][]),
		};
	}

	async create(
		kind: Kind,
		name: string,
		inputs: Values,
		preview = false,
		timeoutSeconds = 0,
	) {
		const fields = {
			Urn: pluginUrn(kind, name),
			Properties: inputs,
			Preview: preview,
			Timeout: timeoutSeconds,
		};
		const answer = await this.send<rpc.CreateResponse>(
			"create",
			new rpc.CreateRequest(),
			fields,
		);
		return { id: answer.getId(), outs: values(answer.getProperties()) };
	}

	async read(kind: Kind, name: string, id: string, outs: Values, inputs: Values) {
		const fields = {
			Urn: pluginUrn(kind, name),
			Id: id,
			Properties: outs,
			Inputs: inputs,
		};
		const answer = await this.send<rpc.ReadResponse>(
			"read",
			new rpc.ReadRequest(),
			fields,
		);
		return {
			id: answer.getId(),
			outs: values(answer.getProperties()),
			inputs: values(answer.getInputs()),
		};
	}

	async invoke(name: string, args: Values = {}): Promise<Values> {
		const fields = { Tok: `datachain:index:${name}`, Args: args };
		const answer = await this.send<rpc.InvokeResponse>(
			"invoke",
			new rpc.InvokeRequest(),
			fields,
		);
		return values(answer.getReturn());
	}

	/** Ends it as the engine does. */
	async end(): Promise<void> {
		this.client.close();
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const gone = once(this.child, "exit");
			this.child.kill("SIGINT");
			await gone;
		}
	}
}

/** The engine's side of what a plugin says. */
export async function listenAsEngine() {
	const heard: { text: string; urn: string }[] = [];
	const server = new grpc.Server();
	const log: grpc.handleUnaryCall<LogRequest, Empty> = ({ request }, callback) => {
		heard.push({ text: request.getMessage(), urn: request.getUrn() });
		callback(null, new Empty());
	};
	const { log: definition } = EngineService;
	server.addService({ log: definition }, { log });
	const port = await new Promise<number>((resolve, reject) =>
		server.bindAsync(
			"127.0.0.1:0",
			grpc.ServerCredentials.createInsecure(),
			(error, found) => (error ? reject(error) : resolve(found)),
		),
	);
	return { address: `127.0.0.1:${port}`, heard, close: () => server.forceShutdown() };
}

const values = (found: Struct | undefined): Values => found?.toJavaScript() ?? {};

const checked = (answer: rpc.CheckResponse) => ({
	inputs: values(answer.getInputs()),
	failures: answer.getFailuresList().map((failure) => ({
		property: failure.getProperty(),
		reason: failure.getReason(),
	})),
});
