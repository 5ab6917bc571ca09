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
import { repository } from "../../tools/repository";

export type Values = Record<string, unknown>;

/** As the engine marks a secret. */
export const secret = (value: unknown): Values => ({
	"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
	value,
});

export const urnOf = (kind: string, name: string): string =>
	`urn:pulumi:dev::project::datachain:index:${kind}::${name}`;

const struct = (values: Values): Struct => Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));

type Callback<Answer> = (error: grpc.ServiceError | null, answer: Answer) => void;

const ask = <Answer>(call: (callback: Callback<Answer>) => unknown): Promise<Answer> =>
	new Promise((resolve, reject) => call((error, answer) => (error ? reject(error) : resolve(answer))));

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
		readonly child: ChildProcess,
		readonly client: ResourceProviderClient,
		readonly port: number,
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
		const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
		return new PluginProcess(child, client, port);
	}

	/** Tells it where the engine is, as the engine does with a plugin that was running before. */
	async attach(address: string): Promise<void> {
		const request = new PluginAttach().setAddress(address);
		await ask<Empty>((done) => this.client.attach(request, done));
	}

	async schema(): Promise<string> {
		const request = new rpc.GetSchemaRequest();
		return (await ask<rpc.GetSchemaResponse>((done) => this.client.getSchema(request, done))).getSchema();
	}

	async cancel(): Promise<void> {
		await ask<Empty>((done) => this.client.cancel(new Empty(), done));
	}

	async configure(args: Values = {}, name = "default"): Promise<rpc.ConfigureResponse> {
		const request = new rpc.ConfigureRequest();
		request.setArgs(struct(args));
		request.setName(name);
		return ask<rpc.ConfigureResponse>((done) => this.client.configure(request, done));
	}

	async checkConfig(news: Values) {
		const request = new rpc.CheckRequest();
		request.setNews(struct(news));
		return checked(await ask<rpc.CheckResponse>((done) => this.client.checkConfig(request, done)));
	}

	async diffConfig(olds: Values, news: Values) {
		const request = new rpc.DiffRequest();
		request.setOlds(struct(olds));
		request.setNews(struct(news));
		return (await ask<rpc.DiffResponse>((done) => this.client.diffConfig(request, done))).toObject();
	}

	async check(kind: string, name: string, news: Values, olds: Values = {}) {
		const request = new rpc.CheckRequest();
		request.setUrn(urnOf(kind, name));
		request.setOlds(struct(olds));
		request.setNews(struct(news));
		return checked(await ask<rpc.CheckResponse>((done) => this.client.check(request, done)));
	}

	async diff(kind: string, name: string, id: string, state: State, news: Values) {
		const request = new rpc.DiffRequest();
		request.setUrn(urnOf(kind, name));
		request.setId(id);
		request.setOlds(struct(state.olds));
		request.setOldInputs(struct(state.oldInputs));
		request.setNews(struct(news));
		const answer = await ask<rpc.DiffResponse>((done) => this.client.diff(request, done));
		const kinds = Object.entries(rpc.PropertyDiff.Kind);
		const detailed = answer
			.getDetaileddiffMap()
			.toObject(false, (_, diff) => kinds.find(([, value]) => value === diff?.getKind())?.[0]);
		return {
			changes: answer.getChanges() === rpc.DiffResponse.DiffChanges.DIFF_SOME,
			replaces: answer.getReplacesList(),
			detailed: Object.fromEntries(detailed as unknown as [string, string][]),
		};
	}

	async create(kind: string, name: string, inputs: Values, preview = false, timeoutSeconds = 0) {
		const request = new rpc.CreateRequest();
		request.setUrn(urnOf(kind, name));
		request.setProperties(struct(inputs));
		request.setPreview(preview);
		request.setTimeout(timeoutSeconds);
		const answer = await ask<rpc.CreateResponse>((done) => this.client.create(request, done));
		return { id: answer.getId(), outs: values(answer.getProperties()) };
	}

	async update(kind: string, name: string, id: string, state: State, news: Values, preview = false) {
		const request = new rpc.UpdateRequest();
		request.setUrn(urnOf(kind, name));
		request.setId(id);
		request.setOlds(struct(state.olds));
		request.setOldInputs(struct(state.oldInputs));
		request.setNews(struct(news));
		request.setPreview(preview);
		const answer = await ask<rpc.UpdateResponse>((done) => this.client.update(request, done));
		return values(answer.getProperties());
	}

	async read(kind: string, name: string, id: string, outs: Values = {}, inputs: Values = {}) {
		const request = new rpc.ReadRequest();
		request.setUrn(urnOf(kind, name));
		request.setId(id);
		request.setProperties(struct(outs));
		request.setInputs(struct(inputs));
		const answer = await ask<rpc.ReadResponse>((done) => this.client.read(request, done));
		return { id: answer.getId(), outs: values(answer.getProperties()), inputs: values(answer.getInputs()) };
	}

	async invoke(name: string, args: Values = {}): Promise<Values> {
		const request = new rpc.InvokeRequest();
		request.setTok(`datachain:index:${name}`);
		request.setArgs(struct(args));
		return values((await ask<rpc.InvokeResponse>((done) => this.client.invoke(request, done))).getReturn());
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
export interface EngineEar {
	readonly address: string;
	readonly heard: readonly { readonly text: string; readonly urn: string }[];
	close(): void;
}

export async function listenAsEngine(): Promise<EngineEar> {
	const heard: { text: string; urn: string }[] = [];
	const server = new grpc.Server();
	const log: grpc.handleUnaryCall<LogRequest, Empty> = ({ request }, callback) => {
		heard.push({ text: request.getMessage(), urn: request.getUrn() });
		callback(null, new Empty());
	};
	const { log: definition } = EngineService;
	server.addService({ log: definition }, { log });
	const port = await new Promise<number>((resolve, reject) =>
		server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, found) =>
			error ? reject(error) : resolve(found),
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
