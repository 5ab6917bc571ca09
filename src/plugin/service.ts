import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Props } from "../provider/handler";
import { isUnknown } from "../provider/shared/unknown";
import { parseUrn } from "../provider/urn";
import { isKind } from "../schemas/kinds";
import { answering, unimplemented } from "./answer";
import { diffResponse } from "./diff-response";
import type { EngineLog } from "./engine-log";
import type { Lifetime } from "./lifetime";
import type { ConfiguredProvider, Which } from "./provider";
import { props, struct } from "./struct";
import { PLUGIN_VERSION } from "./version";

/** Loaded when something is asked that needs it: a schema is answered without schemas, handlers and client. */
const provider = () => require("./provider") as typeof import("./provider");

/** The provider as the engine speaks to it. Everything that knows of gRPC is in this file and those it imports. */
export function providerService(lifetime: Lifetime, log: EngineLog): IResourceProviderServer {
	const cancelled = new AbortController();
	let configured: ConfiguredProvider | undefined;
	const unary = answering(lifetime, log, () => configured?.wantsTraces ?? false);
	const ready = (): ConfiguredProvider => {
		if (configured !== undefined) return configured;
		throw new Error(
			"The DataChain provider was called before it was configured. Please report this as a bug.",
		);
	};
	return {
		handshake: unary(async () => {
			const answer = new rpc.ProviderHandshakeResponse();
			answer.setAcceptSecrets(true);
			return answer;
		}),
		getPluginInfo: unary(async () => {
			const answer = new PluginInfo();
			answer.setVersion(PLUGIN_VERSION);
			return answer;
		}),
		getSchema: unary(async () => {
			const answer = new rpc.GetSchemaResponse();
			answer.setSchema(readFileSync(join(__dirname, "schema.json"), "utf8"));
			return answer;
		}),
		checkConfig: unary(async (request: rpc.CheckRequest) => {
			const { checkProviderArgs, isDefaultProvider, reveal, conceal } = provider();
			const news = reveal(props(request.getNews()));
			// Only the engine's own provider has its token from the config; the mark of others is set below.
			const isDefault = isDefaultProvider(parseUrn(request.getUrn())?.name ?? "");
			if (isDefault && isClearToken(news.props, news.secrets)) log.warn(CLEAR_TOKEN);
			const answer = new rpc.CheckResponse();
			// Whatever the program said of it, the token is a secret in the state.
			answer.setInputs(struct(conceal(news.props, [...news.secrets, ["token"]])));
			answer.setFailuresList(checkProviderArgs(news.props).map(({ reason }) => failure(reason)));
			return answer;
		}),
		diffConfig: unary(async (request: rpc.DiffRequest) => {
			const { differsInArgs, reveal } = provider();
			const [olds, news] = [reveal(props(request.getOlds())).props, reveal(props(request.getNews())).props];
			const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
			const answer = new rpc.DiffResponse();
			answer.setChanges(differsInArgs(olds, news) ? DIFF_SOME : DIFF_NONE);
			return answer;
		}),
		configure: unary(async (request: rpc.ConfigureRequest) => {
			const { ConfiguredProvider, isDefaultProvider, reveal } = provider();
			const args = reveal(props(request.getArgs())).props;
			const isDefault = isDefaultProvider(request.getName() ?? "");
			configured = new ConfiguredProvider(args, isDefault, log.info, cancelled.signal);
			const answer = new rpc.ConfigureResponse();
			answer.setAcceptsecrets(true);
			answer.setSupportspreview(true);
			return answer;
		}),
		invoke: unary(async (request: rpc.InvokeRequest) => {
			const answer = new rpc.InvokeResponse();
			const name = request.getTok().split(":").at(-1) ?? "";
			answer.setReturn(struct(await ready().look(name, props(request.getArgs()))));
			return answer;
		}),
		check: unary(async (request: rpc.CheckRequest) => {
			const { resources } = ready();
			const result = await resources.check(
				which(request),
				props(request.getOlds()),
				props(request.getNews()),
			);
			const answer = new rpc.CheckResponse();
			answer.setInputs(struct(result.inputs));
			answer.setFailuresList(result.failures.map(failure));
			return answer;
		}),
		diff: unary(async (request: rpc.DiffRequest) => {
			const state = { olds: props(request.getOlds()), oldInputs: props(request.getOldInputs()) };
			return diffResponse(
				await ready().resources.diff(which(request), request.getId(), state, props(request.getNews())),
			);
		}),
		create: unary(async (request: rpc.CreateRequest) => {
			const inputs = props(request.getProperties());
			const made = await ready().resources.create(which(request), inputs, request.getPreview());
			const answer = new rpc.CreateResponse();
			answer.setId(made.id);
			answer.setProperties(struct(made.properties));
			return answer;
		}),
		read: unary(async (request: rpc.ReadRequest) => {
			const [outs, inputs] = [props(request.getProperties()), props(request.getInputs())];
			const found = await ready().resources.read(which(request), request.getId(), outs, inputs);
			const answer = new rpc.ReadResponse();
			// An answer without an id tells the engine that the object is gone.
			if (found === undefined) return answer;
			answer.setId(found.id);
			answer.setProperties(struct(found.properties));
			answer.setInputs(struct(found.inputs));
			return answer;
		}),
		update: unary(async (request: rpc.UpdateRequest) => {
			const state = { olds: props(request.getOlds()), oldInputs: props(request.getOldInputs()) };
			const news = props(request.getNews());
			const { resources } = ready();
			const answer = new rpc.UpdateResponse();
			answer.setProperties(
				struct(await resources.update(which(request), request.getId(), state, news, request.getPreview())),
			);
			return answer;
		}),
		delete: unary(async (request: rpc.DeleteRequest) => {
			await ready().resources.delete(which(request), request.getId(), props(request.getProperties()));
			return new Empty();
		}),
		// Requests under way end by themselves, within a bound; an interrupt follows when the process shall go.
		cancel: unary(async () => {
			cancelled.abort();
			return new Empty();
		}),
		attach: unimplemented,
		call: unimplemented,
		construct: unimplemented,
		parameterize: unimplemented,
		getMapping: unimplemented,
		getMappings: unimplemented,
		list: (call) => void call.destroy(Object.assign(new Error("List"), { code: grpc.status.UNIMPLEMENTED })),
	};
}

/** `datachain:index:PipelineSchedule`, the last part of the URN's types, is the kind. */
function which(request: { getUrn(): string }): Which {
	const urn = request.getUrn();
	const kind = urn.split("::")[2]?.split("$").at(-1)?.split(":").at(-1) ?? "";
	if (isKind(kind)) return { kind, urn };
	throw new Error(`This version of pulumi-datachain has no resource "${kind}". Install a newer one.`);
}

/** Without a property: the engine would print that property's value, which may be secret. */
function failure(reason: string): rpc.CheckFailure {
	const answer = new rpc.CheckFailure();
	answer.setReason(reason);
	return answer;
}

const CLEAR_TOKEN =
	'datachain:token is stored in clear. Run "pulumi config set --secret datachain:token" with a new token, and revoke this one.';

/** The engine hands a secret config value over as a secret; one that is none lies in clear in the stack's settings. */
const isClearToken = (args: Props, secrets: readonly (readonly string[])[]): boolean =>
	typeof args.token === "string" &&
	args.token !== "" &&
	!isUnknown(args.token) &&
	!secrets.some(([key]) => key === "token");
