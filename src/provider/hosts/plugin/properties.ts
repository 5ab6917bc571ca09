import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Props } from "../../model/props";

/** The engine's own limit; a state with many outputs is larger than gRPC's four megabytes. */
const MAX_BYTES = 400 * 1024 * 1024;

/** For every connection with the engine. */
export const MESSAGE_LIMITS = {
	"grpc.max_receive_message_length": MAX_BYTES,
	"grpc.max_send_message_length": MAX_BYTES,
};

/** Properties as the engine's messages have them. */
export const props = (values: Struct | undefined): Props =>
	values?.toJavaScript() ?? {};

/** By way of JSON: a value that is undefined has no form of its own here. */
export const struct = (values: Props): Struct =>
	Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
