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
import type { EngineLog } from "./engine-log";
import type { Lifetime } from "./lifetime";
import type { ConfiguredProvider, ResourceDiff, Which } from "./provider";
import { props, struct } from "./struct";

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
		handshake: unary(async () => new rpc.ProviderHandshakeResponse().setAcceptSecrets(true)),
		// The plugin's folder has a manifest of its own, with the package's version.
		getPluginInfo: unary(async () => new PluginInfo().setVersion(JSON.parse(beside("package.json")).version)),
		getSchema: unary(async () => new rpc.GetSchemaResponse().setSchema(beside("schema.json"))),
		checkConfig: unary(async (request: rpc.CheckRequest) => {
			const { checkProviderArgs, isDefaultProvider, reveal, conceal } = provider();
			const news = reveal(props(request.getNews()));
			// Only the engine's own provider has its token from the config; the mark of others is set below.
			const isDefault = isDefaultProvider(parseUrn(request.getUrn())?.name ?? "");
			if (isDefault && isClearToken(news.props, news.secrets)) log.warn(CLEAR_TOKEN);
			// Whatever the program said of it, the token is a secret in the state.
			const inputs = conceal(news.props, [...news.secrets, ["token"]]);
			return checkResponse({ inputs, failures: checkProviderArgs(news.props) });
		}),
		diffConfig: unary(async (request: rpc.DiffRequest) => {
			const { differsInArgs, reveal } = provider();
			const [olds, news] = [reveal(props(request.getOlds())).props, reveal(props(request.getNews())).props];
			const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
			return new rpc.DiffResponse().setChanges(differsInArgs(olds, news) ? DIFF_SOME : DIFF_NONE);
		}),
		configure: unary(async (request: rpc.ConfigureRequest) => {
			const { ConfiguredProvider, isDefaultProvider, reveal } = provider();
			const args = reveal(props(request.getArgs())).props;
			const isDefault = isDefaultProvider(request.getName() ?? "");
			configured = new ConfiguredProvider(args, isDefault, log.info, cancelled.signal);
			return new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
		}),
		invoke: unary(async (request: rpc.InvokeRequest) => {
			const name = request.getTok().split(":").at(-1) ?? "";
			return new rpc.InvokeResponse().setReturn(struct(await ready().look(name, props(request.getArgs()))));
		}),
		check: unary(async (request: rpc.CheckRequest) => {
			const [olds, news] = [props(request.getOlds()), props(request.getNews())];
			return checkResponse(await ready().resources.check(which(request), olds, news));
		}),
		diff: unary(async (request: rpc.DiffRequest) => {
			const news = props(request.getNews());
			const { resources } = ready();
			return diffResponse(await resources.diff(which(request), request.getId(), stateOf(request), news));
		}),
		create: unary(async (request: rpc.CreateRequest) => {
			const inputs = props(request.getProperties());
			const made = await ready().resources.create(which(request), inputs, request.getPreview());
			return new rpc.CreateResponse().setId(made.id).setProperties(struct(made.properties));
		}),
		read: unary(async (request: rpc.ReadRequest) => {
			const [outs, inputs] = [props(request.getProperties()), props(request.getInputs())];
			const found = await ready().resources.read(which(request), request.getId(), outs, inputs);
			const answer = new rpc.ReadResponse();
			// An answer without an id tells the engine that the object is gone.
			if (found === undefined) return answer;
			return answer.setId(found.id).setProperties(struct(found.properties)).setInputs(struct(found.inputs));
		}),
		update: unary(async (request: rpc.UpdateRequest) => {
			const [state, news] = [stateOf(request), props(request.getNews())];
			const { resources } = ready();
			const outs = await resources.update(which(request), request.getId(), state, news, request.getPreview());
			return new rpc.UpdateResponse().setProperties(struct(outs));
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

/** A file in the plugin's own folder. */
const beside = (name: string): string => readFileSync(join(__dirname, name), "utf8");

/** The last part of the type, `datachain:index:PipelineSchedule`, is the kind. */
function which(request: { getUrn(): string }): Which {
	const urn = request.getUrn();
	const kind = parseUrn(urn)?.type.split(":").at(-1) ?? "";
	if (isKind(kind)) return { kind, urn };
	throw new Error(`This version of pulumi-datachain has no resource "${kind}". Install a newer one.`);
}

/** What the state has of the resource. */
const stateOf = (request: rpc.DiffRequest | rpc.UpdateRequest) => ({
	olds: props(request.getOlds()),
	oldInputs: props(request.getOldInputs()),
});

/** Failures without a property: the engine would print that property's value, which may be secret. */
const checkResponse = ({ inputs, failures }: { inputs: Props; failures: string[] }): rpc.CheckResponse =>
	new rpc.CheckResponse()
		.setInputs(struct(inputs))
		.setFailuresList(failures.map((reason) => new rpc.CheckFailure().setReason(reason)));

const CLEAR_TOKEN =
	'datachain:token is stored in clear. Run "pulumi config set --secret datachain:token" with a new token, and revoke this one.';

/** The engine hands a secret config value over as a secret; one that is none lies in clear in the stack's settings. */
const isClearToken = (args: Props, secrets: readonly (readonly string[])[]): boolean =>
	typeof args.token === "string" &&
	args.token !== "" &&
	!isUnknown(args.token) &&
	!secrets.some(([key]) => key === "token");

const DIFF_KINDS = {
	add: [rpc.PropertyDiff.Kind.ADD, rpc.PropertyDiff.Kind.ADD_REPLACE],
	update: [rpc.PropertyDiff.Kind.UPDATE, rpc.PropertyDiff.Kind.UPDATE_REPLACE],
	delete: [rpc.PropertyDiff.Kind.DELETE, rpc.PropertyDiff.Kind.DELETE_REPLACE],
} as const;

function diffResponse(diff: ResourceDiff): rpc.DiffResponse {
	const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
	const fields = Object.keys(diff.detailed).map((path) => path.split(/[.[]/)[0] ?? path);
	const answer = new rpc.DiffResponse()
		.setChanges(diff.changes ? DIFF_SOME : DIFF_NONE)
		.setReplacesList([...diff.replaces])
		.setDeletebeforereplace(diff.deleteBeforeReplace)
		.setDiffsList([...new Set(fields)])
		.setHasdetaileddiff(true);
	for (const [path, { kind, replaces }] of Object.entries(diff.detailed))
		answer.getDetaileddiffMap().set(path, new rpc.PropertyDiff().setKind(DIFF_KINDS[kind][replaces ? 1 : 0]));
	return answer;
}
