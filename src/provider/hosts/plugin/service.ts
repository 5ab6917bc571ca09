import * as grpc from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { isKind } from "../../../schemas/kinds";
import { parseUrn } from "../../model/messages";
import type { Props } from "../../model/props";
import type { PartialFailureError } from "../../run/handler";
import type { EngineLog } from "../engine-log";
import type { Lifetime } from "./engine";
import { otherVersion } from "./other-version";
import { props, struct } from "./properties";
import type { ConfiguredProvider, ResourceDiff, Which } from "./provider";

/** Loaded when something is asked that needs it: a schema is answered without schemas, handlers and client. */
const provider = () => require("./provider") as typeof import("./provider");

/** The provider as the engine speaks to it. What knows of gRPC is in this file, and in main and engine beside it. */
export function providerService(
	lifetime: Pick<Lifetime, "during">,
	log: EngineLog,
	version: () => string,
): IResourceProviderServer {
	let cancelled = new AbortController();
	let configured: ConfiguredProvider | undefined;
	const unary = answering(lifetime, log, () => configured?.wantsTraces ?? false);
	const ready = (): ConfiguredProvider => {
		if (configured !== undefined) return configured;
		throw provider().unconfigured();
	};
	return {
		handshake: unary(async () =>
			new rpc.ProviderHandshakeResponse().setAcceptSecrets(true),
		),
		// For a process that somebody started by hand (PULUMI_DEBUG_PROVIDERS); it may serve several runs, one after another.
		attach: unary(async (request: PluginAttach) => {
			log.attach(request.getAddress());
			process.argv[2] = request.getAddress();
			cancelled = new AbortController();
			return new Empty();
		}),
		getPluginInfo: unary(async () => new PluginInfo().setVersion(version())),
		getSchema: unary(async () => {
			const schema = require("./schema.json") as object;
			return new rpc.GetSchemaResponse().setSchema(JSON.stringify(schema));
		}),
		checkConfig: unary(async (request: rpc.CheckRequest) => {
			const { checkProviderArgs, reveal, conceal } = provider();
			const news = reveal(props(request.getNews()));
			const other = otherVersion(news.props.version, version());
			if (other !== undefined) log.warn(other, request.getUrn());
			// The engine does not tell whether the token is a secret in the config; in the state it is one.
			const inputs = conceal(news.props, [...news.secrets, ["token"]]);
			return checkResponse({ inputs, failures: checkProviderArgs(news.props) });
		}),
		diffConfig: unary(async (request: rpc.DiffRequest) => {
			const { differsInArgs, reveal } = provider();
			const [olds, news] = [
				reveal(props(request.getOlds())).props,
				reveal(props(request.getNews())).props,
			];
			const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
			return new rpc.DiffResponse().setChanges(
				differsInArgs(olds, news) ? DIFF_SOME : DIFF_NONE,
			);
		}),
		configure: unary(async (request: rpc.ConfigureRequest) => {
			const { ConfiguredProvider, isDefaultProvider, reveal } = provider();
			const args = reveal(props(request.getArgs())).props;
			const isDefault = isDefaultProvider(request.getName() ?? "");
			configured = new ConfiguredProvider(args, isDefault, log.info, cancelled.signal);
			return new rpc.ConfigureResponse()
				.setAcceptsecrets(true)
				.setSupportspreview(true);
		}),
		invoke: unary(async (request: rpc.InvokeRequest) => {
			const name = request.getTok().split(":").at(-1) ?? "";
			return new rpc.InvokeResponse().setReturn(
				struct(await ready().look(name, props(request.getArgs()))),
			);
		}),
		check: unary(async (request: rpc.CheckRequest) => {
			const [olds, news] = [props(request.getOlds()), props(request.getNews())];
			return checkResponse(
				await ready().resources.check(resourceOf(request), olds, news),
			);
		}),
		diff: unary(async (request: rpc.DiffRequest) => {
			const news = props(request.getNews());
			const { resources } = ready();
			return diffResponse(
				await resources.diff(
					resourceOf(request),
					request.getId(),
					stateOf(request),
					news,
				),
			);
		}),
		create: unary(async (request: rpc.CreateRequest) => {
			const inputs = props(request.getProperties());
			const [preview, limit] = [request.getPreview(), limitOf(request)];
			const made = await ready().write((resources) =>
				resources.create(resourceOf(request), inputs, preview, limit),
			);
			return new rpc.CreateResponse()
				.setId(made.id)
				.setProperties(struct(made.properties));
		}),
		read: unary(async (request: rpc.ReadRequest) => {
			const [outs, inputs] = [
				props(request.getProperties()),
				props(request.getInputs()),
			];
			const resource = await ready().resources.read(
				resourceOf(request),
				request.getId(),
				outs,
				inputs,
			);
			const answer = new rpc.ReadResponse();
			// An answer without an id tells the engine that the object is gone.
			if (resource === undefined) return answer;
			return answer
				.setId(resource.id)
				.setProperties(struct(resource.properties))
				.setInputs(struct(resource.inputs));
		}),
		update: unary(async (request: rpc.UpdateRequest) => {
			const [state, news] = [stateOf(request), props(request.getNews())];
			const [id, preview, limit] = [
				request.getId(),
				request.getPreview(),
				limitOf(request),
			];
			const outs = await ready().write((resources) =>
				resources.update(resourceOf(request), id, state, news, preview, limit),
			);
			return new rpc.UpdateResponse().setProperties(struct(outs));
		}),
		delete: unary(async (request: rpc.DeleteRequest) => {
			const outs = props(request.getProperties());
			const limit = limitOf(request);
			await ready().write((resources) =>
				resources.delete(resourceOf(request), request.getId(), outs, limit),
			);
			return new Empty();
		}),
		// Requests under way end by themselves, within a bound; an interrupt follows when the process shall go.
		cancel: unary(async () => {
			cancelled.abort();
			return new Empty();
		}),
		call: unimplemented,
		construct: unimplemented,
		parameterize: unimplemented,
		getMapping: unimplemented,
		getMappings: unimplemented,
		list: (call) =>
			void call.destroy(
				Object.assign(new Error("List"), { code: grpc.status.UNIMPLEMENTED }),
			),
	};
}

/** The last part of the type, `datachain:index:PipelineSchedule`, is the kind. */
function resourceOf(request: { getUrn(): string }): Which {
	const urn = request.getUrn();
	const kind = parseUrn(urn)?.type.split(":").at(-1) ?? "";
	if (isKind(kind)) return { kind, urn };
	throw new Error(
		`This version of pulumi-datachain has no resource "${kind}". Install a newer one.`,
	);
}

/** The program's `customTimeouts`, in seconds; none if it is 0. */
const limitOf = (request: { getTimeout(): number }): number | undefined =>
	request.getTimeout() > 0 ? request.getTimeout() * 1_000 : undefined;

/** What the state has of the resource. */
const stateOf = (request: rpc.DiffRequest | rpc.UpdateRequest) => ({
	olds: props(request.getOlds()),
	oldInputs: props(request.getOldInputs()),
});

/** Failures without a property: the engine would print that property's value, which may be secret. */
const checkResponse = ({
	inputs,
	failures,
}: {
	inputs: Props;
	failures: string[];
}): rpc.CheckResponse =>
	new rpc.CheckResponse()
		.setInputs(struct(inputs))
		.setFailuresList(
			failures.map((reason) => new rpc.CheckFailure().setReason(reason)),
		);

const DIFF_KINDS = {
	add: [rpc.PropertyDiff.Kind.ADD, rpc.PropertyDiff.Kind.ADD_REPLACE],
	update: [rpc.PropertyDiff.Kind.UPDATE, rpc.PropertyDiff.Kind.UPDATE_REPLACE],
	delete: [rpc.PropertyDiff.Kind.DELETE, rpc.PropertyDiff.Kind.DELETE_REPLACE],
} as const;

function diffResponse(diff: ResourceDiff): rpc.DiffResponse {
	const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
	const fields = Object.keys(diff.detailed).map(
		(path) => path.split(/[.[]/)[0] ?? path,
	);
	const answer = new rpc.DiffResponse()
		.setChanges(diff.changes ? DIFF_SOME : DIFF_NONE)
		.setReplacesList([...diff.replaces])
		.setDeletebeforereplace(diff.deleteBeforeReplace)
		.setDiffsList([...new Set(fields)])
		.setHasdetaileddiff(true);
	for (const [path, { kind, replaces }] of Object.entries(diff.detailed))
		answer
			.getDetaileddiffMap()
			.set(path, new rpc.PropertyDiff().setKind(DIFF_KINDS[kind][replaces ? 1 : 0]));
	return answer;
}

type Unary = <Request, Answer>(
	work: (request: Request) => Promise<Answer>,
) => grpc.handleUnaryCall<Request, Answer>;

/** Failures are written for people: the engine gets their text, and a stack trace only if someone wants it. */
const answering =
	(
		lifetime: Pick<Lifetime, "during">,
		log: EngineLog,
		wantsTraces: () => boolean,
	): Unary =>
	(work) =>
	(call, callback) => {
		const run = async () => work(call.request).finally(() => log.arrived());
		lifetime.during(run).then(
			(answer) => callback(null, answer),
			(error: unknown) => callback(failed(error, wantsTraces())),
		);
	};

const unimplemented = (_call: unknown, callback: grpc.sendUnaryData<never>): void =>
	callback({
		code: grpc.status.UNIMPLEMENTED,
		details: "not implemented by the datachain provider",
	});

function failed(error: unknown, withTrace: boolean): Partial<grpc.StatusObject> {
	const { message, stack } =
		error instanceof Error ? error : { message: String(error), stack: undefined };
	const answer = {
		code: grpc.status.UNKNOWN,
		details: (withTrace && stack) || message,
	};
	return isPartialFailure(error) ? { ...answer, metadata: initFailed(error) } : answer;
}

/** By its shape: the class is in a file that is loaded later. */
const isPartialFailure = (error: unknown): error is PartialFailureError =>
	error instanceof Error && "id" in error && "outs" in error;

/** The object exists: its id travels beside the error, in the field that gRPC's own libraries read. */
function initFailed({ id, outs, message }: PartialFailureError): grpc.Metadata {
	const detail = new rpc.ErrorResourceInitFailed()
		.setId(id)
		.setProperties(struct(outs))
		.setReasonsList([message]);
	const packed = new Any();
	packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
	const status = new Status()
		.setCode(grpc.status.UNKNOWN)
		.setMessage(message)
		.setDetailsList([packed]);
	const metadata = new grpc.Metadata();
	metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
	return metadata;
}
