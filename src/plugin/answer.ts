import * as grpc from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { EngineLog } from "./engine-log";
import type { Lifetime } from "./lifetime";
import type { PartlyDone } from "./provider";
import { struct } from "./struct";

type Unary = <Request, Answer>(
	work: (request: Request) => Promise<Answer>,
) => grpc.handleUnaryCall<Request, Answer>;

/** Failures are written for people: the engine gets their text, and a stack trace only where someone wants it. */
export const answering =
	(lifetime: Lifetime, log: EngineLog, wantsTraces: () => boolean): Unary =>
	(work) =>
	(call, callback) => {
		const told = async () => work(call.request).finally(() => log.arrived());
		lifetime.during(told).then(
			(answer) => callback(null, answer),
			(error: unknown) => callback(failed(error, wantsTraces())),
		);
	};

export const unimplemented = (_call: unknown, callback: grpc.sendUnaryData<never>): void =>
	callback({ code: grpc.status.UNIMPLEMENTED, details: "not implemented by the datachain provider" });

function failed(error: unknown, withTrace: boolean): Partial<grpc.StatusObject> {
	const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
	const answer = { code: grpc.status.UNKNOWN, details: (withTrace && stack) || message };
	return isPartlyDone(error) ? { ...answer, metadata: initFailed(error) } : answer;
}

/** By its shape: the class is in a file that is loaded later. */
const isPartlyDone = (error: unknown): error is PartlyDone =>
	error instanceof Error && "id" in error && "properties" in error;

/** The object exists: its id travels beside the error, in the field that gRPC's own libraries read. */
function initFailed({ id, properties, message }: PartlyDone): grpc.Metadata {
	const detail = new ErrorResourceInitFailed()
		.setId(id)
		.setProperties(struct(properties))
		.setReasonsList([message]);
	const packed = new Any();
	packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
	const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(message).setDetailsList([packed]);
	const metadata = new grpc.Metadata();
	metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
	return metadata;
}
